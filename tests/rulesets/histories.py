"""Histories: streams of whole games as a released version wrote them, a stored event a line.

`python -m tests.rulesets.histories` plays the games of versions that have none yet and writes them down. A history that
is there is never written again: it is what games out there look like.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from domain import game as games
from domain import rulesets
from domain.catalogue import CATALOGUE, NEWEST, AnyRuleset
from domain.chance import draws_from
from domain.game import AddEntropy, LeaveSeat, OpenGame, Resign, StartGame, Status, TakeSeat
from domain.ruleset import Refused
from domain.stream import BySubmission, Head, Row, game_id_of, secret_hash, uuid8, written
from service.codec import Codec, codec_of
from service.deciding import Change, Pending, Timer, content_of, fire, settle, wanted_timers
from service.redeciding import Decided, decided, decided_anew
from service.streams import Stream
from tests.rulesets.play import variations

TITLES: Final = Path(rulesets.__path__[0])
BEGUN: Final = datetime(2026, 11, 29, 20, tzinfo=UTC)
TURN_SECONDS: Final = 24 * 3600

DECISIONS_MAX: Final = 2_000
"""The most decisions of a game that is played to its end."""

DECISIONS_OF_A_SHORT_GAME: Final = 40
"""After so many decisions all but one resign from the games that only show an option at work."""

ATTEMPTS_MAX: Final = 1_000
"""How many games are played at most to find one that the version before would have decided otherwise."""


def rows_of(history: str) -> list[Row]:
    """The stored events of a history."""
    lines = map(json.loads, history.splitlines())
    return [
        Row(version, line["public"], line["secret"], bytes.fromhex(line["prev_hash"]), bytes.fromhex(line["hash"]))
        for version, line in enumerate(lines, 1)
    ]


def history_of(rows: Sequence[Row]) -> str:
    """The text of a history."""
    lines = (
        {"public": row.public, "secret": row.secret, "prev_hash": row.prev_hash.hex(), "hash": row.hash.hex()}
        for row in rows
    )
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def histories_of(ruleset: AnyRuleset) -> Iterator[tuple[str, list[Row]]]:
    """Named games of a ruleset: a whole one, and short ones that show what is new.

    One for each option that brings events not seen before, and one that the version before would decide otherwise.
    """
    seen: set[str] = set()
    for name, options in (("default", ruleset.options()), *variations(ruleset.options)):
        host = Host(ruleset, name, options)
        host.play(DECISIONS_OF_A_SHORT_GAME if seen else DECISIONS_MAX)
        told = {json.loads(row.public)["name"] for row in host.rows}
        if told - seen:
            yield name, host.rows
        seen |= told
    if (ruleset.name, ruleset.version - 1) in CATALOGUE:
        name = f"unlike_rules_{ruleset.version - 1}"
        tried = (_short_game(ruleset, f"{name}/{attempt}") for attempt in range(ATTEMPTS_MAX))
        codec = codec_of(ruleset.name, ruleset.version)
        yield name, next(rows for rows in tried if would_decide_otherwise(ruleset.version - 1, codec, rows))


def _short_game(ruleset: AnyRuleset, name: str) -> list[Row]:
    host = Host(ruleset, name, ruleset.options())
    host.play(DECISIONS_OF_A_SHORT_GAME)
    return host.rows


def would_decide_otherwise(rules: int, codec: Codec, rows: Sequence[Row]) -> bool:
    """Whether a version of the rules would not have led to this stream of another version, which is over."""
    secret = bytes.fromhex(json.loads(rows[-1].public)["data"]["secret"])
    return any(_decided_by(rules, codec, one, secret) != one.events for one in decided(codec, rows))


def _decided_by(rules: int, codec: Codec, one: Decided, secret: bytes) -> tuple[Any, ...] | None:
    try:
        return decided_anew(codec, one.before, one.stored, secret, rules).events
    except Refused:
        return None


class Host:
    """One game, decided and written as the service does it, with everything in it drawn from its name."""

    def __init__(self, ruleset: AnyRuleset, name: str, options: Any) -> None:
        seats = ruleset.seats[0] if name == "default" else ruleset.seats[-1]
        self._seed = sha256(f"{ruleset.name}/{ruleset.version}/{name}".encode()).digest()
        self._chance = draws_from(self._seed)("play")
        self._codec = codec_of(ruleset.name, ruleset.version)
        self._now = BEGUN
        self._submissions = 0
        self._people = [self._id(f"person-{seat}") for seat in range(seats)]
        opening = OpenGame(ruleset.name, seats, options, TURN_SECONDS, start=False)
        self._stream, self.rows = _opened(self._codec, opening, self._seed, self._people[0], self._now)

    def play(self, decisions_max: int) -> None:
        """Fill the seats, with somebody leaving and somebody adding chance; play; let everybody resign in the end."""
        for seat in range(1, len(self._people)):
            self._submit(seat, TakeSeat(entropy=self._entropy()))
        self._submit(1, AddEntropy(self._entropy()))
        self._submit(1, LeaveSeat())
        self._submit(1, TakeSeat())
        self._submit(0, StartGame())
        for _ in range(decisions_max):
            if self._stream.game.status is not Status.RUNNING:
                return
            self._decide()
        for seat in self._stream.game.playing[1:]:
            self._submit(seat, Resign())

    def _decide(self) -> None:
        """One of those awaited acts, or changes its mind, or in one of thirty cases lets time run out."""
        game = self._stream.game
        if not self._chance.below(30):
            assert game.deadline is not None, "the game has deadlines"
            self._now = max(self._now, game.deadline)
            self._fire()
            return
        able = [seat for seat in range(game.seats) if games.legal(game, seat)]
        seats = game.awaiting if self._chance.below(8) else able
        seat = seats[self._chance.below(len(seats))]
        turns = games.legal(game, seat)
        self._submit(seat, turns[self._chance.below(len(turns))])

    def _submit(self, seat: int, command: Any) -> None:
        self._now += timedelta(minutes=17, microseconds=1)
        self._submissions += 1
        key = f"submission-{self._submissions}"
        pending = Pending(
            game_id=self._stream.game_id,
            sender_id=self._people[seat],
            key=key,
            submission_id=self._id(key),
            content=content_of(self._codec.command_json(command), None),
            received_at=self._now - timedelta(milliseconds=3),
        )
        change = Change(self._stream, self._stream)
        settle(change, pending, self._now)
        assert change.settled[0].status == "APPLIED", change.settled
        self._keep(change)

    def _fire(self) -> None:
        wanted = wanted_timers(self._stream.game, self._stream.created_at)
        (((kind, seat), (due, version)),) = wanted.items()
        assert due is not None, "no bots sit in a history"
        change = Change(self._stream, self._stream)
        assert fire(change, Timer(self._stream.game_id, kind, seat, due, version), self._now)
        self._keep(change)

    def _keep(self, change: Change) -> None:
        self._stream = change.after
        self.rows.extend(change.rows)

    def _id(self, name: str) -> UUID:
        return uuid8(sha256(self._seed + name.encode()).digest())

    def _entropy(self) -> str:
        return bytes(self._chance.below(256) for _ in range(16)).hex()


def _opened(codec: Codec, opening: OpenGame, seed: bytes, host: UUID, now: datetime) -> tuple[Stream, list[Row]]:
    game_id, secret = game_id_of(seed[:16], "history"), sha256(b"secret" + seed).digest()
    decision = games.open_game(opening, secret, secret_hash(game_id, secret).hex(), now)
    facts = [codec.fact(event) for event in decision.events]
    cause = BySubmission(uuid8(seed), None, now, codec.command_json(opening))
    rows = list(written(game_id, secret, None, facts, now, decision.actor, cause))
    players = (host, *[None] * (opening.seats - 1))
    head = Head(rows[-1].version, rows[-1].hash, now)
    return Stream(game_id, secret, host, now, head, decision.game, players), rows


def write_missing() -> None:
    """Write the histories of all newest rules that have none."""
    for ruleset in NEWEST.values():
        folder = TITLES / ruleset.name / "histories"
        if not list(folder.glob(f"rules-{ruleset.version}-*.jsonl")):
            folder.mkdir(exist_ok=True)
            for name, rows in histories_of(ruleset):
                (folder / f"rules-{ruleset.version}-{name}.jsonl").write_text(history_of(rows))


if __name__ == "__main__":
    write_missing()

"""Random games of every title, decided and written as the service does it, and the bundles of them.

Everything in a game follows from its title and a number, so that one that fails can be played again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Any, Final
from uuid import UUID

from domain import game as games
from domain.bundle import Closing, Header, closing_line, event_line, header_line, signed_message
from domain.catalogue import CATALOGUE, AnyRuleset
from domain.chance import draws_from
from domain.game import AddEntropy, Decision, ForkGame, LeaveSeat, OpenGame, Resign, Sitter, StartGame, Status, TakeSeat
from domain.ruleset import Refused, Setup
from domain.stream import ByOperator, BySubmission, Head, Row, chained, game_id_of, secret_hash, uuid8, written
from service.codec import codec_of
from service.deciding import Change, Pending, Timer, append, content_of, fire, settle, wanted_timers
from service.redeciding import decided
from service.signing import SigningKey
from service.streams import Stream, bot_id
from tests.rulesets.play import variations

BEGUN: Final = datetime(2026, 11, 29, 20, tzinfo=UTC)
DECISIONS_MAX: Final = 60
"""The most decisions of play before everybody goes home, in most games."""

DECISIONS_OF_A_LONG_GAME: Final = 600

SIGNER: Final = SigningKey(sha256(b"the key of the tests").digest())


@dataclass(frozen=True, slots=True)
class Written:
    """A game as it is stored."""

    ruleset: AnyRuleset
    secret: bytes
    rows: tuple[Row, ...]
    ended: bool

    @property
    def game_id(self) -> UUID:
        """The game's id."""
        return UUID(self.rows[0].public.split('"game":"')[1][:36])

    @property
    def pauses(self) -> tuple[int, ...]:
        """The versions at which it was going on and somebody could look at it: each the last of its decision."""
        return tuple(row.version - 1 for row in self.rows[1:] if '"cause":{"first":' not in row.public)

    def bundle(self, signer: SigningKey = SIGNER) -> bytes:
        """Its bundle: whole if it has ended, else its public form."""
        return bundle_of(self.ruleset, self.rows, signer, is_open=self.ended)

    def up_to(self, version: int) -> "Written":
        """The game while it went on."""
        return replace(self, rows=self.rows[:version], ended=False)


def bundle_of(ruleset: AnyRuleset, rows: Sequence[Row], signer: SigningKey = SIGNER, *, is_open: bool = True) -> bytes:
    """The bundle of stored rows, whatever stands in them."""
    game_id, head = UUID(rows[0].public.split('"game":"')[1][:36]), rows[-1]
    header = Header(game_id, ruleset.name, ruleset.version, head.version, head.hash.hex(), (signer.public,))
    return closed([header_line(header), *(event_line(row, is_open=is_open) for row in rows)], signer)


def closed(lines: Sequence[bytes], signer: SigningKey = SIGNER) -> bytes:
    """These lines with a last one that is right for them."""
    before = b"".join(lines)
    digest = sha256(before).hexdigest()
    return before + closing_line(Closing(signer.public, digest, signer.sign(signed_message(digest)).hex()))


def rebuilt(rows: Sequence[Row], changed: Mapping[int, Row]) -> list[Row]:
    """These rows with others in the place of some versions, and a chain that is right again from there on."""
    chain: list[Row] = []
    for row in (changed.get(row.version, row) for row in rows):
        prev_hash = chain[-1].hash if chain else row.prev_hash
        chain.append(row._replace(prev_hash=prev_hash, hash=chained(prev_hash, row.public)))
    return chain


def random_game(ruleset: AnyRuleset, number: int) -> Written:
    """One game, with an end: by its rules, by everybody's leaving, by the clock, or by an operator."""
    table = _Table(ruleset, f"{number}")
    table.play()
    return table.written()


def random_practice(ruleset: AnyRuleset, number: int) -> Written:
    """One practice game under these rules, forked from a game of the title: under any rules, or itself a practice."""
    table = _Table(ruleset, f"practice/{number}")
    table.practise(_source(ruleset, number))
    return table.written()


def _source(ruleset: AnyRuleset, number: int) -> Written:
    """A game that was played and is over."""
    if number % 3 == 2:
        return random_practice(ruleset, number - 1)
    versions = [other for (name, _), other in CATALOGUE.items() if name == ruleset.name]
    tried = (random_game(versions[number % len(versions)], other) for other in count(number))
    return next(game for game in tried if game.ended and any('"game.started"' in row.public for row in game.rows))


class _Table:
    """A game in the making, and the chance of what is done in it."""

    rows: list[Row]
    stream: Stream

    def __init__(self, ruleset: AnyRuleset, name: str) -> None:
        self._ruleset = ruleset
        self._seed = sha256(f"{ruleset.name}/{ruleset.version}/{name}".encode()).digest()
        self._chance = draws_from(self._seed)("play")
        self._codec = codec_of(ruleset.name, ruleset.version)
        self._now = BEGUN
        self._submissions = 0

    def written(self) -> Written:
        """The game as it is stored."""
        return Written(
            self._ruleset, self.stream.secret, tuple(self.rows), ended=self.stream.game.status is Status.ENDED
        )

    def play(self) -> None:
        """Open, fill, play and end."""
        self._open()
        if self._one_in(20):
            self._expire()
            return
        self._fill()
        if self.stream.game.status is Status.OPEN and not self.stream.game.free:
            self._submit(self._people[0], StartGame())
        self._go_on()

    def practise(self, source: Written) -> None:
        """Leave a game somewhere in its course and go on from there, with the host on all seats."""
        self._fork(source)
        self._go_on()

    def _go_on(self) -> None:
        if self._one_in(30):
            return  # for ever
        for _ in range(1 + self._chance.below(DECISIONS_OF_A_LONG_GAME if self._one_in(8) else DECISIONS_MAX)):
            if self.stream.game.status is not Status.RUNNING:
                break
            self._decide()
        self._end()

    def _opening(self, ruleset: AnyRuleset) -> OpenGame:
        seats = self._any(ruleset.seats)
        options = self._any([one for one in _options(ruleset) if _makes_sense(ruleset, Setup(seats, one))])
        bots = self._chance.below(seats) if ruleset.advise is not None and self._one_in(3) else 0
        deadline = None if self._one_in(4) else 3600
        self._people = [self._id(f"person-{person}") for person in range(seats - bots + 1)]
        return OpenGame(
            ruleset.name, seats, options, deadline, sit=not self._one_in(5), bots=bots, start=not self._one_in(3)
        )

    def _open(self) -> None:
        command = self._opening(self._ruleset)
        secret, digest = self._secret()
        self._begin(command, games.open_game(command, secret, digest, self._now, self._ruleset.version))

    def _fork(self, source: Written) -> None:
        decisions = list(decided(codec_of(source.ruleset.name, source.ruleset.version), source.rows))
        left = self._any([one.after for one in decisions if one.after.status is Status.RUNNING])
        command = ForkGame(str(source.game_id), left.version, self._ruleset.version)
        past = games.past_of(event for one in decisions if one.after.version <= left.version for event in one.events)
        self._people = [self._id("host")]
        hash_ = source.rows[left.version - 1].hash.hex()
        self._begin(command, games.fork_game(command, left, hash_, past, *self._secret(), self._now))

    def _begin(self, command: OpenGame | ForkGame, decision: Decision) -> None:
        secret, _ = self._secret()
        facts = [self._codec.fact(event) for event in decision.events]
        cause = BySubmission(self._id("opening"), None, self._now, self._codec.command_json(command))
        self.rows = list(written(self._game_id, secret, None, facts, self._now, decision.actor, cause))
        players = tuple(self._people[0] if sitter is Sitter.PERSON else None for sitter in decision.game.sitters)
        head = Head(self.rows[-1].version, self.rows[-1].hash, self._now)
        self.stream = Stream(self._game_id, secret, self._people[0], self._now, head, decision.game, players)

    def _secret(self) -> tuple[bytes, str]:
        """The secret of the game, and what it says of that."""
        secret = sha256(b"secret" + self._seed).digest()
        return secret, secret_hash(self._game_id, secret).hex()

    @property
    def _game_id(self) -> UUID:
        return game_id_of(self._seed[:16], "random")

    def _fill(self) -> None:
        """Everybody sits down, one of them twice, somebody adds chance."""
        for person in self._people:
            if not self._has_room:
                return
            if self.stream.seat_of(person) is not None:
                continue
            if self._one_in(25):
                return  # the game does not fill
            self._submit(person, TakeSeat(entropy=self._entropy() if self._one_in(2) else None))
            if self._has_begun:
                return
            if self._one_in(3):
                self._submit(person, AddEntropy(self._entropy()))
            if self._one_in(6) and len([one for one in self.stream.players if one]) > 1:
                self._submit(person, LeaveSeat())
                self._submit(person, TakeSeat(entropy=self._entropy()))

    def _decide(self) -> None:
        """One of those awaited acts, or changes its mind, or time runs out, or somebody has had enough."""
        game = self.stream.game
        if self._one_in(12) and self._lapse():
            return
        if self._one_in(40):
            self._operate("release")
            return
        able = [seat for seat in range(game.seats) if games.legal(game, seat)]
        seat = self._any(game.awaiting if self._chance.below(8) else able)
        turns = games.legal(game, seat)
        if game.fork is not None:
            self._submit(self._people[0], self._any(turns), as_seat=seat)
            return
        sender = self.stream.players[seat] or bot_id(self.stream.game_id, seat)
        leaves = self._one_in(80) and self.stream.players[seat] is not None
        self._submit(sender, Resign() if leaves else self._any(turns))

    def _lapse(self) -> bool:
        """Let a timer run out, one of a house bot's or the deadline; False if there is none."""
        wanted = wanted_timers(self.stream.game, self.stream.created_at)
        if not wanted:
            return False
        (kind, seat), (due, version) = self._any(sorted(wanted.items()))
        when = due or self.stream.head.at
        self._now = max(self._now, when) + timedelta(seconds=1)
        change = Change(self.stream, self.stream)
        assert fire(change, Timer(self.stream.game_id, kind, seat, when, version), self._now)
        self._keep(change)
        return True

    def _end(self) -> None:
        """Whatever has not ended ends now: an operator ends it, or all people leave."""
        if self.stream.game.status is Status.ENDED:
            return
        if self._one_in(5):
            self._operate("end")
            return
        if self.stream.game.fork is not None:
            self._submit(self._people[0], Resign())
        for seat, person in enumerate(self.stream.players):
            if person is not None and self.stream.game.status is Status.RUNNING and seat in self.stream.game.playing:
                self._submit(person, Resign())
        for person in self.stream.players:
            if person is not None and self.stream.game.status is Status.OPEN:
                self._submit(person, LeaveSeat())

    def _expire(self) -> None:
        if self.stream.game.status is Status.OPEN:
            assert self._lapse()
        else:
            self._operate("end")

    def _operate(self, said: str) -> None:
        game, secret = self.stream.game, self.stream.secret
        if said == "release":
            decision = games.release(game, self._now, secret)
        else:
            events = games.end(game, secret)
            decision = games.Decision(events, games.fold([(None, events)], game), games.HOST, None)
        change = Change(self.stream, self.stream)
        append(change, decision, max(self._now, self.stream.head.at), ByOperator(said))
        self._keep(change)

    def _submit(self, sender: UUID, command: Any, **beside: Any) -> None:
        self._now += timedelta(minutes=1, microseconds=7)
        self._submissions += 1
        key = f"submission-{self._submissions}"
        content = content_of(self._codec.command_json(command), None, **beside)
        pending = Pending(self.stream.game_id, sender, key, self._id(key), content, self._now)
        change = Change(self.stream, self.stream)
        settle(change, pending, self._now)
        assert change.settled[0].status == "APPLIED", (command, change.settled)
        self._keep(change)

    def _keep(self, change: Change) -> None:
        self.stream = change.after
        self.rows.extend(change.rows)

    @property
    def _has_begun(self) -> bool:
        return self.stream.game.status is not Status.OPEN

    @property
    def _has_room(self) -> bool:
        return not self._has_begun and bool(self.stream.game.free)

    def _one_in(self, chances: int) -> bool:
        return not self._chance.below(chances)

    def _any(self, things: Sequence[Any]) -> Any:
        return things[self._chance.below(len(things))]

    def _id(self, name: str) -> UUID:
        return uuid8(sha256(self._seed + name.encode()).digest())

    def _entropy(self) -> str:
        return bytes(self._chance.below(256) for _ in range(16 + self._chance.below(9))).hex()


def _options(ruleset: AnyRuleset) -> Iterator[Any]:
    yield ruleset.options()
    yield from (options for _, options in variations(ruleset.options))


def _makes_sense(ruleset: AnyRuleset, setup: Setup) -> bool:
    try:
        ruleset.start(setup, draws_from(bytes(32)))
    except Refused:
        return False
    return True

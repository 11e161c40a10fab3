"""Folding streams again from the store, and comparing what the service says of a game with what its events say."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple
from uuid import UUID

from psycopg import AsyncConnection
from psycopg.rows import class_row
from pydantic_core import from_json

from domain.auditing import audit, opened_secret
from domain.bundle import Damaged, Header, read_stored
from domain.game import Game, Sitter, Status
from domain.stream import COMMAND, Row, chain_start, chained, commitment, salt_of, secret_hash, time_of, time_text
from service import store
from service.codec import codec_of
from service.deciding import Timer, wanted_timers
from service.redeciding import judge
from service.streams import GameRow, folded, game_rows, tails_of

GAMES_MAX: Final = 100
"""How many games are read at a time."""

VERSION_MAX: Final = 2**31 - 1
"""No version lies beyond this one."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """One game folded again: how many events it has, the game after them, and what is wrong with it."""

    game_id: UUID
    events: int
    game: Game | None
    faults: tuple[str, ...]


async def replay(connection: AsyncConnection[Any], game_id: UUID, *, verify: bool = False) -> Replayed | None:
    """Fold one game again, and `verify` its rows as a bundle is; None if there is none."""
    replayed = await _replayed(connection, [game_id], verify=verify)
    return replayed[0] if replayed else None


async def replay_all(connection: AsyncConnection[Any], *, verify: bool = False) -> AsyncIterator[Replayed]:
    """Fold every game again, and `verify` its rows as a bundle is, in order of ids."""
    after = UUID(int=0)
    while True:
        found = await store.rows(connection, "all_games", {"after": after, "most": GAMES_MAX})
        if not found:
            return
        games = [game_id for (game_id,) in found]
        for replayed in await _replayed(connection, games, verify=verify):
            yield replayed
        after = games[-1]


@dataclass(frozen=True, slots=True)
class _Beside:
    """What stands in the store about a game beside its row, all as of one moment."""

    tail: list[Row]
    beyond: list[Row]
    timers: list[Timer]
    answered: dict[str, "_Answer"]


class _Answer(NamedTuple):
    """What a submission came to: when it was received, the span of its decision, and the hash of the last event."""

    received_at: str
    first_version: int
    version: int
    hash: bytes


async def _replayed(connection: AsyncConnection[Any], games: list[UUID], *, verify: bool) -> list[Replayed]:
    async with connection.transaction():
        # One moment for all that is compared: games go on meanwhile.
        await connection.execute("set transaction isolation level repeatable read, read only")
        rows = sorted(await game_rows(connection, games), key=lambda row: row.game_id)
        tails = await tails_of(connection, {row.game_id: (0, VERSION_MAX) for row in rows})
        timers: dict[UUID, list[Timer]] = {}
        for timer in await store.rows(connection, "timers_of", {"games": games}, class_row(Timer)):
            timers.setdefault(timer.game_id, []).append(timer)
        answered: dict[UUID, dict[str, _Answer]] = {}
        async with connection.cursor(binary=True) as cursor:  # these may be many
            await cursor.execute(store.sql("applied"), {"games": games}, prepare=True)
            for game_id, submission_id, received_at, *span in await cursor.fetchall():
                answered.setdefault(game_id, {})[str(submission_id)] = _Answer(time_text(received_at), *span)
    judged = []
    for row in rows:
        stored = tails.get(row.game_id, [])
        tail = [event for event in stored if event.version <= row.version]
        timed, told = timers.get(row.game_id, []), answered.get(row.game_id, {})
        judged.append(_judged(row, _Beside(tail, stored[len(tail) :], timed, told), verify=verify))
    return judged


def _judged(row: GameRow, beside: _Beside, *, verify: bool) -> Replayed:
    tail, found = beside.tail, _damage(row, beside.tail) if verify else []
    found += [f"version {event.version}: lies beyond the head of its game" for event in beside.beyond]
    try:
        publics = [from_json(stored.public) for stored in tail]
        found += _chain_faults(row, tail, publics)
        found += _seal_faults(row, tail, publics)
        found += _answer_faults(row, beside.answered, tail, publics)
        game = folded(row.ruleset, row.rules, tail)
    except Exception as error:  # noqa: BLE001 - to find this is what a replay is for
        return Replayed(row.game_id, len(tail), None, (*found, f"does not fold: {type(error).__name__}"))
    found += _summary_faults(row, game, tail[-1], publics[-1])
    found += _timer_faults(row, game, beside.timers)
    return Replayed(row.game_id, len(tail), game, tuple(found))


def _damage(row: GameRow, tail: list[Row]) -> list[str]:
    """The first thing that is wrong with the rows of a game, read as its bundle would be, but opened in any case."""
    header = Header(row.game_id, row.ruleset, row.rules, row.version, row.head_hash.hex(), ())
    secret = _secret(row)
    try:
        events = read_stored(header, tail)
        audit(events, secret)
    except Damaged as damaged:
        return [damaged.told]
    if secret is None:
        return []
    try:
        judge(events, codec_of(row.ruleset, row.rules), secret)
    except Damaged as damaged:
        # What the rules make of a game that goes on is known to nobody: neither what is sealed nor what follows.
        return [damaged.told if opened_secret(events) else damaged.told_without_values]
    return []


def _secret(row: GameRow) -> bytes | None:
    """The secret of a game; None where it is not known here, while the game goes on elsewhere."""
    return None if row.imported and row.status != Status.ENDED else row.secret


def _chain_faults(row: GameRow, tail: list[Row], publics: list[Any]) -> list[str]:
    faults = [
        f"version {stored.version}: its hash is not that of its text"
        for stored, public in zip(tail, publics, strict=True)
        if stored.hash != chained(stored.prev_hash, stored.public) or public["version"] != stored.version
    ]
    if tail and tail[0].prev_hash != chain_start(row.game_id):
        faults.append("version 1: does not begin the chain of its game")
    for before, after in pairwise(tail):
        if after.version != before.version + 1 or after.prev_hash != before.hash:
            faults.append(f"version {after.version}: does not follow version {before.version}")
    return faults


def _seal_faults(row: GameRow, tail: list[Row], publics: list[Any]) -> list[str]:
    secret = _secret(row)
    return [
        f"version {stored.version}: what is kept of its sealed fields is not what it commits to"
        for stored, public in zip(tail, publics, strict=True)
        if not _keeps_its_seals(stored, public, secret)
    ]


def _keeps_its_seals(stored: Row, public: Any, secret: bytes | None) -> bool:
    if secret is None:
        return stored.secret is None
    committed = {field: seal["c"] for field, seal in public["sealed"].items()}
    if "command" in public["cause"]:
        committed[COMMAND] = public["cause"]["command"]
    kept = {} if stored.secret is None else from_json(stored.secret)
    return committed == {
        field: commitment(salt_of(secret, stored.version, field), value) for field, value in kept.items()
    }


def _answer_faults(row: GameRow, answered: dict[str, _Answer], tail: list[Row], publics: list[Any]) -> list[str]:
    """Every decision that a submission led to has its answer, and no other submission says that it was applied."""
    decided: dict[str, _Answer] = {}
    first, begun = 0, dict[str, Any]()
    for stored, public in zip(tail, publics, strict=True):
        cause = public["cause"]
        if "first" not in cause:
            first, begun = stored.version, cause
        if "submission" in begun:
            answer = _Answer(begun["received_at"], first, stored.version, stored.hash)
            decided[begun["submission"]] = answer
    if row.imported:  # nobody handed anything in here
        decided = {}
    return [
        f"submission {submission}: what it was answered is not what the stream says of it"
        for submission in sorted(answered.keys() | decided.keys())
        if answered.get(submission) != decided.get(submission)
    ]


def _summary_faults(row: GameRow, game: Game, last: Row, public: Any) -> list[str]:
    sitters = tuple(None if player is None else Sitter.PERSON for player in row.players)
    people = tuple(sitter if sitter is Sitter.PERSON else None for sitter in game.sitters)
    secret = _secret(row)
    said_and_folded = {
        "ruleset": (row.ruleset, game.ruleset_name),
        "rules": (row.rules, game.rules),
        "seats": (row.seats, game.seats),
        "secret": (game.secret_hash if secret is None else secret_hash(row.game_id, secret).hex(), game.secret_hash),
        "version": (row.version, game.version),
        "head_hash": (row.head_hash, last.hash),
        "head_at": (row.head_at, time_of(public["at"])),
        "status": (row.status, game.status),
        "awaiting": (tuple(row.awaiting), game.awaiting),
        "deadline": (row.deadline, game.deadline),
        "players": (sitters, people if not row.imported else (None,) * row.seats),
    }
    return [
        f"{name}: the read model differs from the fold"
        for name, (said, fold) in said_and_folded.items()
        if said != fold
    ]


def _timer_faults(row: GameRow, game: Game, timers: list[Timer]) -> list[str]:
    wanted = wanted_timers(game, row.created_at)
    standing = {(timer.kind, timer.seat): timer.identity for timer in timers}
    # What was played elsewhere has no clock here.
    return [] if standing == ({} if row.imported else wanted) else ["timers: what is set differs from the fold"]

"""Folding streams again from the store, and comparing what the service says of a game with what its events say."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from psycopg import AsyncConnection
from psycopg.rows import class_row

from domain.auditing import audit
from domain.bundle import Damaged, Header, read_stored
from domain.game import Game, Sitter, Status
from domain.stream import Row, chain_start, chained
from service import store
from service.codec import codec_of
from service.deciding import Timer, wanted_timers
from service.judging import judge
from service.streams import GameRow, folded, game_rows, tails_of

GAMES_MAX: Final = 100
"""How many games are read at a time."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """One game folded again: how many events it has, the game after them, and what is wrong with it."""

    game_id: UUID
    events: int
    game: Game | None
    faults: tuple[str, ...]


async def replay(connection: AsyncConnection[Any], game_id: UUID, *, verify: bool = False) -> Replayed | None:
    """Fold one game again, and `verify` its rows as a bundle is; None if there is none."""
    rows = await game_rows(connection, [game_id])
    return (await _replayed(connection, rows, verify=verify))[0] if rows else None


async def replay_all(connection: AsyncConnection[Any], *, verify: bool = False) -> AsyncIterator[Replayed]:
    """Fold every game again, and `verify` its rows as a bundle is, in order of ids."""
    after = UUID(int=0)
    while True:
        found = await store.rows(connection, "all_games", {"after": after, "most": GAMES_MAX})
        if not found:
            return
        games = [game_id for (game_id,) in found]
        rows = sorted(await game_rows(connection, games), key=lambda row: row.game_id)
        for replayed in await _replayed(connection, rows, verify=verify):
            yield replayed
        after = games[-1]


async def _replayed(connection: AsyncConnection[Any], rows: list[GameRow], *, verify: bool) -> list[Replayed]:
    tails = await tails_of(connection, {row.game_id: (0, row.version) for row in rows})
    params = {"games": [row.game_id for row in rows]}
    timers: dict[UUID, list[Timer]] = {}
    for timer in await store.rows(connection, "timers_of", params, class_row(Timer)):
        timers.setdefault(timer.game_id, []).append(timer)
    return [_judged(row, tails.get(row.game_id, []), timers.get(row.game_id, []), verify=verify) for row in rows]


def _judged(row: GameRow, tail: list[Row], timers: list[Timer], *, verify: bool) -> Replayed:
    found = _damage(row, tail) if verify else []
    try:
        game = folded(row.ruleset, row.rules, tail)
    except Exception as error:  # noqa: BLE001 - to find this is what a replay is for
        return Replayed(row.game_id, len(tail), None, (*found, f"does not fold: {type(error).__name__}"))
    faults = (*found, *_chain_faults(row, tail), *_summary_faults(row, game), *_timer_faults(row, game, timers))
    return Replayed(row.game_id, len(tail), game, faults)


def _damage(row: GameRow, tail: list[Row]) -> list[str]:
    """The first thing that is wrong with the rows of a game, read as its bundle would be, but opened in any case."""
    header = Header(row.game_id, row.ruleset, row.rules, row.version, row.head_hash.hex(), ())
    secret = None if row.imported and row.status != Status.ENDED else row.secret
    try:
        events = read_stored(header, tail)
        audit(events, secret)
        if secret is not None:
            judge(events, codec_of(row.ruleset, row.rules), secret)
    except Damaged as damaged:
        return [damaged.told]
    return []


def _chain_faults(row: GameRow, tail: list[Row]) -> list[str]:
    faults = [f"version {stored.version}: its hash is not that of its text" for stored in tail if not _hashed(stored)]
    if tail and tail[0].prev_hash != chain_start(row.game_id):
        faults.append("version 1: does not begin the chain of its game")
    for before, after in pairwise(tail):
        if after.version != before.version + 1 or after.prev_hash != before.hash:
            faults.append(f"version {after.version}: does not follow version {before.version}")
    return faults


def _hashed(stored: Row) -> bool:
    public = json.loads(stored.public)
    return stored.hash == chained(stored.prev_hash, stored.public) and public["version"] == stored.version


def _summary_faults(row: GameRow, game: Game) -> list[str]:
    sitters = tuple(None if player is None else Sitter.PERSON for player in row.players)
    people = tuple(sitter if sitter is Sitter.PERSON else None for sitter in game.sitters)
    said_and_folded = {
        "version": (row.version, game.version),
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

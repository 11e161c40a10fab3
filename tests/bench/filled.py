"""Databases filled with copies of one running game: whole streams, which verify, fold and can be played on."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import psycopg
import uvloop

from domain.stream import chain_start, chained
from schema import ids
from tests.bench.figures import say
from tests.bench.ground import Ground
from tests.bench.load import CHOICES, Line, Table

SEATS: Final = 4
PHASES: Final = 3
TURN_HOURS: Final = 72.0

FEW: Final = 50
MANY: Final = 10_000

COPY_EVENTS: Final = "copy events (game_id, version, public, secret, prev_hash, hash) from stdin (format binary)"
FILL: Final[Any] = Path(__file__).with_name("fill.sql").read_text("utf-8")
TYPES: Final = ("uuid", "int4", "text", "text", "bytea", "bytea")


@dataclass(frozen=True, slots=True)
class Filled:
    """A database with running games in it that are all alike, and the tokens of those who sit in all of them."""

    database_url: str
    game_ids: tuple[str, ...]
    tokens: tuple[str, ...]
    events: int

    def table(self, line: Line, nth: int) -> Table:
        """One of the games, to be played on."""
        return Table(line, self.game_ids[nth], list(self.tokens))


def filled_with(ground: Ground, games: int) -> Filled:
    """A database with so many games of a hundred events."""

    def made() -> Filled:
        say(f"a database of {games:,} games")
        url = ground.database(f"filled_{games}")
        with ground.serving(url) as serving:
            pattern = uvloop.run(_played(serving.port))
        game_id = ids.game_of(pattern.game_id)
        assert game_id is not None
        copies = [uuid4() for _ in range(games)]
        with psycopg.connect(url, autocommit=True) as connection:
            events = _copy(connection, game_id, copies)
        return Filled(url, tuple(map(ids.game_id, copies)), tuple(pattern.tokens), events)

    filled: Filled = ground.once(f"filled with {games}", made)
    return filled


async def _played(port: int) -> Table:
    """A game some phases old, about to open another."""
    table = await Table.opened(await Line.to(port), SEATS, TURN_HOURS)
    left = 3 * SEATS - 1 + PHASES * (CHOICES + SEATS - 1)
    async for _ in table.turns():
        left -= 1
        if not left:
            break
    return table


def _copy(connection: psycopg.Connection[Any], pattern: UUID, copies: list[UUID]) -> int:
    """Copy the game to these ids, each stream chained anew; gives the number of events there are then."""
    rows = connection.execute(
        "select version, public, secret from events where game_id = %s order by version", (pattern,)
    ).fetchall()
    with connection.cursor() as cursor, cursor.copy(COPY_EVENTS) as copying:
        copying.set_types(TYPES)
        for game_id in copies:
            prev_hash = chain_start(game_id)
            for version, text, secret in rows:
                public = text.replace(str(pattern), str(game_id))
                event_hash = chained(prev_hash, public)
                copying.write_row((game_id, version, public, secret, prev_hash, event_hash))
                prev_hash = event_hash
    psycopg.ClientCursor(connection).execute(FILL, {"pattern": pattern})
    connection.execute("vacuum analyze")
    return len(rows) * (len(copies) + 1)

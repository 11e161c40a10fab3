"""A migrated database of one simulation, as its owner sees it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, LiteralString
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import AsyncConnection
from psycopg.rows import TupleRow


@dataclass(frozen=True, slots=True)
class Database:
    """A database by its address."""

    url: str

    # Nobody waits in these two: the lines of the processes run in the same thread, and would stand still.

    def ask(self, query: LiteralString, *params: Any) -> list[TupleRow]:
        """What a query gives."""
        with psycopg.connect(self.url) as connection:
            return connection.execute(query, params).fetchall()

    def now(self) -> datetime:
        """What the one clock says."""
        ((now,),) = self.ask("select slowlight_now()")
        assert isinstance(now, datetime)
        return now

    def put_ahead(self, by: timedelta) -> None:
        """Put the one clock ahead by so much more."""
        with psycopg.connect(self.url) as connection:
            connection.execute("update clock set ahead = ahead + %s", (by,))

    async def alter(self, statement: LiteralString) -> None:
        """Change a table, once everybody lets it."""
        async with await AsyncConnection.connect(self.url) as connection:
            await connection.execute(statement)

    @asynccontextmanager
    async def holding(self, query: LiteralString, *params: Any) -> AsyncIterator[None]:
        """Hold what a query locks, once it is free."""
        async with await AsyncConnection.connect(self.url) as connection:
            await connection.execute(query, params)
            yield


HOLD_GAME: Final = "select from games where game_id = %s for update"


def beside(url: str, name: str) -> str:
    """The address of another database on the same server."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))

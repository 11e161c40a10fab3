"""A migrated database of the tests, seen as its owner sees it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, LiteralString
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

import psycopg
from psycopg import Connection, IsolationLevel
from psycopg.rows import TupleRow


@dataclass(frozen=True, slots=True)
class Database:
    """Where a database is, and the Valkey of its services."""

    url: str
    redis_url: str

    def owner(self) -> Connection[TupleRow]:
        """A connection as the role that owns everything; leaving its context commits."""
        return psycopg.connect(self.url, options="-c timezone=UTC")

    def ask(self, query: LiteralString, *params: Any) -> list[TupleRow]:
        """What a query gives to the owner."""
        with self.owner() as connection:
            return connection.execute(query, params).fetchall()

    def do(self, statement: LiteralString, *params: Any) -> int:
        """Run a statement as the owner; gives the number of rows it touched."""
        with self.owner() as connection:
            return connection.execute(statement, params).rowcount

    def put_ahead(self, by: timedelta) -> None:
        """Put the clock ahead by so much more."""
        self.do("update clock set ahead = ahead + %s", by)

    def now(self) -> datetime:
        """What the clock says."""
        ((now,),) = self.ask("select slowlight_now()")
        assert isinstance(now, datetime)
        return now

    @contextmanager
    def holding(self, game_id: UUID) -> Iterator[None]:
        """Hold a game as another process would that is at work on it."""
        with self.owner() as connection:
            connection.execute("select from games where game_id = %s for update", (game_id,))
            yield

    def events(self, game_id: UUID) -> list[tuple[int, str, str | None]]:
        """The versions, public and secret forms of a stream that has no gap and no broken link, up to its head."""
        with self.owner() as connection:
            connection.isolation_level = IsolationLevel.REPEATABLE_READ
            rows = connection.execute(
                "select version, public, secret, prev_hash, hash from events where game_id = %s order by version",
                (game_id,),
            ).fetchall()
            heads = connection.execute("select version, head_hash from games where game_id = %s", (game_id,)).fetchall()
        link = sha256(b"slowlight/chain/1" + game_id.bytes).digest()
        for place, (version, public, _, prev_hash, own_hash) in enumerate(rows, 1):
            assert version == place
            assert prev_hash == link
            link = sha256(link + public.encode()).digest()
            assert own_hash == link
        assert heads == [(len(rows), link)]
        return [(version, public, secret) for version, public, secret, _, _ in rows]

    def dumped(self) -> str:
        """Every row of every table, as text."""
        with self.owner() as connection:
            tables = connection.execute(
                "select format('%I', relname) from pg_class where relkind in ('r', 'p') and not relispartition"
                " and relnamespace = 'public'::regnamespace"
            ).fetchall()
            return "\n".join(
                str(row)
                for (table,) in tables
                for row in connection.execute(f"select t::text from {table} t").fetchall()
            )


def beside(url: str, name: str) -> str:
    """The address of another database on the same server."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))

"""The store: every statement the service makes, each in a `.sql` file of its name, and the connections they run on."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, LiteralString, TypeVar, overload

from psycopg import AsyncConnection, AsyncCursor
from psycopg.abc import Params
from psycopg.rows import BaseRowFactory, TupleRow, tuple_row
from psycopg_pool import AsyncConnectionPool
from pydantic_core import to_json

R = TypeVar("R")

ROLE = "slowlight_service"
"""The role that owns nothing, as which every connection of the service works."""

_SETTINGS = {
    "role": ROLE,
    "timezone": "UTC",
    "client_encoding": "UTF8",
    "application_name": "slowlight",
    # Every statement goes by index. The planner expects 100 rows of every json_to_recordset, and a tenth of a table of
    # every limit it is not told, and would hash whole tables for them.
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
    "plan_cache_mode": "force_generic_plan",
}
_OPTIONS = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())


@cache
def sql(name: str) -> LiteralString:
    """The text of a statement, by the name of its file."""
    text: Any = files(__name__).joinpath("sql", f"{name}.sql").read_text("utf-8")
    return text  # type: ignore[no-any-return]


async def connect(url: str) -> AsyncConnection[TupleRow]:
    """A connection of the service, in autocommit mode."""
    return await AsyncConnection.connect(url, autocommit=True, options=_OPTIONS, prepare_threshold=0)


def pool(url: str, size: int) -> AsyncConnectionPool:
    """The connections that questions are answered from, not yet opened."""
    return AsyncConnectionPool(
        url,
        min_size=1,
        max_size=size,
        open=False,
        timeout=5.0,
        reconnect_timeout=3.0,  # then whoever asks next has it try again at once, instead of after minutes
        kwargs={"autocommit": True, "options": _OPTIONS},
    )


@overload
async def rows(connection: AsyncConnection[Any], name: str, params: Params | None = None) -> list[TupleRow]: ...
@overload
async def rows(
    connection: AsyncConnection[Any], name: str, params: Params | None, row_factory: BaseRowFactory[R]
) -> list[R]: ...
async def rows(
    connection: AsyncConnection[Any], name: str, params: Params | None = None, row_factory: Any = tuple_row
) -> list[Any]:
    """Run a statement and fetch all it gives."""
    return await fetch(await start(connection, name, params, row_factory))


@overload
async def start(connection: AsyncConnection[Any], name: str, params: Params | None = None) -> AsyncCursor[TupleRow]: ...
@overload
async def start(
    connection: AsyncConnection[Any], name: str, params: Params | None, row_factory: BaseRowFactory[R]
) -> AsyncCursor[R]: ...
async def start(
    connection: AsyncConnection[Any], name: str, params: Params | None = None, row_factory: Any = tuple_row
) -> AsyncCursor[Any]:
    """Run a statement; in a pipeline, send it and go on: `fetch` waits for what it gives."""
    cursor: AsyncCursor[Any] = connection.cursor(row_factory=row_factory)
    await cursor.execute(sql(name), params, prepare=True)
    return cursor


async def fetch(cursor: AsyncCursor[R]) -> list[R]:
    """All rows of a statement that was started."""
    return await cursor.fetchall()


def as_json(records: Sequence[Mapping[str, Any]]) -> str:
    """Many records as one parameter: the cheapest way to send them."""
    return to_json(records).decode()

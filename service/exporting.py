"""Bundles of stored games, as anybody may have them: everything once a game has ended, its public form until then."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from psycopg import AsyncConnection

from domain.bundle import (
    Closing,
    Damaged,
    Header,
    closing_line,
    event_line,
    header_line,
    read_header,
    signed_message,
)
from domain.game import Status
from domain.stream import Row
from service import store
from service.signing import SigningKey
from service.streams import GameRow, game_rows, tails_of

EVENTS_MAX: Final = 500
"""How many events are read at a time."""

IDS_MAX: Final = 10_000
"""How many games are found at a time."""

GAMES_MAX: Final = 100
"""How many games are looked up at a time."""


class NoKey(Exception):
    """There is no key in use to sign a bundle with."""


Ends = tuple[str | None, str | None]
"""The first and the last line of the bundle that a game came from, None for one that was played here."""


async def bundle_lines(
    row: GameRow, ends: Ends, rows: Callable[[int, int], Awaitable[list[Row]]], key: SigningKey
) -> AsyncIterator[bytes]:
    """The lines of a game's bundle up to the head in `row`; `rows(after, upto)` reads its events.

    An imported game keeps the lines it came with; any other is signed by `key`.
    """
    header, closing = ends
    digest = sha256()
    first = header_line(_header(row, key)) if header is None else f"{header}\n".encode()
    digest.update(first)
    yield first
    is_open = row.status == Status.ENDED
    for after in range(0, row.version, EVENTS_MAX):
        stretch = await rows(after, min(after + EVENTS_MAX, row.version))
        lines = b"".join(event_line(stored, is_open=is_open) for stored in stretch)
        digest.update(lines)
        yield lines
    yield _closing(digest.hexdigest(), key) if closing is None else f"{closing}\n".encode()


async def ends_of(connection: AsyncConnection[Any], row: GameRow) -> Ends:
    """The lines that the bundle of a game must keep."""
    if not row.imported:
        return None, None
    ((header, closing),) = await store.rows(connection, "ends_of_bundle", {"game_id": row.game_id})
    return header, closing


async def export(connection: AsyncConnection[Any], game_id: UUID, key: SigningKey) -> AsyncIterator[bytes] | None:
    """The lines of one game's bundle, whoever may see it; None if there is no such game."""
    rows = await game_rows(connection, [game_id])
    return await _lines(connection, rows[0], key) if rows else None


async def games_since(connection: AsyncConnection[Any], since: datetime, *, private: bool) -> list[UUID]:
    """The games in which something has happened since a time, in order of ids; `private` ones too, or not."""
    games: list[UUID] = []
    while True:
        after = games[-1] if games else UUID(int=0)
        asked = {"after": after, "since": since, "private": private, "most": IDS_MAX}
        found = [game_id for (game_id,) in await store.rows(connection, "games_since", asked)]
        if not found:
            return games
        games.extend(found)


async def export_to(
    connection: AsyncConnection[Any], folder: Path, games: Sequence[UUID], key: SigningKey
) -> AsyncIterator[bool]:
    """Write the bundles of games to a folder, one after the other; says of each whether it was written.

    One that is there already with the same head is left, so that what was interrupted goes on where it was. A file is
    put in its place whole.
    """
    for start in range(0, len(games), GAMES_MAX):
        some = games[start : start + GAMES_MAX]
        rows = {row.game_id: row for row in await game_rows(connection, list(some))}
        for row in (rows[game_id] for game_id in some):
            path = folder / row.ruleset / f"{row.game_id}.jsonl"
            wanted = not _is_there(path, row)
            if wanted:
                await put(path, await _lines(connection, row, key))
            yield wanted


async def put(path: Path, lines: AsyncIterator[bytes]) -> None:
    """Write a bundle to a file, which is there only once it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        async for line in lines:
            file.write(line)
    part.replace(path)


async def _lines(connection: AsyncConnection[Any], row: GameRow, key: SigningKey) -> AsyncIterator[bytes]:
    async def rows(after: int, upto: int) -> list[Row]:
        return (await tails_of(connection, {row.game_id: (after, upto)}))[row.game_id]

    return bundle_lines(row, await ends_of(connection, row), rows, key)


def _header(row: GameRow, key: SigningKey) -> Header:
    return Header(row.game_id, row.ruleset, row.rules, row.version, row.head_hash.hex(), (key.public,))


def _closing(digest: str, key: SigningKey) -> bytes:
    return closing_line(Closing(key.public, digest, key.sign(signed_message(digest)).hex()))


def _is_there(path: Path, row: GameRow) -> bool:
    try:
        with path.open("rb") as file:
            header = read_header(file.readline().removesuffix(b"\n"))
    except (FileNotFoundError, Damaged):
        return False
    return (header.game, header.version, header.head) == (row.game_id, row.version, row.head_hash.hex())

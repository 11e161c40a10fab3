"""Games from elsewhere: a bundle that holds becomes a game here, marked, read-only, with nobody on its seats."""

from typing import Any, Final
from uuid import UUID

from psycopg import AsyncConnection

from domain.auditing import opened_secret
from domain.bundle import Bundle, closing_line, header_line
from domain.catalogue import CATALOGUE
from domain.stream import time_of
from service import store
from service.deciding import event_record
from service.seen import Visibility
from service.streams import folded, game_rows
from service.verifying import verify
from service.writer import write

NOBODY: Final = UUID(int=0)
"""The host of a game that was not opened here."""

UNKNOWN_SECRET: Final = bytes(32)
"""What stands for the secret of a game that came while it was going on. No salt is ever given out under it."""


class AnotherHistory(Exception):
    """A game of this id is here already with another head."""


class UnknownRules(Exception):
    """The rules that the game is pinned to are not in this build."""


async def import_game(connection: AsyncConnection[Any], bundle: Bundle, visibility: Visibility) -> bool:
    """Verify a bundle and keep its game; False if the very same game was here already.

    Raises Damaged, UnknownRules and AnotherHistory; then nothing is kept.
    """
    verify(bundle)
    if (bundle.header.ruleset, bundle.header.rules) not in CATALOGUE:
        raise UnknownRules
    nothing: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("heads", "outcomes", "seats", "timers", "stopped")
    }
    async with connection.transaction():
        made = await store.rows(connection, "import_game", _record(bundle, visibility))
        if made:
            events = [event_record(bundle.header.game, event.row) for event in bundle.events]
            await write(connection, {**nothing, "events": events})
    if not made:
        (there,) = await game_rows(connection, [bundle.header.game])
        if there.head_hash != bundle.head.row.hash:
            raise AnotherHistory
    return bool(made)


def _record(bundle: Bundle, visibility: Visibility) -> dict[str, Any]:
    header, head = bundle.header, bundle.head
    game = folded(header.ruleset, header.rules, [event.row for event in bundle.events])
    return {
        "game_id": header.game,
        "ruleset": header.ruleset,
        "rules": header.rules,
        "seats": game.seats,
        "visibility": visibility,
        "host_id": NOBODY,
        "secret": opened_secret(bundle.events) or UNKNOWN_SECRET,
        "created_at": time_of(bundle.events[0].public["at"]),
        "version": head.row.version,
        "head_hash": head.row.hash,
        "head_at": time_of(head.public["at"]),
        "status": game.status,
        "awaiting": list(game.awaiting),
        "deadline": game.deadline,
        "header": header_line(header).decode().rstrip("\n"),
        "closing": closing_line(bundle.closing).decode().rstrip("\n"),
    }

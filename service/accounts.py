"""Accounts: handles, and bearer tokens of which only a hash is kept."""

import re
import secrets
import time
from collections import OrderedDict
from datetime import timedelta
from hashlib import sha256
from typing import Any, Final
from uuid import UUID, uuid4

from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg_pool import AsyncConnectionPool

from service import store
from service.keys import key_fits
from service.seen import Player, Refusal, Registered, Token
from service.texts import refusal_of

HANDLE_LENGTH: Final = (3, 32)
TOKENS_MAX: Final = 20
REGISTER_AGAIN: Final = timedelta(minutes=10)
BEARERS_CACHED_MAX: Final = 4096
BEARER_SECONDS: Final = 5.0
"""How long a process believes a token without asking again: a token revoked elsewhere may live that long."""

_HANDLE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{2,31}")
_NAME = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,64}")


class Accounts:
    """Who there is, and whose token is whose."""

    def __init__(self, pool: AsyncConnectionPool) -> None:
        self._pool = pool
        self._bearers: OrderedDict[bytes, tuple[Player, float]] = OrderedDict()
        self._salts: dict[UUID, bytes] = {}

    async def register(self, handle: str, key: str | None) -> Registered | Refusal:
        """Make an account and its first token.

        The same handle and key within 10 minutes, while no token of the account was used, give a new token for it.
        """
        if not _HANDLE.fullmatch(handle):
            least, most = HANDLE_LENGTH
            return refusal_of("BAD_HANDLE", least=least, most=most)
        if key is not None and not key_fits(key):
            return refusal_of("BAD_KEY")
        wanted = {"player_id": uuid4(), "handle": handle, "salt": secrets.token_bytes(16), "register_key": key}
        async with self._pool.connection() as connection, connection.transaction():
            made = await store.rows(connection, "add_player", wanted)
            if not made and key is not None:
                again = {"handle": handle, "register_key": key, "within": REGISTER_AGAIN}
                made = await store.rows(connection, "unused_registration", again)
            if not made:
                return refusal_of("HANDLE_TAKEN", handle=handle)
            player = Player(*made[0])
            new = await _new_token(connection, player.id, "first")
            assert new is not None, "a new account has room for a token"
            return Registered(player, new[1])

    async def player_of(self, text: str) -> Player | None:
        """Whose bearer token this is, None for a revoked or unknown one."""
        token_hash, now = _hash(text), time.monotonic()
        known = self._bearers.get(token_hash)
        if known is not None and known[1] > now:
            return known[0]
        async with self._pool.connection() as connection:
            found = await store.rows(connection, "bearer", {"token_hash": token_hash})
            if not found:
                self._bearers.pop(token_hash, None)
                return None
            *who, unnoted = found[0]
            if unnoted:
                await store.start(connection, "token_used", {"token_hash": token_hash})
        player = Player(*who)
        self._bearers[token_hash] = player, now + BEARER_SECONDS
        self._bearers.move_to_end(token_hash)
        while len(self._bearers) > BEARERS_CACHED_MAX:
            self._bearers.popitem(last=False)
        return player

    async def player(self, player_id: UUID) -> Player | None:
        """An account by its id."""
        async with self._pool.connection() as connection:
            return (await players_by_id(connection, [player_id])).get(player_id)

    async def by_handle(self, handle: str) -> Player | None:
        """An account by its handle, without regard to case."""
        async with self._pool.connection() as connection:
            found = await store.rows(connection, "player_by_handle", {"handle": handle}, class_row(Player))
        return found[0] if found else None

    async def salt_of(self, player: Player) -> bytes:
        """The player's salt, from which the ids of the games they open are made."""
        if player.id not in self._salts:
            async with self._pool.connection() as connection:
                ((self._salts[player.id],),) = await store.rows(connection, "salt", {"player_id": player.id})
        return self._salts[player.id]

    async def tokens(self, player: Player) -> tuple[Token, ...]:
        """The player's tokens, oldest first."""
        async with self._pool.connection() as connection:
            return tuple(await store.rows(connection, "tokens", {"player_id": player.id}, class_row(Token)))

    async def name_token(self, player: Player, name: str) -> tuple[Token, str] | Refusal:
        """Make another token under a name; its text is shown this once."""
        if not _NAME.fullmatch(name):
            return refusal_of("BAD_NAME")
        async with self._pool.connection() as connection:
            new = await _new_token(connection, player.id, name)
        return new or refusal_of("TOO_MANY_TOKENS", most=TOKENS_MAX)

    async def revoke_token(self, player: Player, token_id: UUID) -> bool:
        """End a token: here at once, elsewhere within `BEARER_SECONDS`. False if the player has no such token."""
        async with self._pool.connection() as connection:
            ended = await store.rows(connection, "revoke_token", {"player_id": player.id, "token_id": token_id})
        for (token_hash,) in ended:
            self._bearers.pop(bytes(token_hash), None)
        return bool(ended)


async def players_by_id(connection: AsyncConnection[Any], player_ids: list[UUID]) -> dict[UUID, Player]:
    """Accounts by their ids; one that is unknown is left out."""
    if not player_ids:
        return {}
    found = await store.rows(connection, "players", {"players": player_ids}, class_row(Player))
    return {player.id: player for player in found}


async def _new_token(connection: AsyncConnection[Any], player_id: UUID, name: str) -> tuple[Token, str] | None:
    text = secrets.token_urlsafe(32)
    wanted = {
        "token_hash": _hash(text),
        "token_id": uuid4(),
        "player_id": player_id,
        "name": name,
        "most": TOKENS_MAX,
    }
    made = await store.rows(connection, "add_token", wanted, class_row(Token))
    return (made[0], text) if made else None


def _hash(text: str) -> bytes:
    return sha256(text.encode(errors="replace")).digest()

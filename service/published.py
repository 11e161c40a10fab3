"""What is published for everybody: the keys we sign with, and the log with its checkpoints and proofs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from psycopg_pool import AsyncConnectionPool

from service import checkpoints
from service.checkpoints import Anchor, Checkpoint
from service.keyring import Keyring, published
from service.seen import GameSeen
from service.signing import PublicKey, Signed


@dataclass(frozen=True, slots=True)
class KeyList:
    """All public keys, newest first, and that list as it is signed; None if there is no key to sign with."""

    keys: Sequence[PublicKey]
    signed: Signed | None

    def json(self) -> dict[str, Any]:
        """The list as it is published: `keys` is for people, `text` and `signature` are for those who check."""
        signed = {} if self.signed is None else {"text": self.signed.text, "signature": self.signed.signature}
        return {"keys": [key.json() for key in self.keys], **signed}


class Public:
    """What anybody may ask for, of the proofs that an installation gives."""

    def __init__(self, pool: AsyncConnectionPool, keyring: Keyring) -> None:
        self._pool = pool
        self._keyring = keyring

    async def keys(self) -> KeyList:
        """The keys. Raises BadKey."""
        async with self._pool.connection() as connection:
            return KeyList(*await published(connection, self._keyring))

    async def checkpoint(self, number: int | None = None) -> Checkpoint | None:
        """A checkpoint by its number, or the newest; None if there is none."""
        async with self._pool.connection() as connection:
            return await checkpoints.checkpoint(connection, number)

    async def anchor(self, seen: GameSeen, number: int | None = None) -> Anchor | None:
        """Where a game, as it was seen, stands in a checkpoint or the newest; None if it does not."""
        async with self._pool.connection() as connection:
            return await checkpoints.anchor(connection, seen.id, seen.version, number)

    async def consistency(self, newer: Checkpoint, older: int | None = None) -> tuple[str, ...] | None:
        """The proof that a log grew from that of an older checkpoint, the last if none is named; None without one."""
        async with self._pool.connection() as connection:
            number = newer.number - 1 if older is None else older
            since = await checkpoints.checkpoint(connection, number) if 0 < number <= newer.number else None
            return None if since is None else tuple(await checkpoints.consistency(connection, since, newer))

    async def leaves(self, made: Checkpoint, start: int) -> tuple[str, ...]:
        """The leaves of the log of a checkpoint from a place on, a thousand at most, in hex."""
        async with self._pool.connection() as connection:
            return tuple(await checkpoints.leaves(connection, made, start))

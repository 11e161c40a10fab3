"""The key that this installation signs with: where its private part is kept, and how its public part is published."""

import os
import secrets
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from tempfile import mkstemp
from typing import Any, Final

import structlog
from psycopg import AsyncConnection

from service import store
from service.signing import PublicKey, Signed, SigningKey, endorsed, key_list

FILE: Final = "signing-key"
"""The name of the private key in the data folder."""

OVERLAP: Final = timedelta(days=1)
"""How long a key that is followed by another may still be used, so that every process has time to change over."""

_UNENDORSED: Final = {"since": None, "by": None, "endorsement": None}

log = structlog.get_logger()


class BadKey(Exception):
    """A private key that cannot be used; the message says why, and never what it is."""


class Keyring:
    """The private key of a process, looked up whenever it is needed: a file may be followed by another under it.

    `private` is one from the environment, in 64 hexadecimal digits; else `file` holds it, if it is there.
    """

    def __init__(self, private: str | None = None, file: Path | None = None) -> None:
        self._given = None if private is None else _key_of(private, "SLOWLIGHT_SIGNING_KEY")
        self.file = None if private is not None else file
        self._read: tuple[tuple[int, int], SigningKey] | None = None

    def key(self) -> SigningKey | None:
        """The key, None if there is none. Raises BadKey."""
        if self.file is None:
            return self._given
        try:
            found = self.file.stat()
        except FileNotFoundError:
            return None
        seen = found.st_ino, found.st_mtime_ns
        if self._read is None or self._read[0] != seen:
            if found.st_mode & 0o077:
                raise BadKey(f"{self.file} may be read by others, and a private key must not: chmod 600 {self.file}")
            self._read = seen, _key_of(self.file.read_text(encoding="ascii", errors="replace").strip(), str(self.file))
        return self._read[1]

    async def current(self, connection: AsyncConnection[Any]) -> SigningKey | None:
        """The key, published by now; None if there is none or its time is over. Raises BadKey."""
        key = self.key()
        if key is None:
            return None
        use = await store.rows(connection, "key_use", {"key": key.public})
        if not use:
            await store.start(connection, "publish_key", {**_UNENDORSED, "key": key.public})
            return key
        if not use[0][0]:
            log.error("signing_key_retired", key=key.public)
            return None
        return key


def make(file: Path) -> None:
    """Make a private key in a file, for its owner's eyes alone, unless there is one."""
    if not file.exists():
        drawn = _written(file, secrets.token_bytes(32))
        with suppress(FileExistsError):  # another process was quicker: its key it is
            os.link(drawn, file)
        drawn.unlink()


async def published(connection: AsyncConnection[Any], keyring: Keyring) -> tuple[list[PublicKey], Signed | None]:
    """All public keys, newest first, and that list signed with the present one. Raises BadKey."""
    key = await keyring.current(connection)
    found = await store.rows(connection, "signing_keys")
    keys = [PublicKey(*row) for *row, _ in found]
    return keys, None if key is None else key_list(key, keys, found[0][-1])


async def rotated(
    connection: AsyncConnection[Any], keyring: Keyring, overlap: timedelta = OVERLAP
) -> tuple[PublicKey, str | None]:
    """Let a new key follow the present one, which signs that it does and goes out of use after the overlap.

    Where the private key is kept in a file, the new one takes its place, and running processes use it from their next
    signature on; else it is given back, to be put into the environment. Raises BadKey.

    The connection is in autocommit mode: nothing may sign with a key before it is published for good with the word of
    the one before, and that goes out of use last. Whatever fails on the way leaves a key that signs, and what it signs
    follows; a key that was published and never used does no harm, and one left in use is ended by `retired`.
    """
    assert connection.autocommit, "a key must be published for good before it is used"
    private = secrets.token_bytes(32)
    old = await keyring.current(connection)
    if old is None:
        raise BadKey("There is no key in use that another could follow. Begin anew: take away the private key.")
    ((now,),) = await store.rows(connection, "now")
    new = endorsed(old, SigningKey(private).public, now)
    word = {"since": new.since, "by": new.by, "endorsement": new.endorsement}
    await store.start(connection, "publish_key", {"key": new.key, **word})
    if keyring.file is not None:
        _written(keyring.file, private).replace(keyring.file)
    await store.rows(connection, "retire_key", {"key": old.public, "after": overlap})
    return new, None if keyring.file is not None else private.hex()


async def retired(connection: AsyncConnection[Any], key: str) -> bool:
    """Use a public key no more, from now on; False if there is no such key."""
    return bool(await store.rows(connection, "retire_key", {"key": key, "after": timedelta()}))


def _key_of(text: str, where: str) -> SigningKey:
    try:
        return SigningKey(bytes.fromhex(text))
    except ValueError:
        raise BadKey(f"{where} does not hold a private key: 64 hexadecimal digits.") from None


def _written(file: Path, private: bytes) -> Path:
    """A file beside the one that is meant, readable for its owner alone, with a private key in it."""
    descriptor, name = mkstemp(prefix=f".{file.name}-", dir=file.parent)  # 0600 from the start
    with os.fdopen(descriptor, "w", encoding="ascii") as opened:
        opened.write(private.hex() + "\n")
        opened.flush()
        os.fsync(opened.fileno())
    return Path(name)

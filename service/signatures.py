"""Signatures over what leaves the service for good: who makes them, and whether one holds."""

import os
from pathlib import Path
from typing import Final, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

FILE: Final = "signing-key"
"""The file in the data folder that holds the private key, in hex."""


class BadKey(Exception):
    """A private key that is not 32 bytes in hex; says where it was given."""


class Signer(Protocol):
    """Somebody who signs, by a key of Ed25519."""

    @property
    def public(self) -> str:
        """The public key, 64 hex digits."""

    def sign(self, message: bytes) -> bytes:
        """The signature, 64 bytes; the same message gets the same one."""


class Ed25519Signer:
    """A signer by a private key of 32 bytes."""

    def __init__(self, private_key: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(private_key)
        self.public = self._private.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> bytes:
        """The signature, 64 bytes."""
        return self._private.sign(message)


def holds(public: str, signature: str, message: bytes) -> bool:
    """Whether a signature, in hex, is that of the key over the message."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def signer_of(private_key: str | None, data: Path) -> Signer:
    """The signer by a private key in hex, else by the one in the data folder, which is made if there is none.

    Raises BadKey.
    """
    if private_key is not None:
        return _signer(private_key, "SLOWLIGHT_SIGNING_KEY")
    path = data / FILE
    if not path.exists():
        _keep(path, os.urandom(32))
    return _signer(path.read_text(), str(path))


def _keep(path: Path, private_key: bytes) -> None:
    """Put a new key in its place whole and for nobody else to read; if another process was first, its key stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f"{FILE}.{os.getpid()}")
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(private_key.hex() + "\n")
        file.flush()
        os.fsync(descriptor)
    try:
        path.hardlink_to(made)
    except FileExistsError:
        pass
    finally:
        made.unlink()


def _signer(text: str, where: str) -> Signer:
    try:
        return Ed25519Signer(bytes.fromhex(text.strip()))
    except ValueError:
        raise BadKey(f"{where} is not a key: it holds 32 bytes, in 64 hex digits") from None

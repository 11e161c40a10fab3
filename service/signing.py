"""What binds us: statements signed with Ed25519, the keys that sign them, and how both are checked (FORMAT.md)."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from domain.canonical import canonical
from domain.forms import is_hash, is_signature, is_whole
from domain.stream import time_of, time_text

STATEMENT_FORMAT: Final = 1
SIGNED: Final = b"slowlight/signed/1"
"""What is signed is this and then the text."""

Keys = Mapping[str, datetime | None]
"""Public keys in hex that are believed, and the time from which one is not any more."""


class Unproven(Exception):
    """What was handed in does not prove what it should; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A statement: the canonical text of an object, the public key in it, and the signature, both in hex."""

    text: str
    key: str
    signature: str


class SigningKey:
    """A private key of Ed25519, made from its 32 bytes (RFC 8032)."""

    __slots__ = ("_private", "public")

    def __init__(self, private: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(private)
        self.public = self._private.public_key().public_bytes_raw().hex()

    def sign(self, message: bytes) -> bytes:
        """The signature over a message, 64 bytes."""
        return self._private.sign(message)

    def signed(self, kind: str, at: datetime, **facts: Any) -> Signed:
        """A statement of this kind, about this time."""
        said = {"v": STATEMENT_FORMAT, "kind": kind, "key": self.public, "at": time_text(at), **facts}
        text = canonical(said)
        return Signed(text, self.public, self.sign(SIGNED + text.encode()).hex())


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key as it is published; `by` is the key before it, which signed that this one follows (`endorsement`)."""

    key: str
    since: datetime
    until: datetime | None = None
    by: str | None = None
    endorsement: str | None = None

    def json(self) -> dict[str, Any]:
        """The key as it stands in the list of keys."""
        return {
            "key": self.key,
            "since": time_text(self.since),
            "until": None if self.until is None else time_text(self.until),
            "by": self.by,
            "endorsement": self.endorsement,
        }


def holds(key: str, signature: str, message: bytes) -> bool:
    """Whether a signature is that of a public key, both in hex, over a message."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True


def endorsed(old: SigningKey, new: str, since: datetime) -> PublicKey:
    """A new public key, with the old one's word that it follows."""
    return PublicKey(new, since, None, old.public, old.signed("key", since, new=new).signature)


def key_list(key: SigningKey, published: list[PublicKey], now: datetime) -> Signed:
    """The list of all keys there ever were, signed with one of them."""
    return key.signed("keys", now, keys=[one.json() for one in published])


def statement(document: object, kind: str, keys: Keys) -> dict[str, Any]:
    """What a signed document says, if one of these keys signed it. Raises Unproven.

    The document is an object with `text` and `signature`; whatever else stands in it is not looked at.
    """
    match document:
        case {"text": str(text), "signature": str(signature)}:
            said = _said(text, kind)
        case _:
            raise Unproven("it is not a signed statement")
    if said["key"] not in keys:
        raise Unproven(f"it is signed with a key that is none of ours: {said['key']}")
    _verify(said["key"], text, signature)
    until = keys[said["key"]]
    if until is not None and time_of(said["at"]) > until:
        raise Unproven(f"it is signed with a key for a time when that was used no more: {said['key']}")
    return said


def keys_in(document: object, pinned: str | None = None) -> dict[str, datetime | None]:
    """The keys of a published list. With `pinned`, a key one already holds, it must follow from that. Raises Unproven.

    It does if that key signed the list, or the key that signed the list follows it, each the word of the one before.
    """
    listed = _listed(document)
    keys = {one.key: one.until for one in listed.values()}
    signer = str(statement(document, "keys", keys)["key"])
    for one in listed.values():
        if one.by is not None:
            said = {"v": STATEMENT_FORMAT, "kind": "key", "key": one.by, "at": time_text(one.since), "new": one.key}
            _verify(one.by, canonical(said), one.endorsement or "")
    line, key = list[str](), listed.get(signer)
    while key is not None and key.key not in line:
        line.append(key.key)
        key = None if key.by is None else listed.get(key.by)
    if pinned is not None and pinned not in line:
        raise Unproven(f"the list of keys does not follow from the key {pinned}")
    return keys


def _said(text: str, kind: str) -> dict[str, Any]:
    try:
        text.encode()  # half of a surrogate pair stands in no text that could have been signed
        said = json.loads(text)
        match said:
            case {"v": version, "kind": str(said_kind), "key": key, "at": str(at)} if is_hash(key):
                time_of(at)
            case _:
                raise Unproven("it is not a signed statement")
    except (ValueError, RecursionError):
        raise Unproven("it is not a signed statement") from None
    if not is_whole(version) or (version, said_kind) != (STATEMENT_FORMAT, kind):
        raise Unproven(f"it is no statement of the kind {kind}")
    return dict(said)


def _listed(document: object) -> dict[str, PublicKey]:
    match document:
        case {"text": str(text)}:
            said = _said(text, "keys")
        case _:
            raise Unproven("it is not a list of keys")
    match said:
        case {"keys": [*entries]}:
            listed = {one.key: one for one in map(_entry, entries)}
        case _:
            raise Unproven("it is not a list of keys")
    if len(listed) != len(entries):
        raise Unproven("it is not a list of keys: one stands in it twice")
    return listed


def _entry(entry: object) -> PublicKey:
    """A key of a list, with both the one before it and the word of that, or with neither."""
    match entry:
        case {"key": str(key), "since": str(since), "until": str() | None as until, "by": by, "endorsement": word}:
            follows = is_hash(by) and is_signature(word)
            if is_hash(key) and (follows or by is word is None):
                with suppress(ValueError):
                    return PublicKey(key, time_of(since), None if until is None else time_of(until), by, word)
    raise Unproven("it is not a list of keys")


def _verify(key: str, text: str, signature: str) -> None:
    if not is_signature(signature) or not holds(key, signature, SIGNED + text.encode()):
        raise Unproven("its signature is not that of its text")

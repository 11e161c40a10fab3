"""Global ids: opaque to clients, typed, and exactly one text for one thing."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from typing import Final
from uuid import UUID

from strawberry import ID

GAME: Final = "game"
PLAYER: Final = "player"
RECEIPT: Final = "receipt"


def game_id(game: UUID) -> ID:
    """The id of a game."""
    return _id(GAME, game.bytes)


def player_id(player: UUID) -> ID:
    """The id of a player."""
    return _id(PLAYER, player.bytes)


def receipt_id(game: UUID, submission: UUID) -> ID:
    """The id of a receipt: which submission, and to which game."""
    return _id(RECEIPT, game.bytes + submission.bytes)


def event_id(game: UUID, version: int) -> ID:
    """The id of an event."""
    return _id("event", game.bytes + version.to_bytes(8))


def token_id(token: UUID) -> ID:
    """The id of a bearer token, which is not the token."""
    return _id("token", token.bytes)


def kind_of(text: str) -> str:
    """What the id says it is the id of: GAME, PLAYER, RECEIPT or anything else."""
    return text.partition("_")[0]


def game_of(text: str) -> UUID | None:
    """The game of a game's id; None for any other text."""
    return _single(GAME, text)


def player_of(text: str) -> UUID | None:
    """The player of a player's id; None for any other text."""
    return _single(PLAYER, text)


def token_of(text: str) -> UUID | None:
    """The token of a token's id; None for any other text."""
    return _single("token", text)


def receipt_of(text: str) -> tuple[UUID, UUID] | None:
    """The game and the submission of a receipt's id; None for any other text."""
    content = _content(RECEIPT, text, 32)
    return None if content is None else (UUID(bytes=content[:16]), UUID(bytes=content[16:]))


_BASE64URL = re.compile(r"[A-Za-z0-9_-]+")


def _id(kind: str, content: bytes) -> ID:
    return ID(f"{kind}_{urlsafe_b64encode(content).rstrip(b'=').decode()}")


def _single(kind: str, text: str) -> UUID | None:
    content = _content(kind, text, 16)
    return None if content is None else UUID(bytes=content)


def _content(kind: str, text: str, size: int) -> bytes | None:
    """What stands in the id, if it is what we would have written: no other text is the id of the same thing."""
    digits = text.removeprefix(f"{kind}_")
    if not _BASE64URL.fullmatch(digits):
        return None
    try:
        content = urlsafe_b64decode(digits + "=" * (-len(digits) % 4))
    except NotBase64:
        return None
    return content if len(content) == size and _id(kind, content) == text else None

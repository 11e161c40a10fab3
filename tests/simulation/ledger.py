"""What the players sent and were told: the one side of the account that the checker settles."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

Scope = tuple[UUID, UUID, str]
"""What a key is unique in: game, player, key."""


@dataclass(frozen=True, slots=True)
class Told:
    """A receipt as it was handed out: by which process, whose, and how it stood."""

    process: str
    scope: Scope
    submission_id: UUID
    status: str
    received_at: str
    version: int | None
    hash: str | None
    refusal: str | None


@dataclass(slots=True)
class Followed:
    """What a follower of a game was given: the hash of each event in order, and where each update ended."""

    game_id: UUID
    hashes: list[str] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    completed: bool = False


@dataclass(slots=True)
class Ledger:
    """All that was sent under each key, every receipt and update that was given, and what should not have been told."""

    sent: dict[Scope, list[dict[str, Any]]] = field(default_factory=dict)
    told: list[Told] = field(default_factory=list)
    followed: list[Followed] = field(default_factory=list)
    operated: list[tuple[UUID, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def send(self, scope: Scope, command: dict[str, Any]) -> None:
        """Note that something is about to be sent: from here on it may have been received."""
        commands = self.sent.setdefault(scope, [])
        if command not in commands:
            commands.append(command)

"""Where a player's games stand, and what it was that changed."""

from dataclasses import dataclass

from domain.game import Status
from service.seen import ChangeReason, GameSeen


@dataclass(frozen=True, slots=True)
class Standing:
    """What is remembered of a game between two looks at it; `people` is how many seats persons sit on."""

    version: int
    status: str
    people: int

    @property
    def is_over(self) -> bool:
        """Whether nothing can change any more."""
        return self.status == Status.ENDED


UNHEARD_OF = Standing(0, Status.OPEN, 0)
"""How a game stood of which its player did not know."""


def reason_of(before: Standing | None, now: Standing, seen: GameSeen) -> ChangeReason:
    """The weightiest of what is new in a game, for the viewer it is seen by."""
    before = before or UNHEARD_OF
    if now.is_over:
        return ChangeReason.ENDED
    if _is_asked(seen) and (seen.my_turn_since or 0) > before.version:
        return ChangeReason.YOUR_TURN
    if before.status == Status.OPEN and now.status == Status.RUNNING:
        return ChangeReason.STARTED
    return ChangeReason.SEAT_TAKEN if now.people > before.people else ChangeReason.CHANGED


def _is_asked(seen: GameSeen) -> bool:
    return seen.my_seat is not None and seen.my_seat in seen.game.awaiting

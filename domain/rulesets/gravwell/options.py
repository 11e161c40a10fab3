"""What may be agreed before a race, and its open points with the answers we give by default (RULES 9)."""

from dataclasses import dataclass
from enum import StrEnum

from domain.ruleset import Seat


class NoGravity(StrEnum):
    """Where nothing pulls a ship outside the Singularity: it stays, or the pull counts as outward (RULES 9.5)."""

    STAY = "STAY"
    OUTWARD = "OUTWARD"


class SingTie(StrEnum):
    """The order in which a beam moves several ships out of the Singularity (RULES 9.6)."""

    YOUNGEST_FIRST = "YOUNGEST_FIRST"
    SEAT_ORDER = "SEAT_ORDER"


class DerelictAtGate(StrEnum):
    """A derelict that reaches the Warp Gate is taken off the board, or stands there and pulls (RULES 9.7)."""

    REMOVED = "REMOVED"
    STANDS = "STANDS"


@dataclass(frozen=True, slots=True)
class Options:
    """What was agreed for one race. `age_rank`: the seats from youngest to oldest; null: drawn at the start."""

    age_rank: tuple[Seat, ...] | None = None
    no_secrets: bool = False
    hardcore: bool = False
    random_deal: bool = False
    no_gravity: NoGravity = NoGravity.STAY
    sing_tie: SingTie = SingTie.YOUNGEST_FIRST
    derelict_at_gate: DerelictAtGate = DerelictAtGate.REMOVED

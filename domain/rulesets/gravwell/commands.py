"""What a seat may ask for: one command for each kind of decision."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, get_args

from domain.rulesets.gravwell.board import Fuel


class Stop(StrEnum):
    """What one's Emergency Stop does when the letter of one's own card comes (RULES 6.3)."""

    ASK = "ASK"
    NEVER = "NEVER"
    ALWAYS = "ALWAYS"
    IF_BACKWARD = "IF_BACKWARD"


@dataclass(frozen=True, slots=True)
class DraftStack:
    """Take a stack; they are numbered from 0 (RULES 2.4)."""

    stack: int


@dataclass(frozen=True, slots=True)
class PlayFuel:
    """Choose, or choose anew, the card of this phase and what the Emergency Stop shall do (RULES 3.1, 3.2)."""

    card: Fuel
    stop: Stop


@dataclass(frozen=True, slots=True)
class DecideStop:
    """Answer whether to use the Emergency Stop now (RULES 6.1)."""

    stop: bool


Command: TypeAlias = DraftStack | PlayFuel | DecideStop

COMMANDS: tuple[type, ...] = get_args(Command)

"""The codes with which the rules refuse a command, and their English; what any game refuses is not repeated."""

from collections.abc import Mapping
from types import MappingProxyType

REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        "ALREADY_DRAWN": "You have drawn: one of the drawn planets must be placed.",
        "ALREADY_PLACED": "You have placed your planet of this turn.",
        "BAD_DISCARD": "You drew {drawn}: the other of two goes on reserve pile 0 or 1, and of one there is no other.",
        "BAD_EXCHANGE": "One {give} cannot be exchanged for one {take}: it must be another kind that the cloud has.",
        "BAD_WAIVE": "{waive} cannot be waived: the cost is {cost}, one stays due, and {discount} can be waived.",
        "BAG_EMPTY": "The bag is empty: take a planet from a reserve pile.",
        "CANNOT_PAY": "This costs {cost}, and you have {have}.",
        "DOMINATED": "A species closes this planet.",
        "GOAL_NOT_MET": "{goal} is not reached yet: {have} of {need}.",
        "ILLEGAL_TARGET": "The rules do not allow that there.",
        "MUST_PLACE": "First a planet must be placed.",
        "NOTHING_DRAWN": "You have drawn no planet.",
        "NOTHING_PENDING": "There is nothing to resolve.",
        "NOTHING_TO_UNDO": "Nothing can be taken back: something was revealed, drawn, or done to others since.",
        "NOT_IN_HAND": "Space tile {tile} is not in your hand.",
        "NO_GRAVITY": "This game is played without Gravity.",
        "NO_LIFE_LEFT": "You have no life cube left.",
        "NO_MARKERS": "This takes {need} Gravity markers, and you have {have}.",
        "NO_PLANET": "There is no planet on ray {ray}, orbit {orbit}.",
        "NO_SPECIES_LEFT": "You have no species left.",
        "NO_UNDER_TILE": "There is no space tile beneath a planet on ray {ray}, orbit {orbit}.",
        "PENDING": "First something else must be resolved: {pending}.",
        "RAY_FULL": "Ray {ray} has no free place.",
        "RESERVE_EMPTY": "There is no planet on reserve pile {reserve}.",
        "TOO_MANY_UNDOS": "You have taken back {most} times this turn.",
        "UNDER_TAKEN": "Space tile {tile} already lies beneath this planet.",
        "WRONG_TILE": "Space tile {tile} is not used this way: its effect is {effect}.",
    }
)
"""Code -> English, which may name the facts in braces."""

"""The codes with which a game refuses, whatever its title, and their English."""

from collections.abc import Mapping
from types import MappingProxyType

REFUSALS: Mapping[str, str] = MappingProxyType(
    {
        "ALREADY_SEATED": "You already sit on seat {seat} of this game; one account takes one seat.",
        "BAD_ENTROPY": "Entropy is 32 to 128 hex digits, an even number of them.",
        "BAD_OPTION": "`{option}` cannot be used like this: {reason}.",
        "BOTS_OUT_OF_RANGE": "This game has room for {least} to {most} house bots.",
        "DOES_NOT_FOLD": "This game met a bug in its rules; it cannot be forked.",
        "GAME_FULL": "Every seat of this game is taken.",
        "GAME_OVER": "This game is over.",
        "GAME_STARTED": "This game has already started.",
        "NO_SUCH_RULES": "This title has the rules {versions}.",
        "NOT_AWAITED": "It is not your turn to decide anything now.",
        "NOT_FULL": "The game cannot start: seats {free} are still free.",
        "NOT_HOST": "Only the host of the game may do this.",
        "NOT_OVER": "This game still goes on; only one that is over can be forked.",
        "NOT_SEATED": "You do not sit in this game.",
        "NOT_STARTED": "This game has not started yet.",
        "NOT_YOUR_SEAT": "Seat {seat} is not yours; the host of a practice game acts for any of its seats.",
        "NO_HOUSE_BOT": "There is no house bot for this title.",
        "NO_SUCH_SEAT": "This game has seats 0 to {last}.",
        "RETIRED": "You have resigned from this game.",
        "SEATS_OUT_OF_RANGE": "This title takes {seats} seats.",
        "SEAT_TAKEN": "Seat {seat} is taken.",
        "STALE": "You decided at version {expected}; versions {least} to {head} would still be fresh.",
        "TOO_MUCH_ENTROPY": "This game has all the entropy it takes.",
        "TURN_HOURS_OUT_OF_RANGE": "A turn may take from {least_seconds} to {most_seconds} seconds.",
        "VERSION_OUT_OF_RANGE": "This game was in play from version {least} to {most}.",
        "WRONG_RULESET": "This game is played by the rules of {ruleset}.",
    }
)

"""One English sentence for each event of the life of a game."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from domain.game.events import (
    DeadlineSet,
    Ended,
    EntropyAdded,
    Forked,
    Held,
    Lapsed,
    Opened,
    Released,
    Resigned,
    SeatLeft,
    SeatTaken,
    SecretOpened,
    Started,
)


def narrate(event: Any) -> str:
    """What happened, for people. `event` is one of `domain.game.events`."""
    return _SENTENCES[type(event)](event)


def _ended(event: Ended) -> str:
    reason = event.reason.replace("_", " ")
    if not event.ranking:
        return f"The game is over: {reason}."
    best = event.ranking[0]
    if len(best) > 1:
        return f"The game is over ({reason}): a tie of seats {', '.join(map(str, best))}."
    return f"The game is over ({reason}): seat {best[0]} wins."


_SENTENCES: Mapping[type, Callable[[Any], str]] = MappingProxyType(
    {
        Opened: lambda event: f"A game of {event.ruleset} for {event.seats} seats was opened.",
        Forked: lambda event: f"A practice game goes on from version {event.from_version} of another.",
        Held: lambda event: "The host will start the game.",
        SeatTaken: lambda event: f"{'A house bot' if event.bot else 'A player'} took seat {event.seat}.",
        SeatLeft: lambda event: f"Seat {event.seat} was left.",
        EntropyAdded: lambda event: f"Seat {event.seat} added entropy.",
        Started: lambda event: "The game started.",
        DeadlineSet: lambda event: f"Turns are due by {event.deadline:%Y-%m-%d %H:%M:%S} UTC.",
        Lapsed: lambda event: f"Seat {event.seat} did not act; the rules act for it.",
        Resigned: lambda event: f"Seat {event.seat} resigned.",
        Released: lambda event: "An operator let the game go on.",
        Ended: _ended,
        SecretOpened: lambda event: "The game's secret was opened; everything in it can be checked.",
    }
)

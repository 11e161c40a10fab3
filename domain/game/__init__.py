"""The life of a game around any ruleset: a decider of the same shape, in the same stream."""

from domain.game.commands import COMMANDS, AddEntropy, ForkGame, LeaveSeat, OpenGame, Resign, StartGame, TakeSeat
from domain.game.events import EVENTS
from domain.game.narrate import narrate
from domain.game.refusals import REFUSALS
from domain.game.rules import (
    CLOCK,
    HOST,
    OPEN_DAYS_MAX,
    Decision,
    Sender,
    decide,
    end,
    expire,
    fork_game,
    lapse,
    legal,
    open_game,
    past_of,
    practise,
    release,
)
from domain.game.state import Fork, Game, Sitter, Status, concluded, evolve, fold

__all__ = [
    "CLOCK",
    "COMMANDS",
    "EVENTS",
    "HOST",
    "OPEN_DAYS_MAX",
    "REFUSALS",
    "AddEntropy",
    "Decision",
    "Fork",
    "ForkGame",
    "Game",
    "LeaveSeat",
    "OpenGame",
    "Resign",
    "Sender",
    "Sitter",
    "StartGame",
    "Status",
    "TakeSeat",
    "concluded",
    "decide",
    "end",
    "evolve",
    "expire",
    "fold",
    "fork_game",
    "lapse",
    "legal",
    "narrate",
    "open_game",
    "past_of",
    "practise",
    "release",
]

"""Games in the middle: places in a short notation, hands and crystals as given, and play from there."""

import re
from collections.abc import Iterable
from dataclasses import replace

from domain.chance import draws_from
from domain.ruleset import Refused, Seat, Setup
from domain.rulesets.exoplanets import RULESET
from domain.rulesets.exoplanets.commands import Command
from domain.rulesets.exoplanets.crystals import Crystals, icons
from domain.rulesets.exoplanets.events import Event
from domain.rulesets.exoplanets.options import FirstSeat, Options
from domain.rulesets.exoplanets.state import Phase, State, after
from domain.rulesets.exoplanets.system import Place, Under

DRAWS = draws_from(bytes(32))

DEFAULT = Options(first_seat=FirstSeat.SEAT_0)


def started(seats: int, options: Options = DEFAULT, seed: int = 0) -> State:
    """A game at its start."""
    formed, *others = RULESET.start(Setup(seats, options), draws_from(seed.to_bytes(32, "big")))
    return after(RULESET.evolve(None, formed), others)


def game(seats: int, *places: str, phase: Phase = Phase.ACT, options: Options = DEFAULT) -> State:
    """Seat 0 acts, nobody holds anything, and these are the planets in play, beside those of the start.

    `0/2 P09 3.2.1 S22#1` is P09 on ray 0, orbit 2, with three, two and one cubes of the seats and beneath it S22, the
    first tile laid; `0/2 P09 =1` bears the species of seat 1; `0/1 -` is empty.
    """
    state = started(seats, options)
    empty_handed = tuple(replace(player, hand=()) for player in state.players)
    state = replace(state, players=empty_handed, placed=phase is Phase.ACT)
    return with_places(state, *places)


def with_places(state: State, *places: str) -> State:
    """The same game with these places, in the notation of `game`."""
    return replace(state, system=state.system.put(*(_place(text, len(state.players)) for text in places)))


def holding(state: State, seat: Seat, crystals: str = "", gravity: int = 0, hand: str = "") -> State:
    """The same game where a seat holds this, and nothing else."""
    player = replace(state.players[seat], crystals=icons(crystals), gravity=gravity, hand=tuple(hand.split()))
    return replace(state, players=(*state.players[:seat], player, *state.players[seat + 1 :]))


def events(state: State, *commands: Command, seat: Seat = 0) -> tuple[Event, ...]:
    """What follows from the last of these commands of a seat."""
    *earlier, last = commands
    return RULESET.decide(played(state, *earlier, seat=seat), seat, last, DRAWS)


def played(state: State, *commands: Command, seat: Seat = 0) -> State:
    """The game after these commands of a seat."""
    for command in commands:
        state = after(state, RULESET.decide(state, seat, command, DRAWS))
    return state


def refusal(state: State, command: Command, seat: Seat = 0) -> str:
    """The code with which a command is refused. Fails if it is accepted."""
    try:
        RULESET.decide(state, seat, command, DRAWS)
    except Refused as refused:
        return refused.code
    raise AssertionError(f"{command} was accepted")


def kinds(happened: Iterable[Event]) -> list[str]:
    """The names of events, in order."""
    return [type(event).__name__ for event in happened]


def cloud(letters: str) -> Crystals:
    """Crystals from counts by letter: `E22 G16 W16`."""
    counts = {letter: int(count) for letter, count in re.findall(r"([EGW])(\d+)", letters)}
    return Crystals(counts.get("E", 0), counts.get("G", 0), counts.get("W", 0))


def _place(text: str, seats: int) -> Place:
    where, *marks = text.split()
    ray, orbit = map(int, where.split("/"))
    place = Place(ray, orbit, (0,) * seats)
    for mark in marks:
        if mark.startswith("P"):
            place = replace(place, planet=mark)
        elif mark.startswith("S"):
            tile, _, seq = mark.partition("#")
            place = replace(place, under=Under(tile, int(seq or 1), 0))
        elif mark.startswith("="):
            place = replace(place, species=int(mark[1:]))
        elif mark != "-":
            place = replace(place, life=tuple(map(int, mark.split("."))))
    assert len(place.life) == seats, f"{text} is not for {seats} seats"
    return place

"""The house bot: of all it may do it takes what promises most points for each crystal and marker it costs."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Final

from domain.chance import Draws
from domain.ruleset import HIDDEN, Hidden, Seat
from domain.rulesets.exoplanets.board import DRAWN, Discs, Special
from domain.rulesets.exoplanets.commands import Command, DrawPlanets, EndTurn, PlaceFromReserve, Survey
from domain.rulesets.exoplanets.costs import effective_cost
from domain.rulesets.exoplanets.crystals import Crystals
from domain.rulesets.exoplanets.goals import GOALS
from domain.rulesets.exoplanets.planets import PLANETS
from domain.rulesets.exoplanets.rules import decide
from domain.rulesets.exoplanets.rules.life import open_places, step
from domain.rulesets.exoplanets.scoring import planet_points, points
from domain.rulesets.exoplanets.state import Choice, Phase, Player, State, after
from domain.rulesets.exoplanets.state import Survey as Seen
from domain.rulesets.exoplanets.system import Place, System, Under
from domain.rulesets.exoplanets.tiles import TILES
from domain.rulesets.exoplanets.view import ExoplanetsView, PlaceView, SeatView

RIVALRY: Final = 0.5
"""What a point of the best rival counts against an own one."""

KEPT_CRYSTAL: Final = 0.8
KEPT_MARKER: Final = 0.3
UNSEEN_TILE: Final = 1.5
"""What a crystal, a Gravity marker and a space tile not yet seen are worth while another own turn is to come."""

REACHED: Final = 0.9
HOPED: Final = 0.5
HOPED_LATE: Final = 0.1
"""The part of its points that a goal in the hand is worth: reached; or for what is there of it, in time or late."""

PROSPECT: Final = 0.5
"""The part of its profit that the best step of life one can pay for is worth before it is taken."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of life that nothing but its cost bars, and the points it would bring."""

    cost: Crystals
    points: int


@dataclass(frozen=True, slots=True)
class Scales:
    """By what the bot of a seat weighs a state. `late`: this is its last turn; `steps` are those it knows of now."""

    me: Seat
    late: bool
    steps: tuple[Step, ...]


def advise(view: ExoplanetsView, legal: tuple[Command, ...], draws: Draws) -> Command:
    """The command that the bot of `view.my_seat` prefers among the legal ones, of which there is at least one."""
    assert view.my_seat is not None, "the public has nothing to decide"
    state = imagined(view)
    scales = Scales(view.my_seat, view.turn > view.turns - len(view.seats), tuple(_steps(state, view.my_seat)))

    def promise(command: Command) -> float:
        match command:
            case EndTurn():
                return 0.0
            case DrawPlanets():
                return _promise_of_bag(state, scales, draws)
            case Survey(tile):
                return UNSEEN_TILE - _hope(state.system, tile, scales)
        return _promise(state, command, scales, draws)

    return max(reversed(legal), key=promise)  # which ends with EndTurn: what promises nothing is left alone


def imagined(view: ExoplanetsView) -> State:
    """The state as far as the viewer of a view knows it."""
    rays = sorted({place.ray for place in view.places})
    nobody = (0,) * len(view.seats)
    return State(
        with_gravity=view.with_gravity,
        compensation=view.compensation,
        fourth_cube=view.fourth_cube,
        removal=view.removal,
        system=System(tuple(tuple(_place(at, nobody) for at in view.places if at.ray == ray) for ray in rays)),
        star=view.star,
        cloud=view.cloud,
        discs=Discs(*(special.discs for special in view.specials)),
        gravity_pool=view.gravity_pool,
        players=tuple(_player(view, seat) for seat in view.seats),
        reserves=tuple(tuple(card.planet for card in pile) for pile in view.reserves),
        bag=(HIDDEN,) * view.bag_size,
        stack=(HIDDEN,) * view.stack_size,
        first_seat=view.first_seat,
        active=view.active,
        turn=view.turn,
        drawn=tuple(card.planet for card in view.drawn),
        placed=view.phase in {Phase.ACT, Phase.RESOLVE},
        discount=view.own.discount if view.own else 0,
        pending=_pending(view),
        discard=tuple(card.tile for card in view.discard),
        lost_planets=tuple(card.planet for card in view.lost_planets),
    )


def _place(at: PlaceView, nobody: tuple[int, ...]) -> Place:
    if at.planet is None:
        return Place(at.ray, at.orbit, nobody, face_down=HIDDEN if at.covered else None)
    planet, beneath = at.planet, at.planet.beneath
    under = None if beneath is None else Under(beneath.card.tile, beneath.seq, beneath.by)
    return Place(at.ray, at.orbit, planet.life, planet=planet.card.planet, under=under, species=planet.species)


def _player(view: ExoplanetsView, seat: SeatView) -> Player:
    if view.own is not None and seat.seat == view.my_seat:
        return Player(seat.crystals, seat.gravity, tuple(held.card.tile for held in view.own.hand), seat.claims)
    return Player(seat.crystals, seat.gravity, (HIDDEN,) * seat.hand_size, seat.claims)


def _pending(view: ExoplanetsView) -> Special | Seen | None:
    if view.choice is Choice.SURVEY:
        seen = view.own.surveyed if view.own else ()
        return Seen(view.discard[-1].tile, tuple(held.card.tile for held in seen))
    return None if view.choice is None else Special(view.choice)


# What a command promises


def _promise(state: State, command: Command, scales: Scales, draws: Draws) -> float:
    """By how much a command makes the state better, for each crystal and marker it costs."""
    then = after(state, decide(state, scales.me, command, draws))
    before, left = state.players[scales.me], then.players[scales.me]
    spent = before.crystals.total + before.gravity - left.crystals.total - left.gravity
    return (_worth(then, scales) - _worth(state, scales)) / max(1, spent)


def _promise_of_bag(state: State, scales: Scales, draws: Draws) -> float:
    """What the better of two planets promises, on an average of those that may be in the bag."""
    in_sight = {*(place.planet for place in state.system.planets), *chain(*state.reserves), *state.lost_planets}
    rays = [ray for ray in range(len(state.system.rays)) if state.system.free(ray)]
    promises = [
        max(_promise(replace(state, reserves=((planet,),)), PlaceFromReserve(0, ray), scales, draws) for ray in rays)
        for planet in sorted(PLANETS.keys() - in_sight)
    ]
    pairs = [max(pair) for pair in combinations(promises, min(DRAWN, len(state.bag)))]
    return sum(pairs) / len(pairs)


def _worth(state: State, scales: Scales) -> float:
    """What a state is worth to a seat: points it has and may hope for, against those of its best rival."""
    player = state.players[scales.me]
    own, *rivals = (
        points(state.system, state.players[seat].claims, seat)
        for seat in (scales.me, *(seat for seat in state.seats if seat != scales.me))
    )
    kept = KEPT_CRYSTAL * player.crystals.total + KEPT_MARKER * player.gravity
    hopes = sum(_hope(state.system, tile, scales) for tile in player.hand)
    return own - RIVALRY * max(rivals) + hopes + (0 if scales.late else kept) + PROSPECT * _prospect(state, scales)


def _hope(system: System, tile: str | Hidden, scales: Scales) -> float:
    """What a space tile in the hand may bring, by its goal."""
    if isinstance(tile, Hidden):
        return 0 if scales.late else UNSEEN_TILE
    goal = GOALS[TILES[tile].goal]
    have = goal.progress(system, scales.me)
    if have == goal.need:
        return REACHED * goal.points
    return (HOPED_LATE if scales.late else HOPED) * goal.points * (have + 0.5) / (goal.need + 0.5)


def _prospect(state: State, scales: Scales) -> float:
    """The profit of the best step of life that can be paid for, if need be with a discount."""
    held, discounts = state.players[scales.me].crystals, state.discount
    price = 0 if scales.late else KEPT_CRYSTAL
    profits = [0.0]
    for next_step in scales.steps:
        size = next_step.cost.total
        payable = (next_step.cost & held).total
        if payable == size or (payable == size - 1 > 0 and discounts):
            profits.append(next_step.points - price * payable)
    return max(profits)


def _steps(state: State, me: Seat) -> Iterator[Step]:
    for place in open_places(state, me):
        taken = after(state, step(state, me, place)).system
        gain = planet_points(taken, taken.rays[place.ray][place.orbit - 1], me) - planet_points(state.system, place, me)
        yield Step(effective_cost(state.system, place)[0], gain)

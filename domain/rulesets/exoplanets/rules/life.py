"""Creating life: what bars a step, what it costs, and what it leads to (RULES 5); and claiming goals (6)."""

from collections.abc import Iterator

from domain.ruleset import Refused, Seat
from domain.rulesets.exoplanets.board import CUBES, LIFE_MAX, SPECIES
from domain.rulesets.exoplanets.commands import ClaimGoal, Command, CreateLife, CreateLifeWaiving
from domain.rulesets.exoplanets.costs import effective_cost
from domain.rulesets.exoplanets.crystals import NOTHING, Crystals, Resource, crystals
from domain.rulesets.exoplanets.events import Event, GoalClaimed, LifeCreated, LifeDisplaced, SpeciesCreated
from domain.rulesets.exoplanets.goals import GOALS
from domain.rulesets.exoplanets.options import Compensation
from domain.rulesets.exoplanets.rules.hand import hand_of, tile_of
from domain.rulesets.exoplanets.state import State
from domain.rulesets.exoplanets.system import Place


def create(state: State, seat: Seat, command: CreateLife) -> tuple[Event, ...]:
    """A step of life at its effective cost."""
    place = _placeable(state, seat, command.ray, command.orbit)
    return _bought(state, seat, place, effective_cost(state.system, place)[0])


def create_waiving(state: State, seat: Seat, command: CreateLifeWaiving) -> tuple[Event, ...]:
    """A step of life, one icon of its effective cost waived for a discount."""
    place = _placeable(state, seat, command.ray, command.orbit)
    cost = effective_cost(state.system, place)[0]
    if not _waivable(state, cost, command.waive):
        raise Refused("BAD_WAIVE", cost=str(cost), waive=command.waive.value, discount=state.discount)
    return _bought(state, seat, place, cost - crystals((command.waive,)), (command.waive,))


def step(
    state: State, seat: Seat, place: Place, paid: Crystals = NOTHING, waived: tuple[Resource, ...] = ()
) -> tuple[Event, ...]:
    """One step of life that nothing bars: a cube more, or a species and whom it displaces."""
    level = place.level(seat) + 1
    if level <= LIFE_MAX:
        return (LifeCreated(seat, place.ray, place.orbit, level, paid, waived),)
    events: list[Event] = [SpeciesCreated(seat, place.ray, place.orbit, paid, waived)]
    cloud = state.cloud + paid
    for other in _others_in_order(state, seat):
        if cubes := place.life[other]:
            due = (place.world.gives,) * (cubes if state.compensation is Compensation.CUBE else 1)
            compensation = crystals(due) & cloud
            cloud -= compensation
            events.append(LifeDisplaced(other, place.ray, place.orbit, cubes, compensation))
    return tuple(events)


def bar(state: State, seat: Seat, place: Place) -> str | None:
    """The code of what bars a seat's next step of life on a planet, its cost aside; None if nothing does."""
    cube_left = state.system.cubes(seat) < CUBES
    if place.species is not None:
        return "DOMINATED"
    if place.level(seat) < LIFE_MAX:
        return None if cube_left else "NO_LIFE_LEFT"
    if state.system.species(seat) == SPECIES:
        return "NO_SPECIES_LEFT"
    return "NO_LIFE_LEFT" if state.fourth_cube and not cube_left else None


def open_places(state: State, seat: Seat) -> Iterator[Place]:
    """The planets where nothing but the cost bars a seat's next step."""
    return (place for place in state.system.planets if bar(state, seat, place) is None)


def claim(state: State, seat: Seat, command: ClaimGoal) -> tuple[Event, ...]:
    """A goal of the hand, reached now."""
    goal = GOALS[tile_of(state, seat, command.tile).goal]
    if not goal.met(state.system, seat):
        raise Refused("GOAL_NOT_MET", goal=goal.name, have=goal.progress(state.system, seat), need=goal.need)
    return (GoalClaimed(seat, command.tile, goal.id, goal.points),)


def choices(state: State, seat: Seat) -> Iterator[Command]:
    """Every step of life that a seat can pay for, and every goal it has reached."""
    held = state.players[seat].crystals
    for place in open_places(state, seat):
        cost = effective_cost(state.system, place)[0]
        if held.covers(cost):
            yield CreateLife(place.ray, place.orbit)
        for waive in Resource:
            if _waivable(state, cost, waive) and held.covers(cost - crystals((waive,))):
                yield CreateLifeWaiving(place.ray, place.orbit, waive)
    for tile in hand_of(state, seat):
        if GOALS[tile.goal].met(state.system, seat):
            yield ClaimGoal(tile.id)


def _placeable(state: State, seat: Seat, ray: int, orbit: int) -> Place:
    place = state.system.planet_at(ray, orbit)
    if place is None:
        raise Refused("NO_PLANET", ray=ray, orbit=orbit)
    if code := bar(state, seat, place):
        raise Refused(code)
    return place


def _bought(
    state: State, seat: Seat, place: Place, cost: Crystals, waived: tuple[Resource, ...] = ()
) -> tuple[Event, ...]:
    held = state.players[seat].crystals
    if not held.covers(cost):
        raise Refused("CANNOT_PAY", cost=str(cost), have=str(held))
    return step(state, seat, place, cost, waived)


def _waivable(state: State, cost: Crystals, waive: Resource) -> bool:
    return state.discount > 0 and cost[waive] > 0 and cost.total > 1


def _others_in_order(state: State, seat: Seat) -> Iterator[Seat]:
    """The other seats, from the one after `seat` around the table."""
    return ((seat + step) % len(state.seats) for step in range(1, len(state.seats)))

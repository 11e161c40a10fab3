"""How a game begins: the two shuffles, and what is dealt from them (RULES 2)."""

from domain.chance import Draws
from domain.ruleset import Refused, Seat, Secret, Setup
from domain.rulesets.exoplanets.board import HAND, NUMBERS, RAYS, RESERVES
from domain.rulesets.exoplanets.events import Event, HandDealt, SystemFormed, TurnStarted
from domain.rulesets.exoplanets.options import FirstSeat, Options
from domain.rulesets.exoplanets.planets import PLANETS
from domain.rulesets.exoplanets.tiles import TILES


def start(setup: Setup, draws: Draws) -> tuple[Event, ...]:
    """Deal from the ends of the shuffled tiles. Raises Refused("BAD_OPTION") for a first seat that is not there."""
    options: Options = setup.options
    numbers = NUMBERS[setup.seats]
    first_seat = _first_seat(options.first_seat, setup.seats, draws)
    planets = list(draws("planets").shuffled(sorted(PLANETS)))
    tiles = list(draws("tiles").shuffled(sorted(TILES)))
    innermost = _dealt(planets, RAYS)
    covering = _dealt(tiles, RAYS * numbers.places_a_ray)
    reserves = _dealt(planets, RESERVES)
    hands = [HandDealt(seat, HAND, Secret(_dealt(tiles, HAND), to=(seat,))) for seat in range(setup.seats)]
    formed = SystemFormed(
        seats=setup.seats,
        first_seat=first_seat,
        places_a_ray=numbers.places_a_ray,
        star=numbers.star,
        cloud=numbers.cloud,
        discs=numbers.discs,
        with_gravity=options.gravity,
        gravity_pool=numbers.gravity_pool if options.gravity else 0,
        removal=numbers.removal,
        compensation=options.compensation,
        fourth_cube=options.fourth_cube,
        planets=innermost,
        reserves=reserves,
        bag_size=len(planets),
        stack_size=len(tiles),
        bag=Secret(tuple(planets), to=()),
        space_stack=Secret(tuple(tiles), to=()),
        covering=Secret(covering, to=()),
    )
    return (formed, *hands, TurnStarted(first_seat, 1))


def _first_seat(chosen: FirstSeat, seats: int, draws: Draws) -> Seat:
    if chosen is FirstSeat.DRAWN:
        return draws("first-seat").below(seats)
    seat = int(chosen.removeprefix("SEAT_"))
    if seat >= seats:
        raise Refused("BAD_OPTION", option="first_seat", reason=f"there are only {seats} seats")
    return seat


def _dealt(stack: list[str], count: int) -> tuple[str, ...]:
    return tuple(stack.pop() for _ in range(count))

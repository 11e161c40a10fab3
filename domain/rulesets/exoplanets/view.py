"""What one viewer may see of a game."""

from dataclasses import dataclass

from domain.ruleset import Hidden, Seat, Viewer
from domain.rulesets.exoplanets.board import CUBES, NUMBERS, ROUNDS, SPECIES, TAKEBACKS, Special
from domain.rulesets.exoplanets.costs import CostChange, effective_cost
from domain.rulesets.exoplanets.crystals import Crystals, Resource
from domain.rulesets.exoplanets.goals import GOALS
from domain.rulesets.exoplanets.options import Compensation
from domain.rulesets.exoplanets.planets import PLANETS, Kind
from domain.rulesets.exoplanets.scoring import Claim, Score, planet_points, points
from domain.rulesets.exoplanets.state import Choice, Phase, State, Survey, Unseen
from domain.rulesets.exoplanets.system import Place, Under
from domain.rulesets.exoplanets.tiles import TILES, Effect, Scope


@dataclass(frozen=True, slots=True)
class PlanetCard:
    """A planet tile that lies open: its kind, its yield, and the printed cost of one step of life."""

    planet: str
    title: str
    kind: Kind
    gives: Resource
    printed_cost: Crystals


@dataclass(frozen=True, slots=True)
class TileCard:
    """A space tile that lies open: its effect in words, and the special tile whose disc its use moves."""

    tile: str
    title: str
    scope: Scope
    effect: Effect
    text: str
    special: Special


@dataclass(frozen=True, slots=True)
class BeneathView:
    """The space tile beneath a planet: the `seq`-th that was laid, by a seat."""

    card: TileCard
    seq: int
    by: Seat


@dataclass(frozen=True, slots=True)
class PlanetView:
    """A planet of the system.

    `effective_cost` is what a step of life costs now, `cost_changes` why that is not what is printed; `affordable`: the
    viewer could pay it, even without a discount. `life` are cubes, `points` what the planet is worth now, both by seat;
    `species` is the seat that closed it, or null.
    """

    card: PlanetCard
    effective_cost: Crystals
    cost_changes: tuple[CostChange, ...]
    affordable: bool
    life: tuple[int, ...]
    species: Seat | None
    beneath: BeneathView | None
    shielded: bool
    points: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlaceView:
    """A place of the board. `covered`: a space tile lies on it, face down."""

    ray: int
    orbit: int
    covered: bool
    planet: PlanetView | None


@dataclass(frozen=True, slots=True)
class SpecialView:
    """A special tile: discs left on it, of so many when it is full."""

    special: Special
    discs: int
    full: int


@dataclass(frozen=True, slots=True)
class SeatView:
    """What everybody knows of a seat; `points` are those of planets and claimed goals as of now."""

    seat: Seat
    crystals: Crystals
    gravity: int
    cubes_left: int
    species_left: int
    hand_size: int
    claims: tuple[Claim, ...]
    points: int


@dataclass(frozen=True, slots=True)
class GoalView:
    """The goal of a space tile, and how much of what it needs the viewer has now."""

    goal: str
    title: str
    text: str
    points: int
    have: int
    need: int
    met: bool


@dataclass(frozen=True, slots=True)
class HandTileView:
    """A space tile in the viewer's hand: it may serve as an effect or as a goal."""

    card: TileCard
    goal: GoalView


@dataclass(frozen=True, slots=True)
class OwnView:
    """What the viewer's seat has to decide with. `surveyed` are the tiles to keep one of, `undos_left` take-backs."""

    crystals: Crystals
    gravity: int
    hand: tuple[HandTileView, ...]
    surveyed: tuple[HandTileView, ...]
    discount: int
    can_undo: bool
    undos_left: int


@dataclass(frozen=True, slots=True)
class ExoplanetsView:
    """A game as one viewer may see it.

    `turn` counts from 1 to `turns`. `choice` is what the active seat must resolve first, null for nothing; `drawn` what
    it chooses from. `reserves` are the piles, their tops last. `removal` is how many Gravity markers remove a space
    tile. `with_gravity`, `compensation` and `fourth_cube` are options of the game. `own` is null for the public;
    `scores` and `ranking` are empty until the end.
    """

    phase: Phase
    turn: int
    turns: int
    first_seat: Seat
    active: Seat
    choice: Choice | None
    star: int
    cloud: Crystals
    places: tuple[PlaceView, ...]
    reserves: tuple[tuple[PlanetCard, ...], ...]
    drawn: tuple[PlanetCard, ...]
    bag_size: int
    stack_size: int
    specials: tuple[SpecialView, ...]
    with_gravity: bool
    gravity_pool: int
    removal: int
    compensation: Compensation
    fourth_cube: bool
    seats: tuple[SeatView, ...]
    my_seat: Seat | None
    own: OwnView | None
    discard: tuple[TileCard, ...]
    lost_planets: tuple[PlanetCard, ...]
    scores: tuple[Score, ...]
    ranking: tuple[tuple[Seat, ...], ...]


def view(state: State, viewer: Viewer) -> ExoplanetsView:
    """What a seat, or the public (None), may see."""
    full = NUMBERS[len(state.players)].discs
    return ExoplanetsView(
        phase=state.phase,
        turn=state.turn,
        turns=ROUNDS * len(state.players),
        first_seat=state.first_seat,
        active=state.active,
        choice=state.choice,
        star=state.star,
        cloud=state.cloud,
        places=tuple(_place(state, place, viewer) for ray in state.system.rays for place in ray),
        reserves=tuple(tuple(map(_planet_card, pile)) for pile in state.reserves),
        drawn=tuple(map(_planet_card, state.drawn)),
        bag_size=len(state.bag),
        stack_size=len(state.stack),
        specials=tuple(SpecialView(special, state.discs[special], full[special]) for special in Special),
        with_gravity=state.with_gravity,
        gravity_pool=state.gravity_pool,
        removal=state.removal,
        compensation=state.compensation,
        fourth_cube=state.fourth_cube,
        seats=tuple(_seat(state, seat) for seat in state.seats),
        my_seat=viewer,
        own=None if viewer is None else _own(state, viewer),
        discard=tuple(map(_tile_card, state.discard)),
        lost_planets=tuple(map(_planet_card, state.lost_planets)),
        scores=state.scores,
        ranking=state.ranking,
    )


def _place(state: State, place: Place, viewer: Viewer) -> PlaceView:
    planet = None if place.planet is None else _planet(state, place, viewer)
    return PlaceView(place.ray, place.orbit, place.face_down is not None, planet)


def _planet(state: State, place: Place, viewer: Viewer) -> PlanetView:
    cost, changes = effective_cost(state.system, place)
    return PlanetView(
        card=_planet_card(place.world.id),
        effective_cost=cost,
        cost_changes=changes,
        affordable=viewer is not None and state.players[viewer].crystals.covers(cost),
        life=place.life,
        species=place.species,
        beneath=None if place.under is None else _beneath(place.under),
        shielded=place.shielded,
        points=tuple(planet_points(state.system, place, seat) for seat in state.seats),
    )


def _beneath(under: Under) -> BeneathView:
    return BeneathView(_tile_card(under.tile), under.seq, under.by)


def _planet_card(planet_id: str) -> PlanetCard:
    planet = PLANETS[planet_id]
    return PlanetCard(planet.id, planet.name, planet.kind, planet.gives, planet.cost)


def _tile_card(tile_id: str) -> TileCard:
    tile = TILES[tile_id]
    return TileCard(tile.id, tile.name, tile.scope, tile.effect, tile.text, tile.special)


def _seat(state: State, seat: Seat) -> SeatView:
    player = state.players[seat]
    return SeatView(
        seat=seat,
        crystals=player.crystals,
        gravity=player.gravity,
        cubes_left=CUBES - state.system.cubes(seat),
        species_left=SPECIES - state.system.species(seat),
        hand_size=len(player.hand),
        claims=player.claims,
        points=points(state.system, player.claims, seat),
    )


def _own(state: State, seat: Seat) -> OwnView:
    player, active = state.players[seat], seat == state.active
    surveyed = state.pending.seen if active and isinstance(state.pending, Survey) else ()
    return OwnView(
        crystals=player.crystals,
        gravity=player.gravity,
        hand=_hand(state, seat, player.hand),
        surveyed=_hand(state, seat, surveyed),
        discount=state.discount if active else 0,
        can_undo=active and bool(state.takebacks) and state.taken_back < TAKEBACKS,
        undos_left=TAKEBACKS - state.taken_back if active else 0,
    )


def _hand(state: State, seat: Seat, tiles: tuple[Unseen, ...]) -> tuple[HandTileView, ...]:
    known = (tile for tile in tiles if not isinstance(tile, Hidden))
    return tuple(HandTileView(_tile_card(tile), _goal(state, seat, tile)) for tile in known)


def _goal(state: State, seat: Seat, tile: str) -> GoalView:
    goal = GOALS[TILES[tile].goal]
    have = goal.progress(state.system, seat)
    return GoalView(goal.id, goal.name, goal.text, goal.points, have, goal.need, have == goal.need)

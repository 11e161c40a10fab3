"""A game as it stands, and how each event changes it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import reduce
from typing import Final, TypeAlias, assert_never

from domain.ruleset import HIDDEN, Hidden, Seat, Secret
from domain.rulesets.exoplanets.board import Discs, Special
from domain.rulesets.exoplanets.crystals import NOTHING, Crystals, Resource, crystals
from domain.rulesets.exoplanets.events import (
    DiscountGained,
    EffectUsed,
    EnergyFromStar,
    Event,
    GoalClaimed,
    GoalCompleted,
    GravityTaken,
    HandDealt,
    LastEnergyTaken,
    LifeCreated,
    LifeDisplaced,
    LifeMigrated,
    LifeRestored,
    MeteorStruck,
    PlanetPlaced,
    PlanetsDrawn,
    PlanetsSwapped,
    PlanetSwallowed,
    PlanetToReserve,
    RankingSettled,
    ResourceExchanged,
    ResourcesGained,
    ResourcesTransmuted,
    SeatScored,
    SpaceTileTaken,
    SpecialDiscMoved,
    SpecialFired,
    SpecialFizzled,
    SpecialRefilled,
    SpeciesCreated,
    StormHit,
    SurveyKept,
    SystemFormed,
    TileAttached,
    TileRemoved,
    TilesSurveyed,
    TurnEnded,
    TurnStarted,
    Undone,
)
from domain.rulesets.exoplanets.options import Compensation
from domain.rulesets.exoplanets.scoring import Claim, Score
from domain.rulesets.exoplanets.system import Place, System, Under
from domain.values import changed

Unseen: TypeAlias = str | Hidden
"""The id of a tile, or HIDDEN for one that the folding viewer may not see."""


class Phase(StrEnum):
    """Where a turn stands."""

    PLACE = "PLACE"
    CHOOSE = "CHOOSE"
    ACT = "ACT"
    RESOLVE = "RESOLVE"
    ENDED = "ENDED"


class Choice(StrEnum):
    """What must be resolved before anything else: a special event, or a survey."""

    BLACK_HOLE = "BLACK_HOLE"
    SOLAR_STORM = "SOLAR_STORM"
    CREATION = "CREATION"
    SURVEY = "SURVEY"


@dataclass(frozen=True, slots=True)
class Player:
    """What lies before a seat: `gravity` are its markers, `claims` the goals it has reached."""

    crystals: Crystals = NOTHING
    gravity: int = 0
    hand: tuple[Unseen, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class Survey:
    """Tiles a seat looks at, by leave of the used `tile`, until it has kept one."""

    tile: str
    seen: tuple[Unseen, ...]


@dataclass(frozen=True)
class State:
    """All of a game. The tops of bag, stack and reserve piles are at their ends.

    `pending` is what must be resolved before anything else; `takebacks` are the events that would undo this turn's
    acts, the newest last, `taken_back` how many were; `scores` and `ranking` are set at the end.
    """

    with_gravity: bool
    compensation: Compensation
    fourth_cube: bool
    removal: int
    system: System
    star: int
    cloud: Crystals
    discs: Discs
    gravity_pool: int
    players: tuple[Player, ...]
    reserves: tuple[tuple[str, ...], ...]
    bag: tuple[Unseen, ...]
    stack: tuple[Unseen, ...]
    first_seat: Seat
    active: Seat
    turn: int = 0
    drawn: tuple[str, ...] = ()
    placed: bool = False
    discount: int = 0
    pending: Special | Survey | None = None
    takebacks: tuple[Undone, ...] = ()
    taken_back: int = 0
    discard: tuple[str, ...] = ()
    lost_planets: tuple[str, ...] = ()
    scores: tuple[Score, ...] = ()
    ranking: tuple[tuple[Seat, ...], ...] = ()

    @property
    def phase(self) -> Phase:
        """Where the turn of the active seat stands."""
        if self.ranking:
            return Phase.ENDED
        if self.pending is not None:
            return Phase.RESOLVE
        if self.placed:
            return Phase.ACT
        return Phase.CHOOSE if self.drawn else Phase.PLACE

    @property
    def choice(self) -> Choice | None:
        """What `pending` asks the active seat for."""
        if self.pending is None:
            return None
        return Choice.SURVEY if isinstance(self.pending, Survey) else Choice(self.pending)

    @property
    def seats(self) -> range:
        """All seats."""
        return range(len(self.players))

    def place(self, ray: int, orbit: int) -> Place:
        """A place of the board."""
        return self.system.rays[ray][orbit - 1]


def evolve(state: State | None, event: Event) -> State:
    """The state after an event, also one that was redacted for a viewer.

    What a seat did can be taken back only until something happens that cannot be.
    """
    if state is None:
        assert isinstance(event, SystemFormed), "a game begins with its system"
        return _formed(event)
    then = _changed(state, event)
    if isinstance(event, LifeCreated | ResourceExchanged | Undone) or not then.takebacks:
        return then
    return changed(then, takebacks=())


def known(tiles: tuple[Unseen, ...]) -> tuple[str, ...]:
    """The tiles, by someone who decides over them: HIDDEN among them is a bug, and raises AssertionError."""
    assert HIDDEN not in tiles, "decided over a HIDDEN tile"
    return tuple(tile for tile in tiles if not isinstance(tile, Hidden))


def after(state: State, events: Iterable[Event]) -> State:
    """The state after these events."""
    return reduce(evolve, events, state)


def _changed(state: State, event: Event) -> State:
    match event:
        case SystemFormed():
            return _formed(event)
        case HandDealt(seat, count, tiles):
            return _with_player(state, seat, replace(state.players[seat], hand=_spread(tiles, count)))
        case TurnStarted(seat, turn):
            return changed(state, active=seat, turn=turn, placed=False, taken_back=0)
        case TurnEnded():
            return changed(state, discount=0)
        case PlanetsDrawn(_, planets):
            return changed(state, bag=state.bag[: len(state.bag) - len(planets)], drawn=planets)
        case PlanetToReserve(_, planet, reserve):
            reserves = tuple((*pile, planet) if i == reserve else pile for i, pile in enumerate(state.reserves))
            return changed(state, reserves=reserves, drawn=_without(state.drawn, planet))
        case PlanetPlaced(_, planet, ray, orbit):
            return changed(
                _with_places(state, replace(state.place(ray, orbit), planet=planet)),
                drawn=_without(state.drawn, planet),
                reserves=tuple(_without(pile, planet) for pile in state.reserves),
                placed=True,
            )
        case SpaceTileTaken(seat, ray, orbit, tile):
            uncovered = _with_places(state, replace(state.place(ray, orbit), face_down=None))
            return _into_hand(uncovered, seat, tile.value)
        case EnergyFromStar(seat, left):
            player = replace(state.players[seat], crystals=state.players[seat].crystals + _ENERGY)
            return changed(state, star=left, players=_seated(state.players, seat, player))
        case ResourcesGained(seat, gained):
            return _traded(state, seat, gained=gained)
        case GravityTaken(seat, pool):
            player = replace(state.players[seat], gravity=state.players[seat].gravity + 1)
            return changed(state, gravity_pool=pool, players=_seated(state.players, seat, player))
        case LastEnergyTaken():
            return state
        case LifeCreated(seat, ray, orbit, level, paid, waived):
            before = LifeRestored(ray, orbit, state.place(ray, orbit).life[seat])
            then = _traded(state, seat, paid=paid, waived=len(waived))
            return _undoable(state, _with_places(then, state.place(ray, orbit).living(seat, level)), seat, before)
        case SpeciesCreated(seat, ray, orbit, paid, waived):
            then = _traded(state, seat, paid=paid, waived=len(waived))
            return _with_places(then, replace(state.place(ray, orbit).living(seat, 0), species=seat))
        case LifeDisplaced(seat, ray, orbit, _, received):
            then = _traded(state, seat, gained=received)
            return _with_places(then, state.place(ray, orbit).living(seat, 0))
        case GoalClaimed(seat, tile_id, goal, points) | GoalCompleted(seat, tile_id, goal, points):
            player = _without_tile(state.players[seat], tile_id)
            claims = (*player.claims, Claim(tile_id, goal, points))
            return _with_player(state, seat, replace(player, claims=claims))
        case EffectUsed(seat, tile_id):
            used = _with_player(state, seat, _without_tile(state.players[seat], tile_id))
            return changed(used, discard=(*state.discard, tile_id))
        case DiscountGained(_, discount):
            return changed(state, discount=discount)
        case MeteorStruck(_, victim, ray, orbit, level):
            return _with_places(state, state.place(ray, orbit).living(victim, level))
        case LifeMigrated():
            origin = state.place(event.from_ray, event.from_orbit).living(event.seat, event.from_level)
            return _with_places(state, origin, state.place(event.ray, event.orbit).living(event.seat, event.level))
        case TilesSurveyed(_, tile_id, count, tiles):
            stack = state.stack[: len(state.stack) - count]
            return changed(state, stack=stack, pending=Survey(tile_id, _spread(tiles, count)))
        case SurveyKept(seat, returned_count, kept, returned):
            then = _into_hand(state, seat, kept.value)
            return changed(then, stack=(*_spread(returned, returned_count), *state.stack), pending=None)
        case ResourcesTransmuted(seat, given, taken):
            return _traded(state, seat, paid=given, gained=taken)
        case PlanetsSwapped(_, orbit, ray, other_ray):
            here, there = state.place(ray, orbit), state.place(other_ray, orbit)
            return _with_places(state, here.bearing(there), there.bearing(here))
        case TileAttached(seat, tile_id, ray, orbit, seq):
            laid = _with_player(state, seat, _without_tile(state.players[seat], tile_id))
            return _with_places(laid, replace(state.place(ray, orbit), under=Under(tile_id, seq, seat)))
        case SpecialDiscMoved(special, left):
            return changed(state, discs=state.discs.having(special, left))
        case SpecialFired(special):
            return changed(state, pending=special)
        case SpecialFizzled():
            return changed(state, pending=None)
        case SpecialRefilled(special, full):
            return changed(state, discs=state.discs.having(special, full), pending=None)
        case PlanetSwallowed(_, planet, ray, orbit, _, tiles_beneath):
            return changed(
                _with_places(state, state.place(ray, orbit).emptied()),
                discard=(*state.discard, *tiles_beneath),
                lost_planets=(*state.lost_planets, planet),
            )
        case StormHit(_, ray, losses):
            for loss in losses:
                state = _with_places(state, state.place(ray, loss.orbit).living(loss.seat, loss.level))
            return state
        case ResourceExchanged(seat, markers, gave, took):
            then = _traded(state, seat, paid=crystals((gave,)), gained=crystals((took,)), markers=markers)
            return _undoable(state, then, seat)
        case TileRemoved(seat, markers, tile_id, ray, orbit):
            then = _with_places(_traded(state, seat, markers=markers), replace(state.place(ray, orbit), under=None))
            return changed(then, discard=(*state.discard, tile_id))
        case Undone(seat, held, cloud, markers, gravity_pool, discount, life):
            player = replace(state.players[seat], crystals=held, gravity=markers)
            lives = (state.place(was.ray, was.orbit).living(seat, was.level) for was in life)
            return changed(
                _with_places(_with_player(state, seat, player), *lives),
                cloud=cloud,
                gravity_pool=gravity_pool,
                discount=discount,
                takebacks=state.takebacks[:-1],
                taken_back=state.taken_back + 1,
            )
        case SeatScored(score):
            return changed(state, scores=(*state.scores, score))
        case RankingSettled(ranking):
            return changed(state, ranking=ranking)
    assert_never(event)


_ENERGY: Final = crystals((Resource.ENERGY,))


def _formed(event: SystemFormed) -> State:
    nobody = (0,) * event.seats
    face_down = iter(_spread(event.covering, len(event.planets) * event.places_a_ray))
    rays = tuple(
        (
            Place(ray, 1, nobody, planet=planet),
            *(Place(ray, orbit, nobody, face_down=next(face_down)) for orbit in range(2, event.places_a_ray + 2)),
        )
        for ray, planet in enumerate(event.planets)
    )
    return State(
        with_gravity=event.with_gravity,
        compensation=event.compensation,
        fourth_cube=event.fourth_cube,
        removal=event.removal,
        system=System(rays),
        star=event.star,
        cloud=event.cloud,
        discs=event.discs,
        gravity_pool=event.gravity_pool,
        players=(Player(),) * event.seats,
        reserves=tuple((planet,) for planet in event.reserves),
        bag=_spread(event.bag, event.bag_size),
        stack=_spread(event.space_stack, event.stack_size),
        first_seat=event.first_seat,
        active=event.first_seat,
    )


def _spread(tiles: Secret[tuple[str, ...]], count: int) -> tuple[Unseen, ...]:
    """So many tiles: known, or each HIDDEN."""
    return (HIDDEN,) * count if isinstance(tiles.value, Hidden) else tiles.value


def _without(row: tuple[str, ...], item: str) -> tuple[str, ...]:
    return tuple(other for other in row if other != item)


def _with_places(state: State, *places: Place) -> State:
    return changed(state, system=state.system.put(*places))


def _with_player(state: State, seat: Seat, player: Player) -> State:
    return changed(state, players=_seated(state.players, seat, player))


def _seated(players: tuple[Player, ...], seat: Seat, player: Player) -> tuple[Player, ...]:
    return (*players[:seat], player, *players[seat + 1 :])


def _traded(
    state: State, seat: Seat, *, paid: Crystals = NOTHING, gained: Crystals = NOTHING, markers: int = 0, waived: int = 0
) -> State:
    """Crystals went from a seat to the cloud and from the cloud to it, and markers to their pool."""
    was = state.players[seat]
    player = replace(was, crystals=was.crystals - paid + gained, gravity=was.gravity - markers)
    return changed(
        state,
        players=_seated(state.players, seat, player),
        cloud=state.cloud + paid - gained,
        gravity_pool=state.gravity_pool + markers,
        discount=state.discount - waived,
    )


def _undoable(before: State, then: State, seat: Seat, *life: LifeRestored) -> State:
    """The changed state, holding the event that would take the change back."""
    was = before.players[seat]
    undone = Undone(seat, was.crystals, before.cloud, was.gravity, before.gravity_pool, before.discount, life)
    return changed(then, takebacks=(*then.takebacks, undone))


def _into_hand(state: State, seat: Seat, tile: Unseen) -> State:
    player = state.players[seat]
    return _with_player(state, seat, replace(player, hand=(*player.hand, tile)))


def _without_tile(player: Player, tile: str) -> Player:
    """A tile left the hand: the known one, or one of those that the folding viewer does not know."""
    at = player.hand.index(tile if tile in player.hand else HIDDEN)
    return replace(player, hand=player.hand[:at] + player.hand[at + 1 :])

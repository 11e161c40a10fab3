"""What anyone may see of a duel: all of it, and what each ship could do now; and events in English."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType

from domain.ruleset import Seat, Viewer
from domain.rulesets.novagravity.board import Cause, Ending, Kind, Side, Unit
from domain.rulesets.novagravity.events import (
    Deed,
    DrawDeclined,
    DrawOffered,
    DuelEnded,
    DuelStarted,
    Event,
    Loss,
    ShipActed,
)
from domain.rulesets.novagravity.hexes import NAMES, Hex
from domain.rulesets.novagravity.legality import attackers, legal_actions
from domain.rulesets.novagravity.movement import kind_of
from domain.rulesets.novagravity.position import MOTHER, SHIPS, SIDES, Position, side_of, text_of, unit_of
from domain.rulesets.novagravity.state import State


@dataclass(frozen=True, slots=True)
class Ship:
    """A ship on the board."""

    at: str
    side: Side
    unit: Unit


@dataclass(frozen=True, slots=True)
class Targets:
    """What the ship at `origin` can do this turn: the hexes it can move to, and the enemies in reach of each attack."""

    origin: str
    unit: Unit
    move: tuple[str, ...]
    close: tuple[str, ...]
    ranged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NovagravityView:
    """A duel as anyone may see it.

    `position` is the board in one line: ships row by row from the top (capitals are Blue's), side to act, obstacles,
    plies since a ship was destroyed or promoted, plies played; it starts a practice game as it stands.
    `to_act` is null when the duel is over. `in_check` is the Mother Ship of the side to act, if enemies at `checked_by`
    could destroy her in one blow. `in_danger` are the ships on black holes: each must move in its own side's turn.
    `occurrences` counts this position, `offer_rests` (by seat) the actions before a seat may offer a draw again.
    """

    position: str
    blue: Seat
    to_act: Seat | None
    side: Side
    layout_seed: str | None
    no_progress: bool
    plies: int
    quiet_plies: int
    occurrences: int
    in_check: Ship | None
    checked_by: tuple[Ship, ...]
    in_danger: tuple[Ship, ...]
    targets: tuple[Targets, ...]
    last: Deed | None
    draw_offered_by: Seat | None
    offer_rests: tuple[int, ...]


def view(state: State, viewer: Viewer) -> NovagravityView:
    """The duel for any viewer: nothing in it is hidden."""
    position, quiet_plies, plies = state.standing
    going_on = state.end is None
    mother = position.cells.find(position.side | MOTHER)
    checkers = attackers(position) if state.check else []
    return NovagravityView(
        position=text_of(state.standing),
        blue=state.blue,
        to_act=state.to_act if going_on else None,
        side=SIDES[position.side],
        layout_seed=state.layout_seed,
        no_progress=state.no_progress,
        plies=plies,
        quiet_plies=quiet_plies,
        occurrences=state.occurrences,
        in_check=_ship(position, mother) if state.check else None,
        checked_by=tuple(_ship(position, hex_) for hex_ in checkers),
        in_danger=tuple(_ship(position, hex_) for hex_ in position.terrain.holes if position.cells[hex_] >= SHIPS),
        targets=tuple(_targets(position)) if going_on else (),
        last=state.last,
        draw_offered_by=state.offered_by,
        offer_rests=state.rests,
    )


def narrate(event: Event) -> str:
    """One English sentence."""
    match event:
        case DuelStarted(blue, layout_seed, check=check):
            board = "from a given position" if layout_seed is None else f"on the board of layout seed {layout_seed}"
            return f"The duel starts {board}; seat {blue} commands Blue{', and there is a check' if check else ''}."
        case ShipActed(_, deed, check):
            return f"{_deed(deed)}{'; check' if check else ''}."
        case DrawOffered(seat):
            return f"Seat {seat} offers a draw."
        case DrawDeclined(seat):
            return f"Seat {seat} refuses the draw."
        case DuelEnded(ending, winner):
            return f"{'The duel is drawn' if winner is None else f'Seat {winner} wins the duel'}: {_ENDINGS[ending]}."


def _ship(position: Position, hex_: Hex) -> Ship:
    return Ship(NAMES[hex_], side_of(position.cells[hex_]), unit_of(position.cells[hex_]))


def _targets(position: Position) -> Iterator[Targets]:
    for origin, actions in groupby(legal_actions(position), key=itemgetter(0)):
        found: dict[Kind, list[str]] = {kind: [] for kind in Kind}
        for _, target in actions:
            found[kind_of(position.cells, origin, target)].append(NAMES[target])
        unit = unit_of(position.cells[origin])
        yield Targets(NAMES[origin], unit, *(tuple(found[kind]) for kind in (Kind.MOVE, Kind.CLOSE, Kind.RANGED)))


def _deed(deed: Deed) -> str:
    ship = f"{deed.side.capitalize()}'s {_name(deed.unit)}"
    clauses = [f"{ship} {_VERBS[deed.kind].format(origin=deed.origin, target=deed.target)}"]
    clauses += [_loss(loss) for loss in deed.destroyed]
    if deed.recoiled and deed.landed is not None:
        clauses.append(f"the {_name(deed.unit)} recoils to {deed.landed}")
    if deed.promoted:
        clauses.append(f"the {_name(deed.unit)} is promoted to {_name(Unit.STAR_BOMBER)}")
    return "; ".join(clauses)


def _loss(loss: Loss) -> str:
    return f"{loss.side.capitalize()}'s {_name(loss.unit)} at {loss.at} {_FATES[loss.cause]}"


def _name(unit: Unit) -> str:
    return unit.replace("_", " ").title()


_VERBS: Mapping[Kind, str] = MappingProxyType(
    {
        Kind.MOVE: "moves from {origin} to {target}",
        Kind.CLOSE: "at {origin} attacks {target} at close quarters",
        Kind.RANGED: "at {origin} fires at {target}",
    }
)

_FATES: Mapping[Cause, str] = MappingProxyType(
    {
        Cause.RAMMED: "is destroyed",
        Cause.SHOT: "is destroyed",
        Cause.ABSORBED: "takes the blow and is destroyed",
        Cause.REPELLED: "is destroyed with it",
        Cause.SWALLOWED: "is swallowed by the black hole",
    }
)

_ENDINGS: Mapping[Ending, str] = MappingProxyType(
    {
        Ending.CHECKMATE: "checkmate",
        Ending.MOTHER_DESTROYED: "the enemy Mother Ship is destroyed",
        Ending.CONSUMED: "the enemy Mother Ship is lost to the black hole",
        Ending.RESIGNED: "the opponent resigned",
        Ending.LAPSED: "the opponent ran out of time",
        Ending.STALEMATE: "stalemate",
        Ending.INSUFFICIENT: "neither fleet can force checkmate",
        Ending.THREEFOLD: "the same position for the third time",
        Ending.AGREEMENT: "by agreement",
        Ending.NO_PROGRESS: "nothing was destroyed or promoted for too long",
    }
)

"""The folded duel, and how each event changes it."""

from dataclasses import dataclass, replace

from domain.ruleset import Seat
from domain.rulesets.novagravity.board import Unit
from domain.rulesets.novagravity.events import Deed, DrawDeclined, DrawOffered, DuelEnded, DuelStarted, Event, ShipActed
from domain.rulesets.novagravity.hexes import HEX_NAMED
from domain.rulesets.novagravity.position import (
    BITS,
    BLUE,
    BOTH_SIDES,
    KEY_BYTES,
    Position,
    Standing,
    ship_of,
    standing_of,
)


@dataclass(frozen=True, slots=True)
class State:
    """A duel. `seen` are the keys, end to end, of the positions since a ship was last destroyed or promoted.

    `rests`: for each seat the actions it completes before it may offer a draw again. `last`: the latest action.
    """

    blue: Seat
    layout_seed: str | None
    no_progress: bool
    standing: Standing
    check: bool
    seen: bytes
    offered_by: Seat | None = None
    rests: tuple[int, int] = (0, 0)
    last: Deed | None = None
    end: DuelEnded | None = None

    @property
    def position(self) -> Position:
        """The position, without its counters."""
        return self.standing.position

    @property
    def to_act(self) -> Seat:
        """The seat whose turn it is, or was when the duel ended."""
        return self.blue if self.position.side == BLUE else 1 - self.blue

    @property
    def occurrences(self) -> int:
        """How often the present position has occurred, this time included."""
        keys = [self.seen[at : at + KEY_BYTES] for at in range(0, len(self.seen), KEY_BYTES)]
        return keys.count(keys[-1])


def evolve(state: State | None, event: Event) -> State:
    """The duel after one event; None is the state before the first. Reads no rules and refuses nothing."""
    if isinstance(event, DuelStarted):
        standing = standing_of(event.position)
        return State(
            event.blue, event.layout_seed, event.no_progress, standing, event.check, seen=standing.position.key
        )
    assert state is not None, "a duel starts before anything happens in it"
    match event:
        case ShipActed():
            return _acted(state, event)
        case DrawOffered(seat):
            return replace(state, offered_by=seat)
        case DrawDeclined(seat, rest_actions):
            return replace(state, offered_by=None, rests=_with(state.rests, 1 - seat, rest_actions))
        case DuelEnded():
            return replace(state, offered_by=None, end=event)


def _acted(state: State, event: ShipActed) -> State:
    deed = event.deed
    position = _after(state.position, deed)
    settled = bool(deed.destroyed) or deed.promoted
    _, quiet_plies, plies = state.standing
    return replace(
        state,
        standing=Standing(position, 0 if settled else quiet_plies + 1, plies + 1),
        check=event.check,
        seen=position.key if settled else state.seen + position.key,
        rests=_with(state.rests, event.seat, max(0, state.rests[event.seat] - 1)),
        last=deed,
    )


def _after(position: Position, deed: Deed) -> Position:
    cells, land = bytearray(position.cells), position.terrain.land
    for name in (deed.origin, *(loss.at for loss in deed.destroyed)):
        cells[HEX_NAMED[name]] = land[HEX_NAMED[name]]
    if deed.landed is not None:
        cells[HEX_NAMED[deed.landed]] = ship_of(deed.side, Unit.STAR_BOMBER if deed.promoted else deed.unit)
    return Position(bytes(cells), position.terrain, BITS[deed.side] ^ BOTH_SIDES)


def _with(rests: tuple[int, int], seat: Seat, rest: int) -> tuple[int, int]:
    return (rest, rests[1]) if seat == 0 else (rests[0], rest)

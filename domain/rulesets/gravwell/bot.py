"""The house bot: it plays every order it may give against hands its rivals may hold, one phase ahead."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from domain.chance import Draw, Draws
from domain.ruleset import Seat
from domain.rulesets.gravwell.board import GATE, SHIPS, SINGULARITY, Fuel, Kind, Ships
from domain.rulesets.gravwell.commands import Command, DecideStop, DraftStack, PlayFuel, Stop
from domain.rulesets.gravwell.rules import resolved
from domain.rulesets.gravwell.state import moved
from domain.rulesets.gravwell.view import GravwellView

GUESSES: Final = 24
"""How many sets of rival cards an order is tried against."""

ESCAPE: Final = 1000
"""What the Warp Gate is worth, in half spaces."""

KEPT_STOP: Final = 6
"""What an Emergency Stop still ready is worth, in half spaces."""

APPEAL: Final[Mapping[Kind, int]] = MappingProxyType({Kind.STANDARD: 0, Kind.REPULSOR: 1, Kind.TRACTOR: 2})
"""What a card of a kind is worth in a draft beside its number."""

Cards: TypeAlias = Mapping[Seat, Fuel]
"""The cards of a phase that are still to be resolved."""


def advise(view: GravwellView, legal: tuple[Command, ...], draws: Draws) -> Command:
    """The command the bot of `view.my_seat` prefers among the legal ones, of which there is at least one."""
    me = view.my_seat
    assert me is not None, "the public has nothing to decide"
    guesses = _guesses(view, me, draws("advice")) if any(isinstance(command, PlayFuel) for command in legal) else ()

    def worth(command: Command) -> int:
        match command:
            case DraftStack(stack):
                return _appeal(view, stack)
            case PlayFuel(card, stop):
                return sum(_worth(view, me, {**guess, me: card}, stop) for guess in guesses)
            case DecideStop(stop):
                return _worth(view, me, _left(view), Stop.ALWAYS if stop else Stop.NEVER)

    return max((command for command in legal if not _asks(command)), key=worth)


def _asks(command: Command) -> bool:
    """A bot need not be asked: it knows beforehand."""
    return isinstance(command, PlayFuel) and command.stop is Stop.ASK


def _appeal(view: GravwellView, at: int) -> int:
    assert view.draft is not None, "stacks lie there during a draft"
    stack = view.draft.stacks[at]
    seen = (card for card in (stack.face_up, stack.face_down) if card is not None)
    return sum(card.number + APPEAL[card.kind] for card in seen)


def _guesses(view: GravwellView, me: Seat, draw: Draw) -> tuple[Cards, ...]:
    """What the rivals may have chosen: any card of a hand of those seen and some of those not seen anywhere."""
    seen = {*(view.hand or ()), *(card for seat in view.seats for card in (*seat.open_cards, *seat.played))}
    unseen = tuple(card for card in Fuel if card not in seen)
    return tuple(_guess(view, me, draw, list(draw.shuffled(unseen))) for _ in range(GUESSES))


def _guess(view: GravwellView, me: Seat, draw: Draw, unseen: list[Fuel]) -> Cards:
    cards = {}
    for rival in view.seats:
        if rival.seat != me:
            at = draw.below(rival.hand_size)
            cards[rival.seat] = rival.open_cards[at] if at < len(rival.open_cards) else unseen.pop()
    return cards


def _left(view: GravwellView) -> Cards:
    """The revealed cards that are still to be resolved."""
    assert view.trace is not None, "a stop is asked after a reveal"
    done = {step.seat for step in view.trace.steps}
    return {seat: card for seat, card in enumerate(view.trace.cards) if seat not in done}


def _worth(view: GravwellView, me: Seat, cards: Cards, stop: Stop) -> int:
    """What the track is worth, in half spaces, once these cards are resolved and no rival has stopped."""
    ships = _ships(view)
    kept = KEPT_STOP
    for card, seat in sorted((card, seat) for seat, card in cards.items()):
        moves = resolved(ships, seat, card, view.options, view.age_rank).moves
        backward = any(move.ship == me and move.is_backward for move in moves)
        if seat == me and ((stop is Stop.ALWAYS and moves) or (stop is Stop.IF_BACKWARD and backward)):
            kept = 0
            continue
        ships = moved(ships, moves)
        if GATE in ships[: len(view.seats)]:
            break
    return _standing(ships, me, len(view.seats)) + kept


def _ships(view: GravwellView) -> Ships:
    spaces = {ship.ship: ship.space for ship in view.track}
    return tuple(spaces.get(ship) for ship in range(SHIPS))


def _standing(ships: Ships, me: Seat, seats: int) -> int:
    """Twice one's own space less that of the foremost rival, and the gate above all."""
    spaces = [space or SINGULARITY for space in ships[:seats]]
    if GATE in spaces:
        return ESCAPE if spaces[me] == GATE else -ESCAPE
    return 2 * spaces[me] - max(space for seat, space in enumerate(spaces) if seat != me)

"""The tiles a seat holds, as the rules ask for them."""

from collections.abc import Iterator

from domain.ruleset import Refused, Seat
from domain.rulesets.exoplanets.state import State, known
from domain.rulesets.exoplanets.tiles import TILES, Tile


def hand_of(state: State, seat: Seat) -> Iterator[Tile]:
    """The tiles in a seat's hand."""
    return (TILES[tile] for tile in known(state.players[seat].hand))


def tile_of(state: State, seat: Seat, tile: str) -> Tile:
    """A tile of a seat's hand. Raises Refused("NOT_IN_HAND")."""
    if tile not in state.players[seat].hand:
        raise Refused("NOT_IN_HAND", tile=tile)
    return TILES[tile]

"""The rules once more, as plainly as they can be said: dictionaries of axial coordinates, no tables, no speed."""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

At: TypeAlias = tuple[int, int]
Fleet: TypeAlias = dict[At, str]
"""Where what stands: `bE` is Blue's Escort."""

RANGES = {"M": (1, 0, 1), "D": (1, 1, 1), "E": (2, 1, 2), "C": (4, 2, 0), "W": (3, 3, 0), "B": (4, 2, 4)}
WEAPONS = {"M": "close", "D": "ranged", "E": "close", "C": "ranged", "W": "close", "B": "both"}
H, V, O = range(3)  # noqa: E741  (the rules' own letters)
E, W, NE, NW, SE, SW, N, S = (1, 0), (-1, 0), (1, -1), (0, -1), (0, 1), (-1, 1), (1, -2), (-1, 2)
AXES = {E: H, W: H, NE: O, NW: O, SE: O, SW: O, N: V, S: V}
RIGHT_THEN_LEFT = {N: (NE, NW), S: (SW, SE)}


class Board(NamedTuple):
    """Ships, terrain (letters S, H, P, A) and the side to act, `b` or `r`."""

    ships: Fleet
    terrain: dict[At, str]
    side: str


class Option(NamedTuple):
    """Something a ship can do: where from, where to, how, and by how many steps in which direction."""

    origin: At
    target: At
    kind: str
    direction: At
    steps: int


def add(a: At, b: At, times: int = 1) -> At:
    return a[0] + b[0] * times, a[1] + b[1] * times


def distance(a: At, b: At) -> int:
    q, r = b[0] - a[0], b[1] - a[1]
    return max(abs(q), abs(r), abs(q + r))


def norm(a: At, b: At = (0, 0)) -> int:
    q, r = b[0] - a[0], b[1] - a[1]
    return q * q + q * r + r * r


def on_board(at: At) -> bool:
    return distance(at, (0, 0)) <= 7


def blocks(terrain: str, unit: str) -> bool:
    return terrain in {"S", "P"} or (terrain == "A" and unit != "D")


def scan(board: Board, origin: At) -> Iterator[Option]:
    side, unit = board.ships[origin][0], board.ships[origin][1]
    for direction, axis in AXES.items():
        at = origin
        for steps in range(1, RANGES[unit][axis] + 1):
            following = add(at, direction)
            if not on_board(following):
                break
            lanes = [add(at, lane) for lane in RIGHT_THEN_LEFT.get(direction, ())]
            if unit != "W" and any(lane in board.ships or blocks(board.terrain.get(lane, ""), unit) for lane in lanes):
                break
            ground = board.terrain.get(following, "")
            if following not in board.ships:
                if not blocks(ground, unit):
                    yield Option(origin, following, "move", direction, steps)
                elif unit != "W":
                    break
                if ground == "H" and unit != "W":
                    break
            else:
                if board.ships[following][0] != side:
                    kind = WEAPONS[unit] if WEAPONS[unit] != "both" else "close" if steps == 1 else "ranged"
                    possible = not (kind == "ranged" and board.terrain.get(origin) == "A")
                    if ground == "A":
                        possible &= unit != "M" and not (kind == "close" and axis != V and unit != "D")
                    if possible:
                        yield Option(origin, following, kind, direction, steps)
                if unit != "W":
                    break
            at = following


def escort_for(board: Board, mother: At, attacker: At) -> At | None:
    side = board.ships[mother][0]
    sign = 1 if side == "b" else -1
    escorts = [at for at, ship in board.ships.items() if ship == side + "E" and distance(at, mother) == 1]

    def preference(at: At) -> tuple[int, int, int, int]:
        return distance(at, attacker), norm(at, attacker), sign * at[1], sign * at[0]

    return min(escorts, key=preference, default=None)


def recoil(ships: Fleet, board: Board, option: Option) -> At:
    last = add(option.origin, option.direction, option.steps - 1)
    free = [
        lane
        for lane in (add(last, side) for side in RIGHT_THEN_LEFT[option.direction])
        if on_board(lane) and lane not in ships and board.terrain.get(lane, "") in {"", "H"}
    ]
    if len(free) == 2 and norm(free[1]) < norm(free[0]):
        return free[1]
    return free[0] if free else option.origin


def apply(board: Board, option: Option) -> Board:
    ships = dict(board.ships)
    ship = ships[option.origin]
    if option.kind == "move":
        del ships[option.origin]
        promoted = ship[1] == "D" and option.target[1] == (7 if ship[0] == "b" else -7)
        ships[option.target] = ship[0] + "B" if promoted else ship
    else:
        absorber = escort_for(board, option.target, option.origin) if ships[option.target][1] == "M" else None
        if absorber is not None:
            del ships[absorber]
            if option.kind == "close":
                del ships[option.origin]
        else:
            del ships[option.target]
            if option.kind == "close":
                end = recoil(ships, board, option) if AXES[option.direction] == V else option.target
                del ships[option.origin]
                ships[end] = ship
    for at, ground in board.terrain.items():
        if ground == "H" and board.ships.get(at, "")[:1] == board.side == ships.get(at, "")[:1]:
            del ships[at]
    return Board(ships, board.terrain, "r" if board.side == "b" else "b")


def mother_of(board: Board, side: str) -> At | None:
    return next((at for at, ship in board.ships.items() if ship == side + "M"), None)


def in_check(board: Board, side: str) -> bool:
    mother = mother_of(board, side)
    assert mother is not None
    if any(ship == side + "E" and distance(at, mother) == 1 for at, ship in board.ships.items()):
        return False
    return any(
        option.target == mother and option.kind != "move"
        for at, ship in board.ships.items()
        if ship[0] != side
        for option in scan(board, at)
    )


def legal(board: Board) -> Iterator[Option]:
    rival = "r" if board.side == "b" else "b"
    for at, ship in board.ships.items():
        if ship[0] == board.side:
            for option in scan(board, at):
                after = apply(board, option)
                if mother_of(after, board.side) and (not mother_of(after, rival) or not in_check(after, board.side)):
                    yield option

"""How fast legal actions are found: perft(3) of layout 1 beside python-chess's perft(4) from the opening, in one run.

    python -m tests.bench.novagravity_perft

Needs `pip install chess`. Each is run several times by turns and the best of each counts, so that whatever else the
machine does disturbs the ratio little.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from time import perf_counter
from typing import Any, Final

from domain.rulesets.novagravity.layout import terrain_of
from domain.rulesets.novagravity.legality import legal_actions
from domain.rulesets.novagravity.perft import perft
from domain.rulesets.novagravity.position import opening

RUNS: Final = 5
RATIO_MIN: Final = 0.25

DUEL_LEAVES: Final = 69816
CHESS_LEAVES: Final = 197281
OPENING_LOOKS: Final = 1000


def main() -> int:
    """Print both speeds and their ratio; 1 if the ratio is too low."""
    chess: Any = import_module("chess")
    position = opening(terrain_of(1))
    assert perft(position, 3) == DUEL_LEAVES
    assert chess_perft(chess.Board(), 4) == CHESS_LEAVES
    duels, games = [], []
    for _ in range(RUNS):
        duels.append(seconds(lambda: perft(position, 3)))
        games.append(seconds(lambda: chess_perft(chess.Board(), 4)))
    looks = seconds(lambda: [legal_actions(position) for _ in range(OPENING_LOOKS)])
    duel, game = DUEL_LEAVES / min(duels), CHESS_LEAVES / min(games)
    print(f"all legal actions of the opening: {looks / OPENING_LOOKS * 1e6:.0f} us")  # noqa: T201
    print(f"novagravity perft(3) of layout 1: {duel:,.0f} leaf nodes/s")  # noqa: T201
    print(f"python-chess perft(4) of the opening: {game:,.0f} leaf nodes/s")  # noqa: T201
    print(f"ratio: {duel / game:.2f} (at least {RATIO_MIN})")  # noqa: T201
    return int(duel / game < RATIO_MIN)


def chess_perft(board: Any, depth: int) -> int:
    """The sequences of legal moves, counted as python-chess's own example does: the last ply is not played."""
    if depth == 1:
        return int(board.legal_moves.count())
    count = 0
    for move in board.legal_moves:
        board.push(move)
        count += chess_perft(board, depth - 1)
        board.pop()
    return count


def seconds(run: Callable[[], object]) -> float:
    """How long it takes."""
    started = perf_counter()
    run()
    return perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())

"""(a) Durable turns a second through HTTP and GraphQL, beside Postgres's commits and two libraries that play games.

python -m tests.bench.turns
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from statistics import median
from typing import Any, Final

from tests.bench.beside import Commits, boardgame, boardgame_moves, event_sourced
from tests.bench.figures import Figure, alone, alternated, at_least, reading
from tests.bench.ground import Ground
from tests.bench.load import Taken, taken

CLIENTS: Final = (1, 8, 32)
MOST: Final = CLIENTS[-1]
ROUNDS: Final = 3
SECONDS: Final = 4.0

LIMIT_SHARE: Final = 0.15
BOARDGAME_TIMES: Final = 1.0
EVENT_SOURCED_TIMES: Final = 3.0

DOING_NOTHING: Final = (sys.executable, "-m", "tests.bench.doing_nothing")


def figures(ground: Ground) -> Iterator[Figure]:
    """The figures of (a)."""
    commits = Commits(ground)
    with ExitStack() as stack:
        ours = stack.enter_context(ground.serving(ground.database("turns")))
        idle = stack.enter_context(ground.serving(ground.database("nothing"), DOING_NOTHING))
        games = stack.enter_context(boardgame())
        measures: dict[str, Callable[[], Any]] = {
            "pgbench": partial(commits.a_second, MOST, SECONDS),
            "eventsourcing": partial(event_sourced, ground, {"clients": MOST, "seconds": SECONDS}),
            "nothing": partial(taken, idle, MOST, SECONDS, again=True),
        }
        for clients in CLIENTS:
            measures[f"slowlight {clients}"] = partial(taken, ours, clients, SECONDS)
            measures[f"boardgame.io {clients}"] = partial(boardgame_moves, games, clients, SECONDS)
        found = alternated(ROUNDS, measures)
    yield from _figures(found)


def _figures(found: dict[str, list[Any]]) -> Iterator[Figure]:
    rates = {f"slowlight {clients}": median(_rates(found[f"slowlight {clients}"])) for clients in CLIENTS}
    turns, absolute = rates[f"slowlight {MOST}"], f"{rates[f'slowlight {MOST}']:,.0f} turns/s"
    limit = median(found["pgbench"])
    yield at_least(
        LIMIT_SHARE,
        f"(a) durable turns, {MOST} clients",
        absolute,
        f"pgbench, prepared single-row commits, {MOST} clients: {limit:,.0f}/s",
        turns / limit,
    )
    peer = median(_moves(found[f"boardgame.io {MOST}"]))
    yield at_least(
        BOARDGAME_TIMES,
        f"(a) durable turns, {MOST} clients",
        absolute,
        f"boardgame.io in memory, {MOST} clients: {peer:,.0f} moves/s",
        turns / peer,
    )
    library = median(_moves(found["eventsourcing"]))
    yield at_least(
        EVENT_SOURCED_TIMES,
        f"(a) durable turns, {MOST} clients",
        absolute,
        f"eventsourcing, load, decide, append, {MOST} threads: {library:,.0f}/s",
        turns / library,
    )
    nothing = median(_rates(found["nothing"]))
    yield reading("(a) the same mutation, doing nothing", f"{nothing:,.0f}/s", absolute, nothing / turns)
    for clients in CLIENTS:
        ours: list[Taken] = found[f"slowlight {clients}"]
        rate, moves = rates[f"slowlight {clients}"], median(_moves(found[f"boardgame.io {clients}"]))
        latency = (
            f"p50 {median(one.p50 for one in ours) * 1e3:.1f} ms, p99 {median(one.p99 for one in ours) * 1e3:.1f} ms"
        )
        yield reading(
            f"(a) turns, {clients} client{'s' * (clients > 1)}",
            f"{rate:,.0f} turns/s, {latency}",
            f"boardgame.io: {moves:,.0f} moves/s",
            rate / moves,
        )
    ours = found[f"slowlight {MOST}"]
    server, client = (
        median(getattr(one, side) / one.turns * 1e6 for one in ours) for side in ("server_cpu", "client_cpu")
    )
    yield reading(
        "(a) CPU a turn, server", f"{server:,.0f} us", f"the clients' own process: {client:,.0f} us", server / client
    )
    moved = found[f"boardgame.io {MOST}"]
    server, client = (median(one[side] / one["turns"] * 1e6 for one in moved) for side in ("server_cpu", "client_cpu"))
    yield reading(
        "(a) CPU a move, boardgame.io",
        f"{server:,.0f} us",
        f"the clients' own process: {client:,.0f} us",
        server / client,
    )


def _rates(found: list[Taken]) -> list[float]:
    return [one.rate for one in found]


def _moves(found: list[dict[str, float]]) -> list[float]:
    return [one["turns"] / one["seconds"] for one in found]


if __name__ == "__main__":
    alone(figures)

"""The `eventsourcing` library on the same Postgres: load, decide, append; and the fold of a long stream.

    .venv/bench/bin/python -m tests.bench.peers.event_sourced '{"fold": 2000, "times": 9}'
    .venv/bench/bin/python -m tests.bench.peers.event_sourced '{"clients": 32, "seconds": 4}'

The address of the database is in the variables that the library reads. It is installed apart from all else.
"""

import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter, process_time
from typing import Any, Final
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

CARDS: Final = "ABCDEF"
BATCH: Final = 500
"""How many events are saved at once where a long stream is made."""


class Game(Aggregate):  # type: ignore[misc]
    """A game in which two seats choose cards, each event as long as one of ours is stored."""

    @event("Opened")  # type: ignore[untyped-decorator]
    def __init__(self, secret_hash: str) -> None:
        self.secret_hash = secret_hash
        self.chosen: dict[str, tuple[str, str]] = {}
        self.choices = 0

    def choose(self, seat: int, card: str, stop: str, submission: str) -> None:
        """Choose a card, if the seat has it."""
        if card not in CARDS:
            raise ValueError(card)
        self.chose(seat, card, stop, submission, self.secret_hash)

    @event("Chose")  # type: ignore[untyped-decorator]
    def chose(self, seat: int, card: str, stop: str, submission: str, commitment: str) -> None:
        """A card was chosen."""
        self.chosen[str(seat)] = (card, stop)
        self.choices += 1


class Table(Application):  # type: ignore[misc]
    """Where games are played."""

    def open(self) -> UUID:
        """The id of a new game."""
        game = Game("5" * 64)
        self.save(game)
        return UUID(str(game.id))

    def turn(self, game_id: UUID, nth: int) -> None:
        """Load, decide, append."""
        game = self.repository.get(game_id)
        game.choose(0, CARDS[nth % len(CARDS)], "NEVER", f"{nth:032x}")
        self.save(game)


def turns(table: Table, clients: int, seconds: float) -> dict[str, float]:
    """What so many clients come to, each with a game of its own, a thread a client."""
    games = [table.open() for _ in range(clients)]
    began, cpu = perf_counter(), process_time()

    def busy(game_id: UUID) -> int:
        taken = 0
        while perf_counter() < began + seconds:
            taken += 1
            table.turn(game_id, taken)
        return taken

    with ThreadPoolExecutor(clients) as pool:
        taken = sum(pool.map(busy, games))
    return {"turns": taken, "seconds": perf_counter() - began, "cpu": process_time() - cpu}


def folds(table: Table, events: int, times: int) -> dict[str, Any]:
    """How long it takes to load a game of so many events, each time from the database."""
    game_id = table.open()
    game = table.repository.get(game_id)
    for nth in range(1, events):
        game.choose(0, CARDS[nth % len(CARDS)], "NEVER", f"{nth:032x}")
        if nth % BATCH == 0:
            table.save(game)
    table.save(game)
    seconds = []
    for _ in range(times):
        began = perf_counter()
        loaded = table.repository.get(game_id)
        seconds.append(perf_counter() - began)
        assert loaded.version == events
    return {"events": events, "seconds": seconds}


def main(arguments: Sequence[str]) -> None:
    """Do what the order says, and print what came of it as JSON."""
    order = json.loads(arguments[0])
    table = Table({"PERSISTENCE_MODULE": "eventsourcing.postgres", "POSTGRES_POOL_SIZE": "32"})
    if "fold" in order:
        found: dict[str, Any] = folds(table, order["fold"], order["times"])
    else:
        found = turns(table, order["clients"], order["seconds"])
    table.close()
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

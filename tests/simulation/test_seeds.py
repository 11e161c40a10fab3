"""A handful of simulations; `make soak` runs a hundred."""

import asyncio

import pytest

from tests.simulation.nursery import Nursery
from tests.simulation.servers import Mortal
from tests.simulation.simulation import simulate


@pytest.mark.parametrize("seed", [1, 2, 4])
def test_every_promise_is_kept_whatever_is_killed(seed: int, servers_to_kill: Mortal, born: Nursery) -> None:
    faults = asyncio.run(simulate(seed, servers_to_kill, born))
    assert not faults, "\n".join(faults)


def test_servers_crash_one_at_a_time_in_every_simulation(servers_to_kill: Mortal) -> None:
    async def crashed_together() -> None:
        await asyncio.gather(*(servers_to_kill.crash_valkey() for _ in range(2)))

    for _ in range(2):
        asyncio.run(crashed_together())

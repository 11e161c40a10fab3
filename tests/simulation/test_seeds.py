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

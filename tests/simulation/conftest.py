"""What the simulations share: servers that may be killed, and the nursery of the processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.simulation.nursery import Nursery, nursery
from tests.simulation.servers import Mortal, mortal


@pytest.fixture(scope="session")
def servers_to_kill(open_folder: Path) -> Iterator[Mortal]:
    """A PostgreSQL and a Valkey of their own, which no other test is on."""
    with mortal(open_folder / "mortal") as servers:
        yield servers


@pytest.fixture(scope="session")
def born() -> Iterator[Nursery]:
    """Where processes are born."""
    with nursery() as born:
        yield born

"""What the tests of following share: a database, and a service on it whose followers hear by hints alone."""

from collections.abc import AsyncIterator

import pytest

from service.servers import Servers
from tests.api.server import new_database
from tests.following.hall import Hall, Served, hall_on, served
from tests.service.database import Database


@pytest.fixture(scope="session")
def database(servers: Servers) -> Database:
    """A migrated database; its games get on with one another."""
    return Database(new_database(servers, "following"), servers.redis_url)


@pytest.fixture(scope="module")
async def hall(database: Database) -> AsyncIterator[Hall]:
    """A service for the tests of a module."""
    async with hall_on(database) as hall:
        yield hall


@pytest.fixture(scope="module")
async def site(hall: Hall) -> AsyncIterator[Served]:
    """The same behind HTTP."""
    async with served(hall.service) as site:
        yield site

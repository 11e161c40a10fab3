"""One real service for the tests of the API, and people to ask it."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from service.servers import Servers
from tests.api.asking import Person, Table, registered, seated
from tests.api.server import Serving, new_database, serving

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def api(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """The service."""
    log: Path = tmp_path_factory.mktemp("api") / "log"
    with serving(new_database(servers, "api"), servers.redis_url, log) as started:
        yield started


@pytest.fixture(scope="session")
def nobody(api: Serving) -> Iterator[Person]:
    """Somebody who is not signed in."""
    with Person(api.address) as person:
        yield person


@pytest.fixture(scope="session")
def join(api: Serving) -> Iterator[Callable[[str], Person]]:
    """Make an account under a handle that begins like this."""
    people: list[Person] = []

    def join(name: str) -> Person:
        people.append(registered(api.address, f"{name}-{next(_NUMBERS)}"))
        return people[-1]

    yield join
    for person in people:
        person.close()


@pytest.fixture
def ann(join: Callable[[str], Person]) -> Person:
    """A player."""
    return join("ann")


@pytest.fixture
def bob(join: Callable[[str], Person]) -> Person:
    """Another one."""
    return join("bob")


@pytest.fixture
def table(ann: Person, bob: Person) -> Table:
    """A running game of Gravwell: Ann on seat 0, Bob on seat 1."""
    return seated(ann, bob)


@pytest.fixture(scope="session")
def still(join: Callable[[str], Person]) -> Table:
    """A game like `table`, shared by tests after which it stands as before."""
    return seated(join("ann"), join("bob"))

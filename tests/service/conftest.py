"""What the tests of the service share: databases of their own, services on them, and a clock that can be put ahead."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count

import psycopg
import pytest
import structlog
from psycopg import sql
from structlog.testing import LogCapture

from domain.catalogue import CATALOGUE, NEWEST, AnyRuleset
from service.codec import codec_of
from service.keyring import Keyring
from service.migrating import migrate
from service.process import Role, running
from service.servers import Servers
from tests.service.database import Database, beside
from tests.service.house import Another, House

EVERY_ROLE = frozenset(Role)
NO_CLOCK = frozenset({Role.API})

KEYRING = Keyring("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
"""The key of the first example of RFC 8032."""

_number = count()


@pytest.fixture(scope="session")
def template(servers: Servers) -> str:
    """The name of a migrated database to copy. Nobody pulls the plug here, so the server need not wait for the disk."""
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        connection.execute("create database template_of_tests")
        connection.execute("alter system set fsync = off")
        connection.execute("select pg_reload_conf()")
    migrate(beside(servers.database_url, "template_of_tests"))
    return "template_of_tests"


@pytest.fixture(scope="module")
def database(servers: Servers, template: str) -> Iterator[Database]:
    """A migrated database for the tests of a module that get on with one another."""
    yield from _database(servers, template)


@pytest.fixture(scope="module")
async def house(database: Database) -> AsyncIterator[House]:
    """A service without a worker, so that nothing happens by itself."""
    async with _opened(database, NO_CLOCK) as house:
        yield house


@pytest.fixture(scope="module")
async def neighbour(database: Database) -> AsyncIterator[House]:
    """Another such service on the same database, as if it were another process."""
    async with _opened(database, NO_CLOCK) as house:
        yield house


@pytest.fixture
def own_database(servers: Servers, template: str) -> Iterator[Database]:
    """A migrated database of the test's own."""
    yield from _database(servers, template)


@pytest.fixture
async def own_house(own_database: Database) -> AsyncIterator[House]:
    """A service without a worker on a database of the test's own."""
    async with _opened(own_database, NO_CLOCK) as house:
        yield house


@pytest.fixture
def another(own_database: Database) -> Another:
    """Opens services on the test's own database, with the roles given or, without any, with all of them."""

    def another(*roles: Role) -> AbstractAsyncContextManager[House]:
        return _opened(own_database, frozenset(roles) or EVERY_ROLE)

    return another


@pytest.fixture
def logged() -> Iterator[LogCapture]:
    """All that is logged meanwhile."""
    kept, configured = LogCapture(), structlog.get_config()
    structlog.configure(processors=[kept])
    yield kept
    structlog.configure(**configured)


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[AnyRuleset], None]]:
    """Puts a title into the catalogue for one test; the next one of its name takes its place."""
    catalogue, newest = dict(CATALOGUE), dict(NEWEST)
    for module in ("domain.game.state", "service.codec"):
        monkeypatch.setattr(f"{module}.CATALOGUE", catalogue)
    for module in ("domain.game.rules", "service.codec", "service.texts"):
        monkeypatch.setattr(f"{module}.NEWEST", newest)

    def offer(ruleset: AnyRuleset) -> None:
        catalogue[ruleset.name, ruleset.version] = newest[ruleset.name] = ruleset
        codec_of.cache_clear()

    yield offer
    codec_of.cache_clear()


def _database(servers: Servers, template: str) -> Iterator[Database]:
    name = f"test_{next(_number)}"
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(template))
        )
        yield Database(beside(servers.database_url, name), servers.redis_url)
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@asynccontextmanager
async def _opened(database: Database, roles: frozenset[Role]) -> AsyncIterator[House]:
    async with running(database.url, database.redis_url, roles, keyring=KEYRING) as service:
        yield House(service, database)

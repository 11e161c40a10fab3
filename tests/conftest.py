"""What tests of every kind share."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from service.servers import Servers, joined


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Asynchronous tests run on asyncio, as the service does."""
    return "asyncio"


@pytest.fixture(scope="session")
def open_folder() -> Iterator[Path]:
    """A short-named folder that other accounts may pass through: under root, the servers run as one of their own."""
    with TemporaryDirectory(prefix="slowlight-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        yield folder


@pytest.fixture(scope="session")
def servers(open_folder: Path) -> Iterator[Servers]:
    """One PostgreSQL and one Valkey for the whole session."""
    with joined(open_folder / "servers") as servers:
        yield servers

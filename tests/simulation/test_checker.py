"""The checker finds nothing wrong with a sound build, and what is wrong with each that is broken."""

import asyncio
import re

import pytest

from tests.simulation.nursery import SOUND, Nursery
from tests.simulation.scenes import PRODUCTIONS, performed
from tests.simulation.servers import Mortal

COMPLAINTS = {
    "publish before commit": "a receipt was given for key .*, of which the store knows nothing",
    "no key check": "has two receipts",
    "claim without lock": "flush_failed",
    "claim and read in one statement": "was told .*, and is",
    "lapse without the fence": "but no moment it may be decided at says so|applied after the lapse",
}


@pytest.fixture(scope="module")
def found(servers_to_kill: Mortal, born: Nursery) -> dict[tuple[str, str], str]:
    """What the checker says of each scene played by a sound build and by the broken one, all played at once."""
    played = [(production, build) for production in PRODUCTIONS for build in (SOUND, production.build)]

    async def perform() -> list[list[str]]:
        return await asyncio.gather(*(performed(*one, servers_to_kill, born) for one in played))

    names = [(production.build, build) for production, build in played]
    return dict(zip(names, map("\n".join, asyncio.run(perform())), strict=True))


@pytest.mark.parametrize("build", COMPLAINTS)
def test_a_sound_build_leaves_the_checker_nothing_to_say(build: str, found: dict[tuple[str, str], str]) -> None:
    assert not found[build, SOUND]


@pytest.mark.parametrize(("build", "complaint"), COMPLAINTS.items())
def test_a_broken_build_is_caught(build: str, complaint: str, found: dict[tuple[str, str], str]) -> None:
    assert re.search(complaint, found[build, build])

"""What goes on for ever ends when it is told to, at whatever step it is just then."""

import asyncio

from service.channels import Channels
from service.servers import Servers

STEPS = 60
"""How many turns of the event loop a connection takes to be made, and some more."""


async def test_an_ear_that_is_cancelled_at_any_step_of_its_connecting_ends(servers: Servers) -> None:
    for steps in range(STEPS):
        channels = Channels(servers.redis_url)
        channels.listen("game:{1}", lambda hint: None)
        listening = asyncio.create_task(channels.run())
        for _ in range(steps):
            await asyncio.sleep(0)
        listening.cancel()
        done, _ = await asyncio.wait([listening], timeout=5)
        assert done, f"it goes on after being cancelled at step {steps}"

"""What goes on for ever ends when it is told to: at any step, and also if it did not hear it the first time."""

import asyncio
from contextlib import suppress

from service import ending
from service.channels import Channels
from service.ending import end, ended
from service.servers import Servers

STEPS = 60
"""How many turns of the event loop a connection takes to be made, and some more."""


async def hard_of_hearing(times: int) -> None:
    """What goes on for so many cancellations."""
    for _ in range(times):
        with suppress(asyncio.CancelledError):
            await asyncio.get_running_loop().create_future()
    await asyncio.get_running_loop().create_future()


async def begun(times: int) -> asyncio.Task[None]:
    task = asyncio.create_task(hard_of_hearing(times))
    await asyncio.sleep(0)
    return task


async def test_a_task_is_told_until_it_has_ended() -> None:
    async with asyncio.timeout(10):
        tasks = [await begun(times) for times in (0, 1, 2)]
        await ended(*tasks)
    assert all(task.cancelled() for task in tasks)


async def test_nobody_need_wait_for_it() -> None:
    task = await begun(1)
    end(task)
    done, _ = await asyncio.wait([task], timeout=10)
    assert done == {task}


async def test_told_once_some_go_on() -> None:
    task = await begun(1)
    task.cancel()
    _, going_on = await asyncio.wait([task], timeout=2 * ending.AGAIN_SECONDS)
    assert going_on == {task}
    await ended(task)


async def test_what_a_task_raises_on_its_way_out_is_no_hindrance() -> None:
    async def broken() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            raise RuntimeError("on the way out")

    task = asyncio.create_task(broken())
    await asyncio.sleep(0)
    await ended(task)
    assert isinstance(task.exception(), RuntimeError)


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

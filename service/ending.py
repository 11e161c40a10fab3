"""How a task is ended for sure: it is told again until it has ended.

A cancellation that comes as something else is being raised, or as what was waited for comes, may be swallowed on its
way: `asyncio.wait_for` does so in Python 3.11, and libraries wait with it.
"""

import asyncio
from typing import Any, Final

AGAIN_SECONDS: Final = 0.5


def end(task: asyncio.Task[Any]) -> None:
    """Cancel a task, now and until it has ended."""
    if not task.done():
        task.cancel()
        asyncio.get_running_loop().call_later(AGAIN_SECONDS, end, task)


async def ended(*tasks: asyncio.Task[Any]) -> None:
    """End tasks, and wait until they have, however they do."""
    for task in tasks:
        end(task)
    await asyncio.gather(*tasks, return_exceptions=True)

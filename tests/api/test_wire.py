"""What goes over the line at once: the head of a response with its body, all else as it comes."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from schema.wire import HeadWithBody

HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"


class Recorded(asyncio.Transport):
    """A transport that only notes what is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []

    def write(self, data: Any) -> None:
        self.sent.append(bytes(data))

    def close(self) -> None:
        self.sent.append(b"(closed)")

    def is_closing(self) -> bool:
        return b"(closed)" in self.sent


def said(*saying: Callable[[HeadWithBody], None]) -> tuple[list[bytes], list[bytes]]:
    """What is sent at once, and what is sent by the next turn of the loop, when this is said."""

    async def listened() -> tuple[list[bytes], list[bytes]]:
        recorded = Recorded()
        transport = HeadWithBody(recorded, asyncio.get_running_loop())
        for say in saying:
            say(transport)
        at_once = list(recorded.sent)
        await asyncio.sleep(0)
        return at_once, recorded.sent

    return asyncio.run(listened())


def writing(data: bytes) -> Callable[[HeadWithBody], None]:
    return lambda transport: transport.write(data)


def test_a_head_travels_with_its_body() -> None:
    at_once, sent = said(writing(HEAD), writing(b"body"), writing(b"more"))
    assert at_once == sent == [HEAD + b"body", b"more"]


def test_a_head_without_a_body_goes_in_the_same_turn_of_the_loop() -> None:
    assert said(writing(HEAD)) == ([], [HEAD])


@pytest.mark.parametrize("body", [b"", b"body"])
def test_the_next_head_waits_for_nothing_but_its_own_body(body: bytes) -> None:
    _, sent = said(writing(HEAD), writing(body), writing(HEAD))
    assert sent == [HEAD + body, HEAD]


def test_nothing_is_lost_in_hanging_up() -> None:
    at_once, sent = said(writing(HEAD), HeadWithBody.close)
    assert at_once == sent == [HEAD, b"(closed)"]


def test_all_else_is_the_business_of_the_line() -> None:
    async def asked() -> bool:
        transport = HeadWithBody(Recorded(), asyncio.get_running_loop())
        transport.close()
        return bool(transport.is_closing())

    assert asyncio.run(asked())

"""What a change of rules comes to: every stored game of a title decided anew under two versions, to where they part."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final
from uuid import UUID

from psycopg import AsyncConnection

from domain.game import Status
from domain.ruleset import Refused, redacted
from domain.stream import Row
from service import store
from service.codec import Codec, codec_of
from service.redeciding import Decided, decided, decided_anew
from service.streams import GameRow, game_rows, tails_of

GAMES_MAX: Final = 100
"""How many games are read at a time."""

NOTHING: Final = "nothing more"


@dataclass(frozen=True, slots=True)
class Parting:
    """The first event in which two versions differ: its version, and what happens there under the one and the other."""

    version: int
    under: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Impact:
    """What two versions of the rules make of one game: where they part, if they do, and what is wrong with it."""

    game_id: UUID
    events: int
    parting: Parting | None
    fault: str | None = None


async def impact_on_all(
    connection: AsyncConnection[Any], title: str, versions: tuple[int, int]
) -> AsyncIterator[Impact]:
    """The impact on every stored game of a title, in order of ids. Raises KeyError for rules that there are not."""
    for version in versions:
        codec_of(title, version)
    after = UUID(int=0)
    while True:
        asked = {"ruleset": title, "after": after, "most": GAMES_MAX}
        found = await store.rows(connection, "games_of_title", asked)
        if not found:
            return
        games = [game_id for (game_id,) in found]
        rows = sorted(await game_rows(connection, games), key=lambda row: row.game_id)
        for row in rows:
            tail = (await tails_of(connection, {row.game_id: (0, row.version)})).get(row.game_id, [])
            yield impact_on(row, tail, versions)
        after = games[-1]


def impact_on(row: GameRow, tail: Sequence[Row], versions: tuple[int, int]) -> Impact:
    """The impact on one game, whose events are `tail`: each decision on the game as it truly stood."""
    codec = codec_of(row.ruleset, row.rules)
    try:
        for one in decided(codec, tail):
            stories = {version: _story(codec, one, row.secret, version) for version in versions}
            if stories.get(row.rules, one.events) != one.events:
                fault = f"version {one.version}: not what rules {row.rules} decide"
                return Impact(row.game_id, len(tail), None, fault)
            first, second = (stories[version] for version in versions)
            if first != second:
                parting = _parting(codec, one.version, first, second, ended=row.status == Status.ENDED)
                return Impact(row.game_id, len(tail), parting)
    except Exception as error:  # noqa: BLE001 - that one game does not fold is no reason not to look at the next
        return Impact(row.game_id, len(tail), None, f"does not fold: {type(error).__name__}")
    return Impact(row.game_id, len(tail), None)


def _story(codec: Codec, one: Decided, secret: bytes, rules: int) -> tuple[Any, ...]:
    """The events that follow under these rules, or in their place a word on why none do."""
    try:
        return decided_anew(codec, one.before, one.stored, secret, rules).events
    except Refused as refused:
        return (f"refused {refused.code}",)
    except Exception as error:  # noqa: BLE001 - rules may not know what to do in the games of others
        return (f"raises {type(error).__name__}",)


def _parting(codec: Codec, version: int, first: tuple[Any, ...], second: tuple[Any, ...], *, ended: bool) -> Parting:
    pairs = enumerate(zip_longest(first, second), version)
    at, (one, other) = next((at, pair) for at, pair in pairs if pair[0] != pair[1])
    return Parting(at, (_told(codec, one, ended=ended), _told(codec, other, ended=ended)))


def _told(codec: Codec, event: Any, *, ended: bool) -> str:
    """An event by its name and sentence; of a game that goes on, no more than all may know."""
    if event is None:
        return NOTHING
    if isinstance(event, str):
        return event
    return f"{codec.fact(event).name}: {codec.narrate(event if ended else redacted(event, None))}"

# ruff: noqa: A002  (arguments have the names that GraphQL gives them)
"""What can be followed. A stream that is ended before its time ends with an error that says why, and where to go on."""

from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

import strawberry

from schema import ids
from schema.context import Info
from schema.derive import read, shows
from schema.enums import ChangeReason
from schema.interfaces import Event
from schema.limits import event_filter
from schema.types import Game, Receipt, resolved
from service import seen as values
from service.texts import refusal_of

Resolver = TypeVar("Resolver", bound=Callable[..., AsyncIterator[Any]])


def follows(kind: type) -> Callable[[Resolver], Resolver]:
    """A resolver each of whose items is shown as the GraphQL type `kind`, but for a Refusal, which ends the stream."""
    field: Callable[[Resolver], Resolver] = strawberry.subscription(graphql_type=kind)
    return field


def events(
    root: strawberry.Parent[values.GameUpdate], names: list[str] | None = None, seat: int | None = None
) -> tuple[values.EventSeen, ...]:
    """The events; those of some `names` or those that a `seat` caused, where asked."""
    only = event_filter(names, seat)
    return tuple(event for event in root.events if only.takes(event))


@strawberry.type
class GameUpdate:
    """What happened since the update before it; an update never cuts a decision."""

    is_type_of = shows(values.GameUpdate)

    version: int = read(description="Of the last of the events. Go on from here with `after`.")
    events: list[Event] = resolved(events)
    game: Game = read(description="As of `version`.")


@strawberry.type
class MyGamesUpdate:
    """One of your games changed."""

    is_type_of = shows(values.MyGamesUpdate)

    game: Game
    reason: ChangeReason


@strawberry.type
class Subscription:
    """What can be followed, over WebSocket (graphql-transport-ws) or as text/event-stream."""

    @follows(GameUpdate)
    def game_updates(
        self, info: Info, game_id: strawberry.ID, after: int | None = None
    ) -> AsyncIterator[values.GameUpdate | values.Refusal]:
        """The events after a version, each once and in order, up to the last of the game; without `after` from now on.

        Who does not keep up is ended with the error LAGGED, whose `facts.after` is where to go on.
        """
        context, game = info.context, ids.game_of(game_id)
        return _refused("UNKNOWN_GAME") if game is None else context.service.follow(context.player, game, after)

    @follows(MyGamesUpdate)
    def my_games_changed(self, info: Info) -> AsyncIterator[values.MyGamesUpdate | values.Refusal]:
        """The changes of games that you sit in or host, from now on; several of one game at once may come as one."""
        return info.context.service.follow_my_games(info.context.player)

    @follows(Receipt)
    def receipt_changed(self, info: Info, id: strawberry.ID) -> AsyncIterator[values.Receipt | values.Refusal]:
        """A receipt of yours once it is settled: APPLIED or REFUSED."""
        context, receipt = info.context, ids.receipt_of(id)
        if receipt is None:
            return _refused("UNKNOWN_RECEIPT")
        return context.service.follow_receipt(context.player, *receipt)


async def _refused(code: str) -> AsyncIterator[values.Refusal]:
    yield refusal_of(code)

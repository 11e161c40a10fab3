# ruff: noqa: A002  (arguments have the names that GraphQL gives them)
"""What can be asked. Something unknown, malformed or not for the asker's eyes answers null, all three alike."""

from datetime import UTC, datetime
from typing import Annotated

import strawberry

from domain.catalogue import NEWEST, AnyRuleset
from domain.ruleset import Refused
from schema import ids
from schema.context import Context, Info
from schema.derive import answers
from schema.enums import Status
from schema.interfaces import Node
from schema.limits import page_size
from schema.titles import RulesetName
from schema.types import Checkpoint, Game, GameConnection, KeyList, Player, Receipt, Ruleset, Token
from service import checkpoints, published
from service import seen as values
from service.seen import GameSeen, Page


@strawberry.type
class Query:
    """What can be asked."""

    @answers(Player | None)
    def me(self, info: Info) -> values.Player | None:
        """Who the bearer token says you are; null without one."""
        return info.context.player

    @answers(list[Token])
    async def my_tokens(self, info: Info) -> tuple[values.Token, ...]:
        """Your tokens that are not revoked, oldest first; none without one."""
        context = info.context
        return () if context.player is None else await context.service.accounts.tokens(context.player)

    @answers(Node | None)
    async def node(self, info: Info, id: strawberry.ID) -> GameSeen | values.Player | values.Receipt | None:
        """Anything that has an id."""
        match ids.kind_of(id):
            case ids.GAME:
                return await _game(info.context, id)
            case ids.PLAYER:
                return await _player(info.context, id)
            case ids.RECEIPT:
                return await _receipt(info.context, id)
        return None

    @answers(list[Ruleset])
    def rulesets(self) -> list[AnyRuleset]:
        """The titles, by name, with the rules a game opened now is played by."""
        return list(NEWEST.values())

    @answers(Game | None)
    async def game(
        self, info: Info, id: strawberry.ID, at: int | None = None, at_time: datetime | None = None
    ) -> GameSeen | None:
        """A game, or what this viewer knew of it at a version or a time; null also for one not reached or too early."""
        if at is not None and at_time is not None:
            raise Refused("AT_TWICE")
        return await _game(info.context, id, at, at_time)

    @answers(GameConnection)
    async def games(
        self,
        info: Info,
        status: Status | None = None,
        ruleset: Annotated[str | None, strawberry.argument(graphql_type=RulesetName | None)] = None,
        first: int | None = None,
        after: str | None = None,
    ) -> Page[GameSeen]:
        """The public games, newest first."""
        context = info.context
        return await context.service.games(context.player, status, ruleset, page_size(first), after)

    @answers(GameConnection)
    async def my_games(
        self, info: Info, awaiting_me: bool | None = None, first: int | None = None, after: str | None = None
    ) -> Page[GameSeen]:
        """The games you sit in or host, newest first; none without a token."""
        context = info.context
        return await context.service.my_games(context.player, awaiting_me, page_size(first), after)

    @answers(Receipt | None)
    async def receipt(self, info: Info, id: strawberry.ID) -> values.Receipt | None:
        """A receipt, for its sender alone."""
        return await _receipt(info.context, id)

    @answers(Checkpoint | None)
    async def checkpoint(self, info: Info, number: int | None = None) -> checkpoints.Checkpoint | None:
        """A signed checkpoint by its number from 1, the newest if none is named; null if there is none."""
        return await info.context.service.public.checkpoint(number)

    @answers(KeyList)
    async def keys(self, info: Info) -> published.KeyList:
        """The keys that we sign with, as they stand at `/.well-known/slowlight-keys.json` too."""
        return await info.context.service.public.keys()


async def _game(context: Context, text: str, at: int | None = None, at_time: datetime | None = None) -> GameSeen | None:
    game = ids.game_of(text)
    if at_time is not None and at_time.tzinfo is None:
        at_time = at_time.replace(tzinfo=UTC)
    return None if game is None else await context.service.game(context.player, game, at, at_time)


async def _player(context: Context, text: str) -> values.Player | None:
    player = ids.player_of(text)
    return None if player is None else await context.service.accounts.player(player)


async def _receipt(context: Context, text: str) -> values.Receipt | None:
    receipt = ids.receipt_of(text)
    return None if receipt is None else await context.service.receipt(context.player, *receipt)

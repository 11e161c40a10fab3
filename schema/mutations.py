# ruff: noqa: A002  (arguments have the names that GraphQL gives them)
"""What can be done. A Refusal: nothing was received. A Receipt: it is stored, and says what came of it."""

from math import isfinite
from typing import Any
from uuid import UUID

import strawberry
from graphql import GraphQLResolveInfo

from domain import game
from domain.ruleset import Refused
from schema import ids
from schema.context import Context, Info
from schema.derive import answers
from schema.inputs import (
    EntropyInput,
    ForkGameInput,
    GameInput,
    OpenGameInput,
    RegisterInput,
    SeatInput,
    SubmitTurnInput,
)
from schema.titles import TITLES
from schema.types import CreateTokenResult, ForgetResult, NewToken, RegisterResult, RevokeTokenResult, SubmitResult
from service import texts
from service.codec import newest_codec
from service.seen import Forgotten, Receipt, Refusal, Registered

WAIT_SECONDS = 2.0
"""How long a mutation waits for the outcome if it is not told otherwise; 0 to 30, PENDING after that."""


@strawberry.type
class Mutation:
    """What can be done. `wait`: seconds to wait for the outcome, 0..30; PENDING after that."""

    @answers(RegisterResult)
    async def register(self, info: Info, input: RegisterInput) -> Registered | Refusal:
        """Make an account."""
        return await info.context.service.accounts.register(input.handle, input.key)

    @answers(CreateTokenResult)
    async def create_token(self, info: Info, name: str) -> NewToken | Refusal:
        """Make another token, for another device or a bot."""
        context = info.context
        if context.player is None:
            return texts.refusal_of("NOT_SIGNED_IN")
        made = await context.service.accounts.name_token(context.player, name)
        return made if isinstance(made, Refusal) else NewToken(*made)

    @answers(RevokeTokenResult)
    async def revoke_token(self, info: Info, id: strawberry.ID) -> UUID | Refusal:
        """End a token: in the process that answers at once, in others within 5 seconds."""
        context = info.context
        if context.player is None:
            return texts.refusal_of("NOT_SIGNED_IN")
        token = ids.token_of(id)
        is_revoked = token is not None and await context.service.accounts.revoke_token(context.player, token)
        return token if token and is_revoked else texts.refusal_of("UNKNOWN_TOKEN")

    @answers(ForgetResult)
    async def forget_me(self, info: Info) -> Forgotten | Refusal:
        """Leave for good: your handle, tokens and all that leads to you are taken away. There is no way back."""
        return await info.context.service.forget(info.context.player)

    @answers(SubmitResult)
    async def open_game(self, info: Info, input: OpenGameInput, wait: float = WAIT_SECONDS) -> Receipt | Refusal:
        """Open a game."""
        command = game.OpenGame(
            ruleset=input.ruleset,
            seats=input.seats,
            options=input.options,
            turn_seconds=None if input.turn_hours is None else _seconds(input.turn_hours),
            sit=input.sit,
            bots=input.bots,
            start=input.start,
        )
        return await info.context.service.open_game(info.context.player, input.key, command, input.visibility, wait)

    @answers(SubmitResult)
    async def fork_game(self, info: Info, input: ForkGameInput, wait: float = WAIT_SECONDS) -> Receipt | Refusal:
        """Go on from a version of a game that is over: a practice game with a secret of its own, all seats yours."""
        source = ids.game_of(input.game_id)
        if source is None:
            return texts.refusal_of("UNKNOWN_GAME")
        service = info.context.service
        return await service.fork_game(info.context.player, input.key, source, input.at, input.rules, wait)

    @answers(SubmitResult)
    async def take_seat(self, info: Info, input: SeatInput, wait: float = WAIT_SECONDS) -> Receipt | Refusal:
        """Sit down; the game starts with the last seat taken, unless it waits for its host."""
        command = game.TakeSeat(input.seat, input.entropy)
        return await _submitted(info.context, input, command, wait, join_secret=input.join_secret)

    @answers(SubmitResult)
    async def leave_seat(self, info: Info, input: GameInput, wait: float = WAIT_SECONDS) -> Receipt | Refusal:
        """Leave your seat, before the start."""
        return await _submitted(info.context, input, game.LeaveSeat(), wait)

    @answers(SubmitResult)
    async def add_entropy(self, info: Info, input: EntropyInput, wait: float = WAIT_SECONDS) -> Receipt | Refusal:
        """Give to the game's chance, before the start."""
        return await _submitted(info.context, input, game.AddEntropy(input.entropy), wait)

    @answers(SubmitResult)
    async def start_game(self, info: Info, input: GameInput, wait: float = WAIT_SECONDS) -> Receipt | Refusal:
        """Begin a full game that waits for you, its host."""
        return await _submitted(info.context, input, game.StartGame(), wait)

    @answers(SubmitResult)
    async def submit_turn(self, info: Info, input: SubmitTurnInput, wait: float = WAIT_SECONDS) -> Receipt | Refusal:
        """Hand in a turn."""
        raise AssertionError("`schema.schema` puts `submit_turn` below in this resolver's place")

    @answers(SubmitResult)
    async def resign(self, info: Info, input: GameInput, wait: float = WAIT_SECONDS) -> Receipt | Refusal:
        """Retire from a running game; end a practice game of yours."""
        return await _submitted(info.context, input, game.Resign(), wait)


async def submit_turn(
    _root: None, info: GraphQLResolveInfo[Context], input: dict[str, Any], wait: float = WAIT_SECONDS
) -> Receipt | Refusal:
    """Hand in a turn: the resolver of the hot mutation takes the coerced input as it is, straight to the codec."""
    ((title, given),) = input["turn"].items()
    try:
        command = newest_codec(title).turn(*TITLES[title].turn_of(given))
    except Refused as refused:
        return texts.refusal_by(refused, title)
    game_id = ids.game_of(input["gameId"])
    if game_id is None:
        return texts.refusal_of("UNKNOWN_GAME")
    return await info.context.service.submit(
        info.context.player,
        game_id,
        input["key"],
        command,
        expected_version=input.get("expectedVersion"),
        as_seat=input.get("asSeat"),
        wait=wait,
    )


def _seconds(hours: float) -> int:
    """Hours as a game counts them; a literal can be infinite, and becomes a time that no game takes."""
    seconds = hours * 3600
    return round(seconds) if isfinite(seconds) else -1


async def _submitted(
    context: Context, input: SeatInput | EntropyInput | GameInput, command: Any, wait: float, **beside: Any
) -> Receipt | Refusal:
    game_id = ids.game_of(input.game_id)
    if game_id is None:
        return texts.refusal_of("UNKNOWN_GAME")
    return await context.service.submit(context.player, game_id, input.key, command, wait=wait, **beside)

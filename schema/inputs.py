"""The inputs of the mutations."""

import strawberry
from strawberry.scalars import JSON

from schema.enums import Visibility
from schema.titles import RulesetName, TurnInput

KEY = "Your idempotency key: 1 to 64 characters `!` to `~`. The same key with the same content answers alike."


@strawberry.input
class RegisterInput:
    """A new account. The same key within 10 minutes, its token unused, gives a new token."""

    handle: str
    key: strawberry.ID | None = None


@strawberry.input
class OpenGameInput:
    """A game to open."""

    key: strawberry.ID = strawberry.field(description="The same key opens the same game.")
    ruleset: str = strawberry.field(graphql_type=RulesetName)
    seats: int
    options: JSON | None = strawberry.field(
        default=None, description="The ruleset's named options; an unknown one is refused."
    )
    visibility: Visibility = Visibility.PUBLIC
    turn_hours: float | None = strawberry.field(default=None, description="Null: no deadline.")
    sit: bool = strawberry.field(default=True, description="The opener takes seat 0.")
    bots: int = strawberry.field(default=0, description="House bots, on the last seats.")
    start: bool = strawberry.field(default=True, description="Start by itself when full; false: wait for startGame.")


@strawberry.input
class ForkGameInput:
    """A game that is over, to go on from in a practice game of yours."""

    key: strawberry.ID = strawberry.field(description="The same key opens the same game.")
    game_id: strawberry.ID
    at: int = strawberry.field(
        description="The version to go on from; in the middle of a decision, the end of the decision before it."
    )
    rules: int | None = strawberry.field(
        default=None, description="The version of the rules to go on under; null: those it was played by."
    )


@strawberry.input
class SeatInput:
    """A seat to take."""

    key: strawberry.ID = strawberry.field(description=KEY)
    game_id: strawberry.ID
    seat: int | None = strawberry.field(default=None, description="Null: any free one.")
    entropy: str | None = strawberry.field(default=None, description="32 to 128 hex digits for the game's chance.")
    join_secret: str | None = None


@strawberry.input
class EntropyInput:
    """Entropy for the chance of a game that has not started: 32 to 128 hex digits."""

    key: strawberry.ID = strawberry.field(description=KEY)
    game_id: strawberry.ID
    entropy: str


@strawberry.input
class GameInput:
    """A game to do something about."""

    key: strawberry.ID = strawberry.field(description=KEY)
    game_id: strawberry.ID


@strawberry.input
class SubmitTurnInput:
    """A turn. `expectedVersion`: refused as STALE if it is above the head or below `Game.myTurnSince`."""

    key: strawberry.ID = strawberry.field(description=KEY)
    game_id: strawberry.ID
    expected_version: int | None = None
    as_seat: int | None = strawberry.field(
        default=None, description="In a practice game of yours, the seat you act for; null: the first that is awaited."
    )
    turn: object = strawberry.field(graphql_type=TurnInput)

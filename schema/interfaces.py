"""What types have in common, whatever title they come from: Node and Event."""

from datetime import datetime
from typing import Any

import strawberry
from graphql import GraphQLAbstractType, GraphQLResolveInfo
from strawberry.scalars import JSON

from schema.context import Context
from schema.derive import read, type_name
from schema.ids import event_id
from service.seen import EventSeen, GameSeen, Player, Receipt

_NODES = {GameSeen: "Game", Player: "Player", Receipt: "Receipt"}


@strawberry.interface
class Node:
    """Anything that can be fetched again by its id."""

    id: strawberry.ID

    @classmethod
    def resolve_type(cls, value: Any, _info: GraphQLResolveInfo[Context], _abstract: GraphQLAbstractType) -> str:
        """The GraphQL type of one of the service's values."""
        return _NODES[type(value)]


@strawberry.interface
class Event:
    """What happened in a game: one entry of its stream, as the viewer may see it."""

    id: strawberry.ID = read(lambda seen: event_id(seen.game_id, seen.version), description="Opaque.")
    version: int = read(description="The number of the event in its game, from 1 without a gap.")
    name: str = read(description="For example `gravwell.stack_drafted`.")
    recorded_at: datetime
    actor: int | None = read(description="The seat that caused it; null for the clock, the host or chance.")
    summary: str = read(description="One English sentence, fit for this viewer.")
    data: JSON = read(
        description="The public fields, and the sealed ones this viewer may open: stored snake_case keys, newest shape."
    )
    sealed: JSON = read(description="field -> {to, c}: always complete, before and after opening.")
    opened: JSON = read(
        description="field -> {value, salt}: what this viewer may open now, as committed; `$command` for its sender."
    )
    canonical: str = read(description="The exact text under the hash: hash = SHA-256(prevHash || canonical).")
    prev_hash: str
    hash: str

    @classmethod
    def resolve_type(cls, seen: EventSeen, _info: GraphQLResolveInfo[Context], _abstract: GraphQLAbstractType) -> str:
        """`gravwell.stack_drafted` is a GravwellStackDrafted."""
        return type_name(*seen.name.split("."))

"""`slowlight`, but that `submitTurn` only reads its turn and gives a receipt: what HTTP and GraphQL cost alone."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from graphql import GraphQLResolveInfo

from schema import ids
from schema.context import Context
from schema.schema import SCHEMA
from schema.titles import TITLES
from service.codec import newest_codec
from service.main import cli
from service.seen import Receipt, ReceiptStatus

AT = datetime(2026, 1, 1, tzinfo=UTC)


async def submit_turn(_root: None, _info: GraphQLResolveInfo[Context], input: dict[str, Any], **_: Any) -> Receipt:  # noqa: A002
    """A receipt for a turn that nobody takes."""
    ((title, given),) = input["turn"].items()
    newest_codec(title).turn(*TITLES[title].turn_of(given))
    game_id = ids.game_of(input["gameId"])
    assert game_id is not None
    return Receipt(uuid4(), input["key"], game_id, ReceiptStatus.APPLIED, AT, 1, 1, "00" * 32, None)


if __name__ == "__main__":
    assert SCHEMA.mutation_type is not None
    SCHEMA.mutation_type.fields["submitTurn"].resolve = submit_turn
    cli()

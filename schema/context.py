"""What every resolver may reach: the service, and who asks."""

from dataclasses import dataclass
from typing import TypeAlias

import strawberry

from schema.errors import bad_request
from service.seen import Player
from service.slowlight import Slowlight


@dataclass(frozen=True, slots=True)
class Context:
    """One request. `player` is None for somebody not signed in."""

    service: Slowlight
    player: Player | None


async def context_of(service: Slowlight, authorization: str | None) -> Context:
    """The context of whoever sent this Authorization: nobody if none is given.

    Raises BadRequest for a token that is not valid: it is refused, never overlooked.
    """
    if authorization is None:
        return Context(service, None)
    scheme, _, token = authorization.partition(" ")
    player = await service.accounts.player_of(token.strip()) if scheme.lower() == "bearer" else None
    if player is None:
        raise bad_request(401, "UNAUTHENTICATED", {"WWW-Authenticate": 'Bearer error="invalid_token"'})
    return Context(service, player)


Info: TypeAlias = strawberry.Info[Context, None]

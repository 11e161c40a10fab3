"""What every resolver may reach: the service, and who asks."""

from dataclasses import dataclass
from typing import TypeAlias

import strawberry

from service.seen import Player
from service.slowlight import Slowlight


@dataclass(frozen=True, slots=True)
class Context:
    """One request. `player` is None for somebody not signed in."""

    service: Slowlight
    player: Player | None


Info: TypeAlias = strawberry.Info[Context, None]

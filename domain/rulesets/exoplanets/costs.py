"""What a step of life on a planet costs now, and why (RULES 5)."""

from dataclasses import dataclass

from domain.rulesets.exoplanets.crystals import Crystals, Resource, crystals
from domain.rulesets.exoplanets.system import Place, System
from domain.rulesets.exoplanets.tiles import Effect


@dataclass(frozen=True, slots=True)
class CostChange:
    """One icon more (`change` 1) or less (-1) than printed, by a tile beneath the planet at `ray` and `orbit`."""

    tile: str
    ray: int
    orbit: int
    resource: Resource
    change: int


def effective_cost(system: System, place: Place) -> tuple[Crystals, tuple[CostChange, ...]]:
    """The cost of one step of life on a planet, and what makes it differ from the printed one.

    All additions come first; then each reduction, in the order the tiles were laid, takes a matching icon if there is
    one and it is not the last of all.
    """
    cost = place.world.cost
    changes: list[CostChange] = []
    reaching = tuple(system.reaching(place, Effect.COST))
    for host, tile in reaching:
        if tile.amount > 0:
            cost += tile.icons
            changes += (
                CostChange(tile.id, host.ray, host.orbit, resource, 1)
                for resource in Resource
                for _ in range(tile.icons[resource])
            )
    for host, tile in reaching:
        for resource in Resource:
            if tile.amount < 0 and tile.icons[resource] and cost[resource] and cost.total > 1:
                cost -= crystals((resource,))
                changes.append(CostChange(tile.id, host.ray, host.orbit, resource, -1))
    return cost, tuple(changes)

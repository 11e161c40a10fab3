"""What a seat may ask for. A turn is a series of these, each decided and recorded at once; EndTurn closes it."""

from dataclasses import dataclass
from typing import TypeAlias, get_args

from domain.rulesets.exoplanets.crystals import Resource

# Choosing a planet and placing it


@dataclass(frozen=True, slots=True)
class DrawPlanets:
    """Draw two planets from the bag, to choose one. There is no way back."""


@dataclass(frozen=True, slots=True)
class PlaceFromReserve:
    """Place the top planet of a reserve pile (0 or 1) on the free place of a ray nearest to the Star."""

    reserve: int
    ray: int


@dataclass(frozen=True, slots=True)
class PlaceDrawn:
    """Place one of two drawn planets (0 or 1) on a ray; the other goes on top of a reserve pile."""

    drawn: int
    ray: int
    reserve: int


@dataclass(frozen=True, slots=True)
class PlaceOnlyDrawn:
    """Place the drawn planet on a ray, where the bag held no second one."""

    ray: int


# Life and goals


@dataclass(frozen=True, slots=True)
class CreateLife:
    """Pay the effective cost of a planet for one step of life there: a cube, or the species after the third."""

    ray: int
    orbit: int


@dataclass(frozen=True, slots=True)
class CreateLifeWaiving:
    """The same, using up a discount: one icon of the cost, `waive`, is not paid."""

    ray: int
    orbit: int
    waive: Resource


@dataclass(frozen=True, slots=True)
class ClaimGoal:
    """Reveal a space tile whose goal is reached, for its points; its effect is given up."""

    tile: str


# Effects of space tiles; the goal is given up. `tile` is the tile of the hand that is used.


@dataclass(frozen=True, slots=True)
class GainAny:
    """Take any two crystals from the cloud."""

    tile: str
    take: tuple[Resource, ...]


@dataclass(frozen=True, slots=True)
class Gain:
    """Take the crystals the tile shows, as far as the cloud has them."""

    tile: str


@dataclass(frozen=True, slots=True)
class Discount:
    """One CreateLifeWaiving becomes possible, until the end of this turn."""

    tile: str


@dataclass(frozen=True, slots=True)
class HurlMeteor:
    """A rival, `victim`, loses one cube on a planet."""

    tile: str
    ray: int
    orbit: int
    victim: int


@dataclass(frozen=True, slots=True)
class Migrate:
    """Move one own cube to an adjacent planet at `ray` and `orbit`."""

    tile: str
    from_ray: int
    from_orbit: int
    ray: int
    orbit: int


@dataclass(frozen=True, slots=True)
class Survey:
    """Look at the two topmost space tiles of the stack; KeepSurvey follows."""

    tile: str


@dataclass(frozen=True, slots=True)
class Transmute:
    """Exchange one or two own crystals, each for one of another kind: `give` and `take` are paired in order."""

    tile: str
    give: tuple[Resource, ...]
    take: tuple[Resource, ...]


@dataclass(frozen=True, slots=True)
class SwapPlanets:
    """The planets of an orbit on two rays trade places, with all that is on and beneath them."""

    tile: str
    orbit: int
    ray: int
    other_ray: int


@dataclass(frozen=True, slots=True)
class SowLife:
    """Place one cube for free on a planet new to you, adjacent to one where you are present."""

    tile: str
    ray: int
    orbit: int


@dataclass(frozen=True, slots=True)
class AttachTile:
    """Lay a lasting tile beneath a planet that has none."""

    tile: str
    ray: int
    orbit: int


# Choices that an event or a survey opens: nothing else can be done before


@dataclass(frozen=True, slots=True)
class ResolveBlackHole:
    """The outermost planet of a ray is swallowed."""

    ray: int


@dataclass(frozen=True, slots=True)
class ResolveSolarStorm:
    """On every planet of a ray, every seat loses a cube."""

    ray: int


@dataclass(frozen=True, slots=True)
class ResolveCreation:
    """One step of life for free."""

    ray: int
    orbit: int


@dataclass(frozen=True, slots=True)
class KeepSurvey:
    """Keep one of the tiles seen (0 or 1); the other goes under the stack."""

    index: int


# At any moment of one's own turn


@dataclass(frozen=True, slots=True)
class GravityExchange:
    """Return a Gravity marker and one crystal, and take a crystal of another kind."""

    give: Resource
    take: Resource


@dataclass(frozen=True, slots=True)
class GravityRemoveTile:
    """Return three Gravity markers (two with four seats) and remove the space tile beneath a planet, anyone's."""

    ray: int
    orbit: int


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back your last CreateLife or GravityExchange, while nothing was revealed, drawn or done to others since."""


@dataclass(frozen=True, slots=True)
class EndTurn:
    """Close your turn."""


Placing: TypeAlias = DrawPlanets | PlaceFromReserve | PlaceDrawn | PlaceOnlyDrawn
Use: TypeAlias = (
    GainAny | Gain | Discount | HurlMeteor | Migrate | Survey | Transmute | SwapPlanets | SowLife | AttachTile
)
Resolve: TypeAlias = ResolveBlackHole | ResolveSolarStorm | ResolveCreation
Command: TypeAlias = (
    Placing
    | CreateLife
    | CreateLifeWaiving
    | ClaimGoal
    | Use
    | Resolve
    | KeepSurvey
    | GravityExchange
    | GravityRemoveTile
    | Undo
    | EndTurn
)

COMMANDS: tuple[type, ...] = get_args(Command)

"""The types of the core: games and seats, players, receipts and refusals, and the connections between them.

The values of the service are their sources: a type says what of a value is shown, and nothing is copied.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from typing import Annotated, Any, Final, NamedTuple
from uuid import UUID

import strawberry
from strawberry.scalars import JSON

from domain import rulesets
from domain.game import Fork as ForkFact
from domain.game import Sitter
from domain.ruleset import Refused
from domain.ruleset import Seat as SeatIndex
from schema import ids
from schema.context import Info
from schema.derive import offered, read, shown, shows
from schema.enums import ReceiptStatus, Status, Visibility
from schema.interfaces import Event, Node
from schema.limits import event_filter, page_size
from schema.titles import RulesetName, RulesetView
from service import checkpoints, receipts
from service import seen as values
from service.differing import changes
from service.seen import EventSeen, GameSeen, Page

BUNDLES: Final = "/bundles"
"""The address below which the bundles of games are."""


def resolved(resolver: Callable[..., object]) -> Any:
    """A field with a resolver of its own."""
    return strawberry.field(resolver=resolver)


class Edge(NamedTuple):
    """The source of an edge: an item of a page, with its cursor."""

    cursor: str
    node: GameSeen | EventSeen


def edges(page: Page[GameSeen | EventSeen]) -> list[Edge]:
    """The edges of a page."""
    return [Edge(cursor, item) for cursor, item in zip(page.cursors, page.items, strict=True)]


@cache
def rules(name: str) -> str:
    """The rules of a title for people, in Markdown."""
    return resources.files(f"{rulesets.__name__}.{name}").joinpath("RULES.md").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Sitting:
    """The source of a seat: a place of a game, and who sits there."""

    seen: GameSeen
    index: SeatIndex

    @property
    def player(self) -> values.Player | None:
        """The person on the seat; None for a bot, and for a free seat."""
        return self.seen.players[self.index]

    @property
    def bot(self) -> bool:
        """Whether a house bot sits there."""
        return self.seen.game.sitters[self.index] is Sitter.BOT

    @property
    def awaited(self) -> bool:
        """Whether the game cannot go on without it."""
        return self.index in self.seen.game.awaiting

    @property
    def retired(self) -> bool:
        """Whether it has resigned."""
        return self.index in self.seen.game.retired


@strawberry.type
class Player(Node):
    """An account."""

    is_type_of = shows(values.Player)

    id: strawberry.ID = read(lambda player: ids.player_id(player.id))
    handle: str
    joined_at: datetime


@strawberry.type
class Token:
    """A bearer token of yours, as you may list it: never the token itself."""

    id: strawberry.ID = read(lambda token: ids.token_id(token.id))
    name: str
    created_at: datetime
    last_used_at: datetime | None


@strawberry.type
class Ruleset:
    """The rules of one title. `rules` is the whole text, in Markdown."""

    name: str = read(kind=RulesetName)
    title: str
    version: int
    min_seats: int = read(lambda ruleset: ruleset.seats[0])
    max_seats: int = read(lambda ruleset: ruleset.seats[-1])
    summary: str
    rules: str = read(lambda ruleset: rules(ruleset.name))


@strawberry.type
class Seat:
    """A place in a game. `player` is null for a bot, on a free seat, and where a player was forgotten."""

    index: int
    player: Player | None
    bot: bool
    awaited: bool = read(description="The game cannot go on without this seat.")
    retired: bool = read(description="It resigned: it is lapsed the moment it is awaited, and ranks last.")


@strawberry.type
class Outcome:
    """How a game ended."""

    reason: str
    ranking: list[list[int]] = read(description="Best first; each inner list is a tie of seats.")


@strawberry.type
class PageInfo:
    """Where a page stands in its connection."""

    has_next_page: bool = read(lambda page: page.has_next)
    has_previous_page: bool = read(lambda page: page.has_previous)
    start_cursor: str | None = read(lambda page: page.cursors[0] if page.cursors else None)
    end_cursor: str | None = read(lambda page: page.cursors[-1] if page.cursors else None)


@strawberry.type
class EventEdge:
    """An event in a history."""

    cursor: str
    node: Event


@strawberry.type
class EventConnection:
    """A stretch of a history, in the order of versions."""

    edges: list[EventEdge] = read(edges)
    page_info: PageInfo = read(lambda page: page)


async def history(
    root: strawberry.Parent[GameSeen],
    info: Info,
    first: int | None = None,
    after: str | None = None,
    last: int | None = None,
    before: str | None = None,
    names: list[str] | None = None,
    seat: int | None = None,
) -> Page[EventSeen]:
    """The events of a game, a page at a time; those of some `names` or those that a `seat` caused, where asked."""
    if first is not None and last is not None:
        raise Refused("BAD_PAGE")
    sizes = (page_size(first), None) if last is None else (None, page_size(last))
    return await info.context.service.history(root, sizes[0], after, sizes[1], before, event_filter(names, seat))


async def diff(
    root: strawberry.Parent[GameSeen],
    info: Info,
    since: Annotated[int, strawberry.argument(name="from")] = 1,
    to: int | None = None,
) -> list[Any] | None:
    """What changed for this viewer from one version to another, to that of the game if none is named.

    Each change is `{path, from, to}`, for items of lists `{path, added}` or `{path, removed}`; a path leads into
    status, awaiting, deadline, outcome and `view`, under the names they have here. Null for a version not reached.
    """
    versions = since, root.version if to is None else to
    between = await info.context.service.game_between(root, versions)
    return None if between is None else changes(*map(_looks, between))


def _looks(seen: GameSeen) -> dict[str, Any]:
    return {
        "status": seen.status.name,
        "awaiting": list(seen.game.awaiting),
        "deadline": shown(seen.game.deadline),
        "outcome": shown(seen.outcome),
        "view": shown(seen.view),
    }


async def consistency(
    root: strawberry.Parent[checkpoints.Checkpoint], info: Info, since: int | None = None
) -> tuple[str, ...] | None:
    """The proof of RFC 9162 that the log grew from that of checkpoint `since`, the one before this if none is named."""
    return await info.context.service.public.consistency(root, since)


async def leaves(root: strawberry.Parent[checkpoints.Checkpoint], info: Info, start: int = 0) -> tuple[str, ...]:
    """The leaf hashes of the log from a place on, a thousand at most: with all of them the root can be computed."""
    return await info.context.service.public.leaves(root, start)


@strawberry.type
class Checkpoint:
    """Our word for where all games stood: the Merkle tree (RFC 9162) over the log of their heads, as FORMAT.md says."""

    number: int
    size: int = read(description="How many entries the log had.")
    root: str
    at: datetime
    text: str = read(description="What is signed.")
    key: str
    signature: str
    consistency: list[str] | None = resolved(consistency)
    leaves: list[str] = resolved(leaves)


@strawberry.type
class Anchor:
    """Where a game stands in a checkpoint. As JSON it is what `slowlight verify --checkpoint` takes."""

    version: int = read(description="How far the game had come, and by which hash.")
    hash: str
    place: int = read(description="Of its entry in the log, from 0.")
    path: list[str] = read(description="The inclusion proof, from the entry upward.")
    checkpoint: Checkpoint


async def anchor(
    root: strawberry.Parent[GameSeen], info: Info, checkpoint: int | None = None
) -> checkpoints.Anchor | None:
    """Where the game, up to this version, stands in a checkpoint, the newest if none is named; null before it does."""
    return await info.context.service.public.anchor(root, checkpoint)


async def true_line(
    root: strawberry.Parent[ForkFact], info: Info, first: int | None = None, after: str | None = None
) -> Page[EventSeen] | None:
    """What truly happened from there on, a page at a time; null for whom the other game is not there."""
    return await info.context.service.true_line(info.context.player, root, page_size(first), after)


@strawberry.type
class Fork:
    """Where a practice game leaves another game."""

    is_type_of = shows(ForkFact)

    game_id: strawberry.ID = read(lambda fork: ids.game_id(UUID(fork.game)), description="That other game.")
    version: int = read(description="Of the last event the two share; see `Query.game(at:)`.")
    hash: str = read(description="Of that event.")
    true_line: EventConnection | None = resolved(true_line)


@strawberry.type
class Game(Node):
    """A game as of one version, as its viewer may see it."""

    is_type_of = shows(GameSeen)

    id: strawberry.ID = read(lambda seen: ids.game_id(seen.id))
    ruleset: Ruleset
    rules_version: int = read(lambda seen: seen.game.rules)
    status: Status
    visibility: Visibility
    version: int = read(description="Of the newest event, or of `at` when asked with it.")
    head_hash: str
    seats: list[Seat] = read(lambda seen: [Sitting(seen, index) for index in range(seen.game.seats)])
    my_seat: int | None
    my_turn_since: int | None = read(
        description="The version at which my present decision was opened: the least expectedVersion that is not stale."
    )
    join_secret: str | None = read(description="Of a private game, for those who sit in it and for its host.")
    awaiting: list[int] = read(lambda seen: seen.game.awaiting)
    deadline: datetime | None = read(lambda seen: seen.game.deadline)
    view: object = read(kind=RulesetView | None, description="What the viewer may see; null before the start.")
    legal_turns: list[JSON] = read(
        lambda seen: [{seen.ruleset.name: offered(command)} for command in seen.legal_turns],
        description=(
            "The turns open to the viewer at this version, each a ready value for TurnInput. "
            "Those of an older version (`at`) were open then, and may be refused now."
        ),
    )
    outcome: Outcome | None
    fork: Fork | None = read(
        lambda seen: seen.game.fork,
        description="Of a practice game, whose host plays all seats: where it leaves the game it was forked from.",
    )
    history: EventConnection = resolved(history)
    diff: list[JSON] | None = resolved(diff)
    anchor: Anchor | None = resolved(anchor)
    created_at: datetime
    imported: bool = read(description="It was played elsewhere and came as a bundle: here it can only be read.")
    export: str = read(
        lambda seen: f"{BUNDLES}/{ids.game_id(seen.id)}.jsonl",
        description=(
            "Where on this server the game's bundle is to be had: one file by which anybody can verify it (FORMAT.md). "
            "Of a game that goes on, its public form. Ask for it with the same Authorization."
        ),
    )


@strawberry.type
class GameEdge:
    """A game in a list of games."""

    cursor: str
    node: Game


@strawberry.type
class GameConnection:
    """A stretch of a list of games, newest first."""

    edges: list[GameEdge] = read(edges)
    page_info: PageInfo = read(lambda page: page)


@strawberry.type
class Refusal:
    """Why something was not accepted: a stable code, English for people, and the facts of the matter."""

    is_type_of = shows(values.Refusal)

    code: str
    message: str
    facts: JSON


async def caused(root: strawberry.Parent[values.Receipt], info: Info) -> tuple[EventSeen, ...]:
    """The events a submission caused."""
    return await info.context.service.receipt_events(info.context.player, root)


async def signed(root: strawberry.Parent[values.Receipt], info: Info) -> receipts.SignedReceipt | None:
    """The receipt as it binds us, signed when it is asked for; null where nothing is signed."""
    return await info.context.service.receipt_signed(info.context.player, root)


@strawberry.type
class Signed:
    """A statement of ours: its text, and our signature over it (FORMAT.md says how to check it)."""

    text: str
    key: str
    signature: str


@strawberry.type
class SignedReceipt:
    """A receipt as it binds us. As JSON it is what `slowlight verify --receipt` takes."""

    accepted: Signed = read(description="That the submission was received, when, and a commitment to what it said.")
    settled: Signed | None = read(description="What became of it; null while it is pending.")
    opened: JSON = read(description="What opens the commitment: yours to keep or to show.")


@strawberry.type
class PublicKey:
    """A key that we sign with, or did: nothing signed with it speaks of a time after `until`."""

    key: str
    since: datetime
    until: datetime | None
    by: str | None = read(description="The key before it, which signed that this one follows.")
    endorsement: str | None


@strawberry.type
class KeyList:
    """All our public keys, newest first, and that list signed with the present one."""

    keys: list[PublicKey]
    signed: Signed | None


@strawberry.type
class Receipt(Node):
    """What the sender of a submission holds. PENDING is a promise: it is stored, and will be decided."""

    is_type_of = shows(values.Receipt)

    id: strawberry.ID = read(lambda receipt: ids.receipt_id(receipt.game_id, receipt.id))
    key: strawberry.ID
    game_id: strawberry.ID = read(lambda receipt: ids.game_id(receipt.game_id))
    status: ReceiptStatus
    received_at: datetime
    version: int | None = read(description="Of the last event this submission caused, once APPLIED.")
    hash: str | None
    events: list[Event] = resolved(caused)
    refusal: Refusal | None
    signed: SignedReceipt | None = resolved(signed)


@strawberry.type
class Registered:
    """A new account. The token is shown this once."""

    is_type_of = shows(values.Registered)

    player: Player
    token: str


class NewToken(NamedTuple):
    """The source of a token just made: what is listed of it, and the token."""

    entry: values.Token
    token: str


@strawberry.type
class TokenCreated:
    """A new token of yours. It is shown this once; `entry` is how it is listed."""

    is_type_of = shows(NewToken)

    token: str
    entry: Token


@strawberry.type
class TokenRevoked:
    """The token with this id is good for nothing any more."""

    is_type_of = shows(UUID)

    id: strawberry.ID = read(ids.token_id)


@strawberry.type
class Forgotten:
    """You are forgotten. Nobody sits in your place: where a game was running, nobody has resigned by and by."""

    is_type_of = shows(values.Forgotten)

    retired: int = read(description="How many running games retire your seat; a practice game of yours ends.")
    left: int = read(description="How many games that had not started you leave.")


SubmitResult: Final[Any] = Annotated[
    Receipt | Refusal,
    strawberry.union("SubmitResult", description="A Refusal: nothing was received. A Receipt: it is stored."),
]
RegisterResult: Final[Any] = Annotated[Registered | Refusal, strawberry.union("RegisterResult")]
CreateTokenResult: Final[Any] = Annotated[TokenCreated | Refusal, strawberry.union("CreateTokenResult")]
RevokeTokenResult: Final[Any] = Annotated[TokenRevoked | Refusal, strawberry.union("RevokeTokenResult")]
ForgetResult: Final[Any] = Annotated[Forgotten | Refusal, strawberry.union("ForgetResult")]

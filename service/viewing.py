"""From what is stored of a game to what one viewer may see of it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from psycopg import AsyncConnection

from domain.game import Game, Sitter, Status
from domain.ruleset import Seat, redacted
from domain.stream import Row, opened, time_of
from service.codec import codec_of
from service.seen import EventSeen, GameSeen, Player, Visibility
from service.streams import GameRow, Stream, Streams, life_of


def seat_in(row: GameRow, player: Player | None) -> Seat | None:
    """The seat of a player in a game."""
    return row.players.index(player.id) if player is not None and player.id in row.players else None


def caused_by(first: Row) -> Seat | None:
    """The seat whose submission led to a decision of which this is the first event."""
    seat: Seat | None = json.loads(first.public)["cause"].get("seat")
    return seat


def is_insider(row: GameRow, player: Player | None) -> bool:
    """Whether a player sits in a game or hosts it. All others see alike, signed in or not."""
    return player is not None and (player.id == row.host_id or player.id in row.players)


def may_see(row: GameRow, player: Player | None) -> bool:
    """Whether a game is there for this viewer at all."""
    return row.visibility != Visibility.PRIVATE or is_insider(row, player)


async def folded_to_head(
    connection: AsyncConnection[Any], streams: Streams, rows: Iterable[GameRow]
) -> dict[UUID, Stream]:
    """These games at their heads; where one does not fold, by the events of its life alone."""
    by_id = {row.game_id: row for row in rows}
    loaded = await streams.load(connection, {game_id: row.version for game_id, row in by_id.items()})
    return {
        game_id: stream if isinstance(stream := loaded[game_id], Stream) else await life_of(connection, row)
        for game_id, row in by_id.items()
    }


def as_of(row: GameRow, stream: Stream) -> GameRow:
    """The row as it was, or will be read, when the stream had this head.

    A row is read before its stream is folded, and the cache may know a newer head: whoever left their seat in between
    must not be shown what the seat's next player holds.
    """
    if row.version == stream.head.version:
        return row
    return replace(
        row,
        version=stream.head.version,
        head_hash=stream.head.hash,
        head_at=stream.head.at,
        status=stream.game.status,
        players=list(stream.players),
    )


def game_seen(row: GameRow, stream: Stream, people: Mapping[UUID, Player], player: Player | None) -> GameSeen:
    """A game at its head; `people` are, by their ids, those who sit in it."""
    assert row.version == stream.head.version, "a game is seen as of one head"
    return GameSeen(
        id=row.game_id,
        game=stream.game,
        version=stream.head.version,
        head_hash=stream.head.hash.hex(),
        status=Status.QUARANTINED if row.quarantined else stream.game.status,
        visibility=Visibility(row.visibility),
        players=tuple(None if one is None else people.get(one) for one in _sitting(stream)),
        my_seat=_practice_seat(stream.game) if _practises(row, stream.game, player) else seat_in(row, player),
        join_secret=row.join_secret if is_insider(row, player) else None,
        created_at=row.created_at,
        opened=stream.game.status is Status.ENDED,
        imported=row.imported,
    )


def as_it_was(seen: GameSeen, game: Game, newest: Row) -> GameSeen:
    """A game as its viewer saw it when `newest` was its newest event and `game` what was folded.

    Who sits where, streams do not know: a seat that nobody had taken by then is shown free, be it the viewer's.
    """
    sitting = [sitter in (Sitter.PERSON, Sitter.HOST) for sitter in game.sitters]
    my_seat = seen.my_seat if seen.my_seat is not None and sitting[seen.my_seat] else None
    if seen.my_seat is not None and seen.game.fork is not None:
        my_seat = _practice_seat(game)
    return replace(
        seen,
        game=game,
        version=newest.version,
        head_hash=newest.hash.hex(),
        status=game.status,
        players=tuple(player if sits else None for player, sits in zip(seen.players, sitting, strict=True)),
        my_seat=my_seat,
    )


def seen_as(seen: GameSeen, seat: Seat) -> GameSeen | None:
    """A practice game with the eyes of one of its seats; None for whoever does not host it, and for any other game."""
    is_host = seen.my_seat is not None and seen.game.fork is not None
    return replace(seen, my_seat=seat) if is_host and 0 <= seat < seen.game.seats else None


def event_seen(row: GameRow, stored: Row, viewer: Seat | None) -> EventSeen:
    """One stored event: redacted, until the game has ended."""
    public = json.loads(stored.public)
    codec = codec_of(row.ruleset, row.rules)
    ended = row.status == Status.ENDED
    whole = codec.event(stored)
    event = whole if ended else redacted(whole, viewer)
    actor = public["actor"]
    return EventSeen(
        game_id=row.game_id,
        version=stored.version,
        name=public["name"],
        recorded_at=time_of(public["at"]),
        actor=int(actor.removeprefix("seat:")) if actor.startswith("seat:") else None,
        summary=codec.narrate(event),
        event=event,
        data=codec.data(event),
        sealed=public["sealed"],
        opened=opened(stored, row.secret, viewer, ended=ended),
        canonical=stored.public,
        prev_hash=stored.prev_hash.hex(),
        hash=stored.hash.hex(),
    )


def _practises(row: GameRow, game: Game, player: Player | None) -> bool:
    return game.fork is not None and player is not None and player.id == row.host_id


def _practice_seat(game: Game) -> Seat:
    """Where the host of a practice game sits: at the first seat that the game waits for."""
    return min(game.awaiting, default=0)


def _sitting(stream: Stream) -> tuple[UUID | None, ...]:
    return stream.players if stream.game.fork is None else (stream.host_id,) * stream.game.seats

"""The service as its faces see it: everything a person may ask of it, and nothing that goes around it."""

import json
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from hmac import compare_digest
from typing import Any, Final
from uuid import UUID, uuid4

from psycopg import AsyncConnection
from psycopg.rows import class_row
from psycopg_pool import AsyncConnectionPool

from domain import game as games
from domain.game import OpenGame, Status
from domain.ruleset import Refused, Seat, redacted
from domain.stream import BySubmission, Head, Row, game_id_of, opened, secret_hash, time_of, written
from service import store
from service.accounts import Accounts
from service.codec import codec_of, newest_codec
from service.deciding import Pending, content_of, opening_records
from service.hints import Hint, Hints
from service.keys import key_fits
from service.seen import (
    BadCursor,
    EventSeen,
    GameSeen,
    Page,
    Player,
    Receipt,
    ReceiptStatus,
    Refusal,
    Visibility,
)
from service.streams import GameRow, Stream, Streams, folded, game_rows, life_of, tails_of
from service.texts import refusal_by, refusal_of
from service.writer import Incoming, Known, Writer, write

WAIT_SECONDS: Final = (0.0, 30.0)
POLL_SECONDS: Final = 0.25
CARDS_CACHED_MAX: Final = 16384
VERSION_MAX: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Card:
    """What never changes about a game."""

    ruleset: str
    rules: int
    visibility: Visibility


class Slowlight:
    """One process's service. `player` is who asks, None for somebody not signed in.

    Where the database is away, psycopg.OperationalError, PoolTimeout or Unavailable is raised; nothing is half done.
    """

    def __init__(
        self, pool: AsyncConnectionPool, accounts: Accounts, streams: Streams, writer: Writer, hints: Hints
    ) -> None:
        self.accounts = accounts
        self._pool = pool
        self._streams = streams
        self._writer = writer
        self._hints = hints
        self._cards: OrderedDict[UUID, _Card] = OrderedDict()

    async def open_game(
        self, player: Player | None, key: str, command: OpenGame, visibility: Visibility, wait: float
    ) -> Receipt | Refusal:
        """Open a game, in one transaction with its first events; the same key opens the same game.

        `command.options` are the ruleset's options as a JSON object, or None.
        """
        if (refusal := _misshapen(player, key, wait)) is not None:
            return refusal
        assert player is not None
        game_id = game_id_of(await self.accounts.salt_of(player), key)
        try:
            codec = newest_codec(command.ruleset)
            command = replace(command, options=codec.options(command.options or {}))
        except Refused as refused:
            return refusal_by(refused, command.ruleset)
        said = codec.command_json(command)
        content = content_of(said, None, visibility=visibility)
        async with self._pool.connection() as connection:
            known = await _known(connection, game_id, player.id, key)
            if known is None:
                try:
                    async with connection.transaction():
                        known = await _open(connection, player, game_id, key, command, said, content, visibility)
                except Refused as refused:
                    return refusal_by(refused, command.ruleset)
                if known is None:  # the same key at the same moment: the other one opened the game
                    known = await _known(connection, game_id, player.id, key)
                else:
                    await self._hints.publish([Hint(game_id, known.version or 1, (player.id,), timers=True)])
                    self._writer.timers_changed.set()
        assert known is not None
        return known.receipt() if known.content == content else refusal_of("KEY_REUSED", key=key)

    async def submit(
        self,
        player: Player | None,
        game_id: UUID,
        key: str,
        command: Any,
        *,
        expected_version: int | None = None,
        join_secret: str | None = None,
        wait: float = 2.0,
    ) -> Receipt | Refusal:
        """Hand in a command of a game or of its ruleset, durably, and wait up to `wait` seconds for what follows."""
        if (refusal := _misshapen(player, key, wait)) is not None:
            return refusal
        assert player is not None
        card = await self._card(game_id)
        if card is None or (
            card.visibility is Visibility.PRIVATE and not await self._may_enter(player, game_id, join_secret)
        ):
            return refusal_of("UNKNOWN_GAME")
        codec = codec_of(card.ruleset, card.rules)
        if type(command) not in (*games.COMMANDS, *codec.ruleset.commands):
            return refusal_of("WRONG_RULESET", ruleset=card.ruleset)
        content = content_of(codec.command_json(command), expected_version)
        answer = await self._writer.submit(Incoming(game_id, player.id, key, uuid4(), content))
        return answer if isinstance(answer, Refusal) else await self._outcome(answer, wait)

    async def receipt(self, player: Player | None, game_id: UUID, submission_id: UUID) -> Receipt | None:
        """A receipt, for its sender alone."""
        async with self._pool.connection() as connection:
            params = {"game_id": game_id, "submission_id": submission_id}
            found = await store.rows(connection, "submission", params, class_row(Known))
        return found[0].receipt() if found and player is not None and found[0].sender_id == player.id else None

    async def receipt_events(self, player: Player | None, receipt: Receipt) -> tuple[EventSeen, ...]:
        """The events a submission caused, as its sender may see them."""
        if receipt.first_version is None or receipt.version is None or player is None:
            return ()
        async with self._pool.connection() as connection:
            (row,) = await game_rows(connection, [receipt.game_id])
            wanted = {receipt.game_id: (receipt.first_version - 1, receipt.version)}
            tail = (await tails_of(connection, wanted)).get(receipt.game_id, [])
        return tuple(_event_seen(row, stored, _seat_in(row, player)) for stored in tail)

    async def game(self, player: Player | None, game_id: UUID, at: int | None = None) -> GameSeen | None:
        """A game now, or as of a version; None if there is none that this viewer may see."""
        async with self._pool.connection() as connection:
            rows = [row for row in await game_rows(connection, [game_id]) if _may_see(row, player)]
            if not rows or (at is not None and not 1 <= at <= rows[0].version):
                return None
            (seen,) = await self._seen(connection, rows, player)
            if at is not None and at != seen.version:
                seen = await _seen_at(connection, rows[0], seen, at)
        return seen

    async def games(
        self, player: Player | None, status: Status | None, ruleset: str | None, first: int, after: str | None
    ) -> Page[GameSeen]:
        """The public games, newest first. Raises BadCursor."""
        return await self._page(player, "public_games", {"status": status, "ruleset": ruleset}, first, after)

    async def my_games(
        self, player: Player | None, awaiting_me: bool | None, first: int, after: str | None
    ) -> Page[GameSeen]:
        """The games the player sits in or hosts, newest first; none for somebody not signed in. Raises BadCursor."""
        if player is None:
            return Page((), (), has_next=False, has_previous=False)
        asked = {"player_id": player.id, "awaiting_me": awaiting_me}
        return await self._page(player, "games_of", asked, first, after)

    async def history(
        self, seen: GameSeen, first: int | None, after: str | None, last: int | None, before: str | None
    ) -> Page[EventSeen]:
        """The events of a game up to the version it was seen at, in order, as its viewer may see them.

        Raises BadCursor. With `first` the stretch begins after `after`, with `last` it ends before `before`.
        """
        least = 0 if after is None else _version_of(after)
        bound = min(seen.version + 1, VERSION_MAX if before is None else _version_of(before))
        most = last if first is None and last is not None else (first or 100)
        backward = first is None and last is not None
        async with self._pool.connection() as connection:
            (row,) = await game_rows(connection, [seen.id])
            params = {"game_id": seen.id, "after": least, "before": bound, "most": most + 1, "backward": backward}
            stretch = [Row(*stored) for stored in await store.rows(connection, "history", params)]
        more = len(stretch) > most
        if more:
            stretch = stretch[1:] if backward else stretch[:-1]
        if not backward and last is not None and last < len(stretch):
            stretch, more_before = stretch[-last:], True
        else:
            more_before = more if backward else least > 0
        events = tuple(_event_seen(row, stored, seen.my_seat) for stored in stretch)
        return Page(
            events,
            tuple(_cursor(str(event.version)) for event in events),
            has_next=bound <= seen.version if backward else more,
            has_previous=more_before,
        )

    async def _card(self, game_id: UUID) -> _Card | None:
        card = self._cards.get(game_id)
        if card is None:
            async with self._pool.connection() as connection:
                rows = await game_rows(connection, [game_id])
            if not rows:
                return None
            card = _Card(rows[0].ruleset, rows[0].rules, Visibility(rows[0].visibility))
            self._cards[game_id] = card
            while len(self._cards) > CARDS_CACHED_MAX:
                self._cards.popitem(last=False)
        return card

    async def _may_enter(self, player: Player, game_id: UUID, join_secret: str | None) -> bool:
        async with self._pool.connection() as connection:
            (row,) = await game_rows(connection, [game_id])
        given, wanted = (join_secret or "").encode(errors="replace"), (row.join_secret or "").encode()
        return _may_see(row, player) or (join_secret is not None and compare_digest(given, wanted))

    async def _outcome(self, receipt: Receipt, wait: float) -> Receipt:
        """The receipt once it is settled, or after `wait` seconds: whichever process settles it."""
        until = time.monotonic() + wait
        while receipt.status is ReceiptStatus.PENDING and (left := until - time.monotonic()) > 0:
            await self._writer.settled(receipt.id, min(left, POLL_SECONDS))
            async with self._pool.connection() as connection:
                params = {"game_id": receipt.game_id, "submission_id": receipt.id}
                (known,) = await store.rows(connection, "submission", params, class_row(Known))
            receipt = known.receipt()
        return receipt

    async def _page(
        self, player: Player | None, statement: str, asked: dict[str, Any], first: int, after: str | None
    ) -> Page[GameSeen]:
        after_at, after_id = (None, None) if after is None else _place_of(after)
        params = {**asked, "most": first + 1, "after_at": after_at, "after_id": after_id}
        async with self._pool.connection() as connection:
            found = await store.rows(connection, statement, params)
            order = [game_id for game_id, _ in found[:first]]
            rows = {row.game_id: row for row in await game_rows(connection, order)}
            seen = await self._seen(connection, [rows[game_id] for game_id in order], player)
        cursors = tuple(_cursor(f"{created_at.isoformat()} {game_id}") for game_id, created_at in found[:first])
        return Page(seen, cursors, has_next=len(found) > first, has_previous=after is not None)

    async def _seen(
        self, connection: AsyncConnection[Any], rows: Sequence[GameRow], player: Player | None
    ) -> tuple[GameSeen, ...]:
        loaded = await self._streams.load(connection, {row.game_id: row.version for row in rows})
        streams = {
            row.game_id: stream if isinstance(stream := loaded[row.game_id], Stream) else await life_of(connection, row)
            for row in rows
        }
        present = {sitter for stream in streams.values() for sitter in stream.players if sitter is not None}
        players = await self.accounts.players(list(present))
        return tuple(_game_seen(row, streams[row.game_id], players, player) for row in rows)


def _misshapen(player: Player | None, key: str, wait: float) -> Refusal | None:
    least, most = WAIT_SECONDS
    if player is None:
        return refusal_of("NOT_SIGNED_IN")
    if not key_fits(key):
        return refusal_of("BAD_KEY")
    if not least <= wait <= most:
        return refusal_of("BAD_WAIT", least=int(least), most=int(most))
    return None


async def _known(connection: AsyncConnection[Any], game_id: UUID, sender_id: UUID, key: str) -> Known | None:
    keys = store.as_json([{"game_id": game_id, "sender_id": sender_id, "key": key}])
    found = await store.rows(connection, "known", {"keys": keys}, class_row(Known))
    return found[0] if found else None


async def _open(
    connection: AsyncConnection[Any],
    player: Player,
    game_id: UUID,
    key: str,
    command: OpenGame,
    said: dict[str, Any],
    content: str,
    visibility: Visibility,
) -> Known | None:
    """Write a new game, its submission and its first events; None if the game is there already. Raises Refused."""
    ((now,),) = await store.rows(connection, "now")
    secret, submission_id = secrets.token_bytes(32), uuid4()
    decision = games.open_game(command, secret, secret_hash(game_id, secret).hex(), now)
    facts = [newest_codec(command.ruleset).fact(event) for event in decision.events]
    cause = BySubmission(submission_id, decision.seat, now, said)
    rows = written(game_id, secret, None, facts, now, decision.actor, cause)
    players = tuple(player.id if sitter == "PERSON" else None for sitter in decision.game.sitters)
    head = Head(rows[-1].version, rows[-1].hash, now)
    stream = Stream(game_id, secret, player.id, now, head, decision.game, players)
    made = await store.rows(
        connection,
        "open_game",
        {
            "game_id": game_id,
            "ruleset": decision.game.ruleset_name,
            "rules": decision.game.rules,
            "seats": decision.game.seats,
            "visibility": visibility,
            "join_secret": secrets.token_urlsafe(16) if visibility is Visibility.PRIVATE else None,
            "host_id": player.id,
            "secret": secret,
            "created_at": now,
            "version": head.version,
            "head_hash": head.hash,
            "head_at": now,
            "status": decision.game.status,
            "awaiting": list(decision.game.awaiting),
            "deadline": decision.game.deadline,
        },
    )
    if not made:
        return None
    await store.start(connection, "open_seats", {"game_id": game_id, "players": list(players)})
    opening = Pending(game_id, player.id, key, submission_id, content, now)
    await store.start(connection, "receive_opening", asdict(opening))
    await write(connection, opening_records(stream, rows, submission_id))
    return await _known(connection, game_id, player.id, key)


def _seat_in(row: GameRow, player: Player | None) -> Seat | None:
    return row.players.index(player.id) if player is not None and player.id in row.players else None


def _may_see(row: GameRow, player: Player | None) -> bool:
    if row.visibility != Visibility.PRIVATE:
        return True
    return player is not None and (player.id == row.host_id or player.id in row.players)


def _game_seen(row: GameRow, stream: Stream, players: dict[UUID, Player], player: Player | None) -> GameSeen:
    mine = player is not None and (player.id in row.players or player.id == row.host_id)
    return GameSeen(
        id=row.game_id,
        game=stream.game,
        version=stream.head.version,
        head_hash=stream.head.hash.hex(),
        status=Status.QUARANTINED if row.quarantined else stream.game.status,
        visibility=Visibility(row.visibility),
        players=tuple(None if one is None else players.get(one) for one in stream.players),
        my_seat=_seat_in(row, player),
        join_secret=row.join_secret if mine else None,
        created_at=row.created_at,
        opened=stream.game.status is Status.ENDED,
    )


async def _seen_at(connection: AsyncConnection[Any], row: GameRow, seen: GameSeen, at: int) -> GameSeen:
    tail = (await tails_of(connection, {row.game_id: (0, at)}))[row.game_id]
    game = folded(row.ruleset, row.rules, tail)
    return replace(seen, game=game, version=at, head_hash=tail[-1].hash.hex(), status=game.status)


def _event_seen(row: GameRow, stored: Row, viewer: Seat | None) -> EventSeen:
    public = json.loads(stored.public)
    codec = codec_of(row.ruleset, row.rules)
    ended = row.status == Status.ENDED
    whole = codec.event(public, stored)
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


def _cursor(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _text_of(cursor: str) -> str:
    try:
        return urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except ValueError:
        raise BadCursor from None


def _version_of(cursor: str) -> int:
    text = _text_of(cursor)
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise BadCursor
    return int(text)


def _place_of(cursor: str) -> tuple[datetime, UUID]:
    at, _, game_id = _text_of(cursor).partition(" ")
    try:
        return datetime.fromisoformat(at), UUID(game_id)
    except ValueError:
        raise BadCursor from None

"""The service as its faces see it: everything a person may ask of it, and nothing that goes around it."""

import asyncio
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from hmac import compare_digest
from math import inf
from typing import Any, Final
from uuid import UUID, uuid4

import structlog
from psycopg import AsyncConnection, InterfaceError, OperationalError
from psycopg.rows import class_row
from psycopg_pool import AsyncConnectionPool

from domain import game as games
from domain.game import OpenGame, Status
from domain.ruleset import Refused
from domain.stream import BySubmission, Head, Row, game_id_of, secret_hash, written
from service import store
from service.accounts import Accounts, players_by_id
from service.codec import codec_of, newest_codec
from service.deciding import Pending, content_of, opening_records
from service.faults import reached
from service.hints import Hint, Hints
from service.hub import Following, Hub
from service.keys import key_fits
from service.overrun import Overrun, limited
from service.seen import (
    BadCursor,
    EventSeen,
    GameSeen,
    MyGamesUpdate,
    Page,
    Player,
    Receipt,
    ReceiptStatus,
    Refusal,
    Visibility,
)
from service.standings import Standing, reason_of
from service.streams import GameRow, Stream, Streams, folded, game_rows, tails_of
from service.texts import refusal_by, refusal_of
from service.viewing import as_it_was, event_seen, folded_to_head, game_seen, may_see, seat_in
from service.writer import DECISION_SECONDS_MAX, Incoming, Known, Writer, known_under, write

WAIT_SECONDS: Final = (0.0, 30.0)
POLL_SECONDS: Final = 1.0
"""How often to look for an outcome that no hint told of."""

CARDS_CACHED_MAX: Final = 16384
PULSE_SECONDS_MAX: Final = 2.0
"""How long the database may take to say how things stand, before it is held to be away."""

VERSION_MAX: Final = 2**31 - 1

log = structlog.get_logger()


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
        self, pool: AsyncConnectionPool, accounts: Accounts, streams: Streams, writer: Writer, hints: Hints, hub: Hub
    ) -> None:
        self.accounts = accounts
        self._pool = pool
        self._streams = streams
        self._writer = writer
        self._hints = hints
        self._hub = hub
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
            command = replace(command, options=codec.options({} if command.options is None else command.options))
        except Refused as refused:
            return refusal_by(refused, command.ruleset)
        said = codec.command_json(command)
        content = content_of(said, None, visibility=visibility)
        async with self._pool.connection() as connection:
            known = await known_under(connection, game_id, player.id, key)
            if known is None:
                try:
                    async with connection.transaction():
                        known = await _open(connection, player, game_id, key, command, said, content, visibility)
                except Refused as refused:
                    return refusal_by(refused, command.ruleset)
                if known is None:  # the same key at the same moment: the other one opened the game
                    known = await known_under(connection, game_id, player.id, key)
                else:
                    reached("opened")
                    self._hints.tell([Hint(game_id, known.version or 1, (player.id,), timers=True)])
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
        answer = await self._writer.submit(Incoming(game_id, player.id, key, uuid4(), content, command))
        if isinstance(answer, Receipt):
            log.debug("received", game=str(game_id), submission=str(answer.id), status=answer.status.value)
        return answer if isinstance(answer, Refusal) else await self._outcome(answer, wait)

    async def standing(self) -> dict[str, float]:
        """How things stand, for those who run the service: the gauges of `service.metrics` by their names."""
        stats = self._pool.get_stats()
        standing: dict[str, float] = {
            "database_up": 0,
            "followers": self._hub.followers,
            "follower_lag_versions": self._hub.lag,
            "pool_connections": stats["pool_size"],
            "pool_connections_idle": stats["pool_available"],
            "pool_requests_waiting": stats["requests_waiting"],
        }
        with suppress(OperationalError, InterfaceError, OSError):
            async with asyncio.timeout(PULSE_SECONDS_MAX), self._pool.connection() as connection:
                ((inbox, overdue, quarantined),) = await store.rows(connection, "pulse")
            standing["database_up"] = 1
            standing |= {"inbox_age_seconds": inbox or 0, "timer_overdue_seconds": overdue or 0}
            standing["quarantined_games"] = quarantined
        return standing

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
        return tuple(event_seen(row, stored, seat_in(row, player)) for stored in tail)

    async def game(self, player: Player | None, game_id: UUID, at: int | None = None) -> GameSeen | None:
        """A game now, or as of a version; None if there is none that this viewer may see."""
        async with self._pool.connection() as connection:
            rows = [row for row in await game_rows(connection, [game_id]) if may_see(row, player)]
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
        events = tuple(event_seen(row, stored, seen.my_seat) for stored in stretch)
        return Page(
            events,
            tuple(_cursor(str(event.version)) for event in events),
            has_next=bound <= seen.version if backward else more,
            has_previous=more_before,
        )

    def follow(self, player: Player | None, game_id: UUID, after: int | None) -> Following:
        """What happens in a game after a version, or from now on, up to its last event; a Refusal is the last item."""
        return self._hub.follow(player, game_id, after)

    async def follow_my_games(self, player: Player | None) -> AsyncIterator[MyGamesUpdate | Refusal]:
        """Each change of a game that the player sits in or hosts, from now on; several at once come as one."""
        if player is None:
            yield refusal_of("NOT_SIGNED_IN")
            return
        async with self._hub.watch_player(player.id) as watch:
            known = await self._standings(player, [])
            while True:
                await watch.news()
                found = await self._standings(player, list(known))
                changed = [game_id for game_id, standing in found.items() if known.get(game_id) != standing]
                async with self._pool.connection() as connection:
                    rows = await game_rows(connection, changed)
                    seen = await self._seen(connection, [row for row in rows if may_see(row, player)], player)
                for game in seen:
                    yield MyGamesUpdate(game, reason_of(known.get(game.id), found[game.id], game))
                known = {game_id: standing for game_id, standing in found.items() if not standing.is_over}

    async def follow_receipt(
        self, player: Player | None, game_id: UUID, submission_id: UUID
    ) -> AsyncIterator[Receipt | Refusal]:
        """A receipt once it is settled, for its sender alone."""
        receipt = await self.receipt(player, game_id, submission_id)
        if receipt is not None and receipt.status is ReceiptStatus.PENDING:
            receipt = await self._outcome(receipt, None)
        yield refusal_of("UNKNOWN_RECEIPT") if receipt is None else receipt

    async def _standings(self, player: Player, games: list[UUID]) -> dict[UUID, Standing]:
        async with self._pool.connection() as connection:
            asked = {"player_id": player.id, "games": games}
            found = await store.rows(connection, "standings", asked)
        return {game_id: Standing(*rest) for game_id, *rest in found}

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
        return may_see(row, player) or (join_secret is not None and compare_digest(given, wanted))

    async def _outcome(self, receipt: Receipt, wait: float | None) -> Receipt:
        """The receipt once it is settled, or after `wait` seconds if given: whichever process settles it."""
        if receipt.status is not ReceiptStatus.PENDING or wait == 0:
            return receipt
        until = inf if wait is None else time.monotonic() + wait
        async with self._hub.watch_game(receipt.game_id) as watch:
            while (left := until - time.monotonic()) > 0:
                async with self._pool.connection() as connection:
                    params = {"game_id": receipt.game_id, "submission_id": receipt.id}
                    (known,) = await store.rows(connection, "submission", params, class_row(Known))
                receipt = known.receipt()
                if receipt.status is not ReceiptStatus.PENDING:
                    break
                await watch.news(min(left, POLL_SECONDS))
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
        streams = await folded_to_head(connection, self._streams, rows)
        present = {sitter for stream in streams.values() for sitter in stream.players if sitter is not None}
        players = await players_by_id(connection, list(present))
        return tuple(game_seen(row, streams[row.game_id], players, player) for row in rows)


def _misshapen(player: Player | None, key: str, wait: float) -> Refusal | None:
    least, most = WAIT_SECONDS
    if player is None:
        return refusal_of("NOT_SIGNED_IN")
    if not key_fits(key):
        return refusal_of("BAD_KEY")
    if not least <= wait <= most:
        return refusal_of("BAD_WAIT", least=int(least), most=int(most))
    return None


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
    try:
        with limited(DECISION_SECONDS_MAX):
            decision = games.open_game(command, secret, secret_hash(game_id, secret).hex(), now)
    except Overrun:
        raise RuntimeError("the rules did not begin a game in time") from None
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
    await write(connection, opening_records(stream, rows, opening))
    reached("opening")
    return await known_under(connection, game_id, player.id, key)


async def _seen_at(connection: AsyncConnection[Any], row: GameRow, seen: GameSeen, at: int) -> GameSeen:
    tail = (await tails_of(connection, {row.game_id: (0, at)}))[row.game_id]
    return as_it_was(seen, folded(row.ruleset, row.rules, tail), tail[-1])


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

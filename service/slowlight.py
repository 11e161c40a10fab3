"""The service as its faces see it: everything a person may ask of it, and nothing that goes around it."""

import asyncio
import json
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
from domain.game import Fork, ForkGame, OpenGame, Status
from domain.ruleset import Refused
from domain.stream import BySubmission, Head, Row, game_id_of, secret_hash, written
from service import store
from service.accounts import Accounts, players_by_id
from service.codec import codec_of, newest_codec
from service.deciding import Pending, content_of, opening_records
from service.exporting import NoKey, bundle_lines, ends_of
from service.faults import reached
from service.forgetting import forget
from service.forking import Deciding, forking, visibility_of_fork
from service.hints import Hint, Hints
from service.hub import Following, Hub
from service.keyring import Keyring
from service.keys import key_fits
from service.overrun import Overrun, limited
from service.published import Public
from service.receipts import SignedReceipt, signed_receipt
from service.seen import (
    ALL_EVENTS,
    BadCursor,
    EventFilter,
    EventSeen,
    Forgotten,
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
from service.streams import GameRow, Stream, Streams, game_at, game_rows, tails_of
from service.texts import refusal_by, refusal_of
from service.viewing import (
    as_it_was,
    as_of,
    caused_by,
    event_seen,
    folded_to_head,
    game_seen,
    may_see,
    seat_in,
    seen_as,
)
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
    imported: bool


@dataclass(frozen=True, slots=True)
class _Opening:
    """A game on its way in: its id, the key it is opened under, what its command says, and who may see it."""

    game_id: UUID
    key: str
    said: dict[str, Any]
    visibility: Visibility

    @property
    def content(self) -> str:
        """What the key stands for."""
        return content_of(self.said, None, visibility=self.visibility)


class Slowlight:
    """One process's service. `player` is who asks, None for somebody not signed in.

    Where the database is away, psycopg.OperationalError, PoolTimeout or Unavailable is raised; nothing is half done.
    """

    def __init__(
        self,
        pool: AsyncConnectionPool,
        accounts: Accounts,
        streams: Streams,
        writer: Writer,
        hints: Hints,
        hub: Hub,
        keyring: Keyring,
    ) -> None:
        self.accounts = accounts
        self.public = Public(pool, keyring)
        self._keyring = keyring
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
        salt = await self.accounts.salt_of(player)
        if salt is None:
            return refusal_of("NOT_SIGNED_IN")
        game_id = game_id_of(salt, key)
        try:
            codec = newest_codec(command.ruleset)
            command = replace(command, options=codec.options({} if command.options is None else command.options))
        except Refused as refused:
            return refusal_by(refused, command.ruleset)
        opening = _Opening(game_id, key, codec.command_json(command), visibility)
        return await self._open(player, opening, lambda *drawn: games.open_game(command, *drawn), command.ruleset)

    async def fork_game(
        self, player: Player | None, key: str, source_id: UUID, at: int, rules: int | None, wait: float
    ) -> Receipt | Refusal:
        """Open a practice game that goes on from a version of a game that is over, under its rules or under others."""
        if (refusal := _misshapen(player, key, wait)) is not None:
            return refusal
        assert player is not None
        salt = await self.accounts.salt_of(player)
        if salt is None:
            return refusal_of("NOT_SIGNED_IN")
        game_id, command = game_id_of(salt, key), ForkGame(str(source_id), at, rules)
        async with self._pool.connection() as connection:
            rows = [row for row in await game_rows(connection, [source_id]) if may_see(row, player)]
            if not rows:
                return refusal_of("UNKNOWN_GAME")
            (source,) = rows
            tail = (await tails_of(connection, {source_id: (0, source.version)}))[source_id]
        said = codec_of(source.ruleset, source.rules).command_json(command)
        opening = _Opening(game_id, key, said, visibility_of_fork(source))
        try:
            return await self._open(player, opening, forking(command, source, tail), source.ruleset)
        except Refused as refused:
            return refusal_by(refused, source.ruleset)

    async def _open(self, player: Player, opening: _Opening, decide: Deciding, ruleset: str) -> Receipt | Refusal:
        """Put a new game into the store, unless the same key has done so already."""
        game_id, key = opening.game_id, opening.key
        async with self._pool.connection() as connection:
            known = await known_under(connection, game_id, player.id, key)
            if known is None:
                try:
                    async with connection.transaction():
                        known = await _opened(connection, player, opening, decide)
                except Refused as refused:
                    return refusal_by(refused, ruleset)
                if known is None:  # the same key at the same moment: the other one opened the game
                    known = await known_under(connection, game_id, player.id, key)
                else:
                    reached("opened")
                    self._hints.tell([Hint(game_id, known.version or 1, (player.id,), timers=True)])
                    self._writer.timers_changed.set()
        if known is None:  # it was opened and played elsewhere
            return refusal_of("GAME_IMPORTED")
        return known.receipt() if known.content == opening.content else refusal_of("KEY_REUSED", key=key)

    async def submit(
        self,
        player: Player | None,
        game_id: UUID,
        key: str,
        command: Any,
        *,
        expected_version: int | None = None,
        as_seat: int | None = None,
        join_secret: str | None = None,
        wait: float = 2.0,
    ) -> Receipt | Refusal:
        """Hand in a command of a game or of its ruleset, durably, and wait up to `wait` seconds for what follows.

        `as_seat` is for the host of a practice game, who acts for all its seats.
        """
        if (refusal := _misshapen(player, key, wait)) is not None:
            return refusal
        assert player is not None
        card = await self._card(game_id)
        if card is None or (
            card.visibility is Visibility.PRIVATE and not await self._may_send(player, game_id, key, join_secret)
        ):
            return refusal_of("UNKNOWN_GAME")
        if card.imported:
            return refusal_of("GAME_IMPORTED")
        codec = codec_of(card.ruleset, card.rules)
        if type(command) not in (*games.COMMANDS, *codec.ruleset.commands):
            return refusal_of("WRONG_RULESET", ruleset=card.ruleset)
        content = content_of(codec.command_json(command), expected_version, as_seat=as_seat)
        answer = await self._writer.submit(Incoming(game_id, player.id, key, uuid4(), content, command))
        if isinstance(answer, Receipt):
            log.debug("received", game=str(game_id), submission=str(answer.id), status=answer.status.value)
        return answer if isinstance(answer, Refusal) else await self._outcome(answer, wait)

    async def forget(self, player: Player | None) -> Forgotten | Refusal:
        """Forget a player for good: nothing of theirs is kept, running games retire their seat, open ones are left."""
        if player is None:
            return refusal_of("NOT_SIGNED_IN")
        self.accounts.forget(player.id)
        async with self._pool.connection() as connection:
            forgotten = await forget(connection, player.id)
        if forgotten is None:
            return refusal_of("NOT_SIGNED_IN")
        self.accounts.forget(player.id)
        self._writer.nudge(forgotten.games)
        return forgotten

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
        seat = caused_by(tail[0]) if seat_in(row, player) is None else seat_in(row, player)
        return tuple(event_seen(row, stored, seat) for stored in tail)

    async def receipt_signed(self, player: Player | None, receipt: Receipt) -> SignedReceipt | None:
        """A receipt as it binds us, for its sender alone; None if there is no key to sign with."""
        async with self._pool.connection() as connection:
            asked = {"game_id": receipt.game_id, "submission_id": receipt.id, "sender_id": player and player.id}
            found = await store.rows(connection, "signed_submission", asked)
            key = await self._keyring.current(connection)
        if key is None or not found:
            return None
        ((content, secret),) = found
        return signed_receipt(key, receipt, json.loads(content)["command"], secret)

    async def game(
        self,
        player: Player | None,
        game_id: UUID,
        at: int | None = None,
        at_time: datetime | None = None,
        as_seat: int | None = None,
    ) -> GameSeen | None:
        """A game now, as of a version, or as of a time; None if there is none that this viewer may see.

        `as_seat`: with the eyes of that seat, of a practice game that the player hosts.
        """
        async with self._pool.connection() as connection:
            rows = [row for row in await game_rows(connection, [game_id]) if may_see(row, player)]
            if rows and at_time is not None:
                ((at,),) = await store.rows(connection, "version_at", {"game_id": game_id, "time": at_time})
            if not rows or (at is None and at_time is not None) or (at is not None and not 1 <= at <= rows[0].version):
                return None
            found = await self._seen(connection, rows, player)
            if not found:  # the viewer has just left
                return None
            (seen,) = found
            if at is not None and at != seen.version:
                seen = await _seen_at(connection, rows[0], seen, at)
        return seen if as_seat is None else seen_as(seen, as_seat)

    async def game_between(self, seen: GameSeen, versions: tuple[int, int]) -> tuple[GameSeen, GameSeen] | None:
        """A game as of two versions, for the viewer of `seen`; None if it had not come so far when it was seen."""
        if not all(1 <= version <= seen.version for version in versions):
            return None
        async with self._pool.connection() as connection:
            (row,) = await game_rows(connection, [seen.id])
            before, after = [
                seen if version == seen.version else await _seen_at(connection, row, seen, version)
                for version in versions
            ]
        return before, after

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
        self,
        seen: GameSeen,
        first: int | None,
        after: str | None,
        last: int | None,
        before: str | None,
        only: EventFilter = ALL_EVENTS,
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
            params |= {
                "names": None if only.names is None else list(only.names),
                "actor": None if only.seat is None else f"seat:{only.seat}",
            }
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

    async def true_line(
        self, player: Player | None, fork: Fork, first: int, after: str | None
    ) -> Page[EventSeen] | None:
        """What happened in a game after it was forked there; None if this viewer may not see it. Raises BadCursor."""
        seen = await self.game(player, UUID(fork.game))
        if seen is None:
            return None
        return await self.history(seen, first, after or _cursor(str(fork.version)), None, None)

    async def bundle(self, player: Player | None, game_id: UUID) -> AsyncIterator[bytes] | None:
        """The bundle of a game up to its head of now, line by line; None if there is none that this viewer may see.

        Raises NoKey.
        """
        async with self._pool.connection() as connection:
            rows = [row for row in await game_rows(connection, [game_id]) if may_see(row, player)]
            if not rows:
                return None
            ends, key = await ends_of(connection, rows[0]), await self._keyring.current(connection)
        if key is None:
            raise NoKey
        return bundle_lines(rows[0], ends, lambda after, upto: self._stretch(game_id, after, upto), key)

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

    async def _stretch(self, game_id: UUID, after: int, upto: int) -> list[Row]:
        async with self._pool.connection() as connection:  # for a stretch only: who fetches slowly holds none
            return (await tails_of(connection, {game_id: (after, upto)}))[game_id]

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
            card = _Card(rows[0].ruleset, rows[0].rules, Visibility(rows[0].visibility), rows[0].imported)
            self._cards[game_id] = card
            while len(self._cards) > CARDS_CACHED_MAX:
                self._cards.popitem(last=False)
        return card

    async def _may_send(self, player: Player, game_id: UUID, key: str, join_secret: str | None) -> bool:
        """Whether somebody may send to a private game: from inside, with its join secret, or again what they sent."""
        async with self._pool.connection() as connection:
            (row,) = await game_rows(connection, [game_id])
            given, wanted = (join_secret or "").encode(errors="replace"), (row.join_secret or "").encode()
            if may_see(row, player) or (join_secret is not None and compare_digest(given, wanted)):
                return True
            return await known_under(connection, game_id, player.id, key) is not None

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
        cursors = tuple(_cursor(f"{one.created_at.isoformat()} {one.id}") for one in seen)
        return Page(seen, cursors, has_next=len(found) > first, has_previous=after is not None)

    async def _seen(
        self, connection: AsyncConnection[Any], rows: Sequence[GameRow], player: Player | None
    ) -> tuple[GameSeen, ...]:
        """These games at one head each; without those that a viewer who just left may not see any more."""
        streams = await folded_to_head(connection, self._streams, rows)
        rows = [as_of(row, streams[row.game_id]) for row in rows]
        rows = [row for row in rows if may_see(row, player)]
        present = {player_id for stream in streams.values() for player_id in stream.present}
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


async def _opened(
    connection: AsyncConnection[Any], player: Player, opening: _Opening, decide: Deciding
) -> Known | None:
    """Write a new game, its submission and its first events; None if the game is there already. Raises Refused."""
    ((now,),) = await store.rows(connection, "now")
    game_id, visibility = opening.game_id, opening.visibility
    secret, submission_id = secrets.token_bytes(32), uuid4()
    try:
        with limited(DECISION_SECONDS_MAX):
            decision = decide(secret, secret_hash(game_id, secret).hex(), now)
    except Overrun:
        raise RuntimeError("the rules did not begin a game in time") from None
    codec = codec_of(decision.game.ruleset_name, decision.game.rules)
    facts = [codec.fact(event) for event in decision.events]
    cause = BySubmission(submission_id, decision.seat, now, opening.said)
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
    received = Pending(game_id, player.id, opening.key, submission_id, opening.content, now)
    await store.start(connection, "receive_opening", asdict(received))
    await write(connection, opening_records(stream, rows, received))
    reached("opening")
    return await known_under(connection, game_id, player.id, opening.key)


async def _seen_at(connection: AsyncConnection[Any], row: GameRow, seen: GameSeen, at: int) -> GameSeen:
    tail = (await tails_of(connection, {row.game_id: (0, at)}))[row.game_id]
    then = as_it_was(seen, await game_at(connection, row, tail), tail[-1])
    if then.status is not Status.OPEN:
        return then
    came = {seat for (seat,) in await store.rows(connection, "seats_taken_after", {"game_id": seen.id, "after": at})}
    return replace(
        then,
        players=tuple(None if seat in came else player for seat, player in enumerate(then.players)),
        my_seat=None if then.my_seat in came else then.my_seat,
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

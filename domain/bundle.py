"""A bundle: one game in one file, written to the byte and read to the first wrong line (FORMAT.md, The bundle)."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from domain.canonical import canonical
from domain.forms import is_hash, is_id, is_signature, is_whole, is_word, matches
from domain.stream import COMMAND, FORMAT, Row, chain_start, chained

BUNDLE: Final = 1
"""The number of this form of a bundle."""

SIGNED: Final = b"slowlight/bundle/1"
"""What stands before the SHA-256 of the lines in the message that is signed."""

LAST: Final = "game.secret_opened"
"""The name of the event that ends every stream and opens all of it."""


class Damaged(Exception):
    """What is wrong with a bundle: a stable code, where (a line, an event if it is one), and English for people."""

    def __init__(self, code: str, line: int, what: str, version: int | None = None, name: str | None = None) -> None:
        super().__init__(code, line, what, version, name)
        self.code = code
        self.line = line
        self.what = printable(what)
        self.version = version
        self.name = name

    def __str__(self) -> str:
        return f"line {self.line}{', ' if self._event else ''}{self.told}"

    @property
    def told(self) -> str:
        """All of it but the line."""
        return f"{self._event}: {self.what} [{self.code}]"

    @property
    def told_without_values(self) -> str:
        """No more than where and which code, for a game of which something is hidden."""
        return f"{self._event}: something is wrong with it [{self.code}]"

    @property
    def _event(self) -> str:
        return "" if self.version is None else f"event {self.version}" + (f" {self.name}" if self.name else "")


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: which game, by which rules, up to which head; and public keys (hex), one of which signed it."""

    game: UUID
    ruleset: str
    rules: int
    version: int
    head: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Closing:
    """The last line: the SHA-256 of all lines before it, and the signature over that by one of the header's keys."""

    key: str
    sha256: str
    signature: str


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a bundle: the line it stands on, as a stored row, and what its two forms say."""

    line: int
    row: Row
    public: dict[str, Any]
    secret: Mapping[str, Any] | None

    def damaged(self, code: str, what: str) -> Damaged:
        """Something that is wrong with this event."""
        return Damaged(code, self.line, what, self.row.version, self.public["name"])


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle whose lines are in order: each event is whole and follows on the one before it.

    `sha256` is that of the lines as they are; `closing` says what it should be. Only what stands beside the events
    and what they mean is still to be looked at.
    """

    header: Header
    events: tuple[Event, ...]
    closing: Closing
    closing_line: int
    sha256: str

    @property
    def head(self) -> Event:
        """The newest event."""
        return self.events[-1]

    @property
    def is_open(self) -> bool:
        """Whether the game has ended and its secret is known."""
        name: str = self.head.public["name"]
        return name == LAST

    def headed_otherwise(self, what: str) -> Damaged:
        """A header that does not fit the events."""
        return Damaged("HEADER", 1, what)


def printable(text: str) -> str:
    """Text of which some may come from a file, for a terminal: what would steer it stands there escaped."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def header_line(header: Header) -> bytes:
    """The first line of a bundle."""
    return _line(
        {
            "bundle": BUNDLE,
            "format": FORMAT,
            "game": str(header.game),
            "ruleset": header.ruleset,
            "rules": header.rules,
            "head": {"version": header.version, "hash": header.head},
            "keys": list(header.keys),
        }
    )


def event_line(row: Row, *, is_open: bool) -> bytes:
    """The line of one event; its secret form is in it only if the game is open.

    Both forms are canonical, and so is the line that is put together from them.
    """
    return f"{_event_text(row, is_open=is_open)}\n".encode()


def closing_line(closing: Closing) -> bytes:
    """The last line of a bundle."""
    return _line({"key": closing.key, "sha256": closing.sha256, "signature": closing.signature})


def signed_message(sha256_hex: str) -> bytes:
    """What the signature of a bundle is made over."""
    return SIGNED + bytes.fromhex(sha256_hex)


def read_header(line: bytes) -> Header:
    """The header that a first line is, its newline left off. Raises Damaged."""
    value = _object(line, 1, _HEADER_KEYS, "a header")
    head, keys = value["head"], value["keys"]
    if not (
        is_whole(value["bundle"])
        and value["bundle"] == BUNDLE
        and is_whole(value["format"])
        and value["format"] == FORMAT
        and is_id(value["game"])
        and is_word(value["ruleset"])
        and is_whole(value["rules"], 1)
        and isinstance(head, dict)
        and head.keys() == {"version", "hash"}
        and is_whole(head["version"], 1)
        and is_hash(head["hash"])
        and isinstance(keys, list)
        and all(map(is_hash, keys))
    ):
        raise Damaged("MISSHAPEN", 1, "this is not the header of a bundle of this form")
    _check_canonical(line, 1, canonical(value))
    return Header(UUID(value["game"]), value["ruleset"], value["rules"], head["version"], head["hash"], tuple(keys))


def read(data: bytes) -> Bundle:
    """A bundle from the bytes of its file. Raises Damaged, which names the first wrong line."""
    *lines, unfinished = data.split(b"\n")
    if unfinished:
        raise Damaged("MISSHAPEN", len(lines) + 1, "this line does not end with a newline: the file was cut here")
    if len(lines) < 3:
        raise Damaged("MISSHAPEN", max(len(lines), 1), "a bundle has a header, events and a last line")
    header = read_header(lines[0])
    parsed = [_event_or_damage(line, number) for number, line in enumerate(lines[1:-1], 2)]
    events = tuple(_in_order(header, parsed))
    closing = _closing(lines[-1], len(lines))
    _check_head(header, events[-1], len(lines))
    digest = sha256(data[: len(data) - len(lines[-1]) - 1]).hexdigest()
    return Bundle(header, events, closing, len(lines), digest)


def read_stored(header: Header, rows: Sequence[Row]) -> tuple[Event, ...]:
    """The events of a whole stream as it is stored, looked at as the lines of a bundle are. Raises Damaged."""
    lines = (event_line(row, is_open=True).removesuffix(b"\n") for row in rows)
    events = tuple(_in_order(header, [_event_or_damage(line, number) for number, line in enumerate(lines, 2)]))
    if not events:
        raise Damaged("MISSING", 2, f"all {header.version} events are missing")
    _check_head(header, events[-1], len(rows) + 2)
    return events


_Parsed = Sequence["Event | Damaged"]

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*", re.ASCII)
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d\.\d{6}Z", re.ASCII)
_ACTOR: Final = re.compile(r"seat:(0|[1-9]\d*)|host|clock", re.ASCII)

_HEADER_KEYS: Final = frozenset({"bundle", "format", "game", "ruleset", "rules", "head", "keys"})
_EVENT_KEYS: Final = frozenset({"hash", "prev_hash", "public", "secret"})
_CLOSING_KEYS: Final = frozenset({"key", "sha256", "signature"})
_PUBLIC_KEYS: Final = frozenset({"v", "game", "version", "name", "schema", "at", "actor", "cause", "data", "sealed"})
_CAUSES: Final = frozenset(
    {
        frozenset({"submission", "seat", "received_at", "command"}),
        frozenset({"deadline"}),
        frozenset({"operator"}),
        frozenset({"first"}),
    }
)
_INTEGER_MAX: Final = 2**53 - 1


def _line(value: Mapping[str, Any]) -> bytes:
    return canonical(value).encode() + b"\n"


def _event_text(row: Row, *, is_open: bool) -> str:
    secret = row.secret if is_open and row.secret is not None else "null"
    return f'{{"hash":"{row.hash.hex()}","prev_hash":"{row.prev_hash.hex()}","public":{row.public},"secret":{secret}}}'


def _is_time(value: object) -> bool:
    """Whether a value is a time as it is written here, and one that there is."""
    if not matches(_TIME, value):
        return False
    try:
        datetime.fromisoformat(str(value))
    except ValueError:
        return False
    return True


def _integer(digits: str) -> int:
    value = int(digits)
    if abs(value) > _INTEGER_MAX:
        raise ValueError("an integer out of range")
    return value


def _no_number(text: str) -> object:
    raise ValueError(f"{text} is not an integer")


_decode = json.JSONDecoder(parse_float=_no_number, parse_constant=_no_number, parse_int=_integer).decode


def _object(line: bytes, number: int, keys: frozenset[str], what: str) -> dict[str, Any]:
    """The object with these keys that a line is."""
    try:
        value = _decode(line.decode())
        nameable = line.isascii() or _has_ascii_keys(value)  # an escape for what is not ASCII is not canonical
    except (ValueError, RecursionError):
        nameable = False
    if not nameable:
        raise Damaged("NOT_JSON", number, "this line is not JSON of the values that a stream may hold")
    if not isinstance(value, dict) or value.keys() != keys:
        raise Damaged("MISSHAPEN", number, f"this line is not {what}")
    return value


def _has_ascii_keys(value: Any) -> bool:
    """Whether all objects in a value have keys of ASCII alone."""
    if isinstance(value, dict):
        return all(key.isascii() for key in value) and all(map(_has_ascii_keys, value.values()))
    return not isinstance(value, list) or all(map(_has_ascii_keys, value))


def _check_canonical(line: bytes, number: int, text: str) -> None:
    """That a line is the canonical text of what it says."""
    if text.encode("utf-8", "surrogatepass") != line:
        raise Damaged("NOT_CANONICAL", number, "this line is not canonical text: its bytes are not those written")


def _event_or_damage(line: bytes, number: int) -> Event | Damaged:
    try:
        return _event(line, number)
    except Damaged as damaged:
        return damaged


def _event(line: bytes, number: int) -> Event:
    value = _object(line, number, _EVENT_KEYS, "an event")
    public, secret = value["public"], value["secret"]
    if not (
        is_hash(value["hash"])
        and is_hash(value["prev_hash"])
        and _is_public_form(public)
        and (secret is None or (isinstance(secret, dict) and secret))
    ):
        raise Damaged("MISSHAPEN", number, "this line is not an event")
    row = Row(
        public["version"],
        canonical(public),
        None if secret is None else canonical(secret),
        bytes.fromhex(value["prev_hash"]),
        bytes.fromhex(value["hash"]),
    )
    _check_canonical(line, number, _event_text(row, is_open=True))
    return Event(number, row, public, secret)


def _is_public_form(public: Any) -> bool:
    return (
        isinstance(public, dict)
        and public.keys() == _PUBLIC_KEYS
        and is_whole(public["v"])
        and public["v"] == FORMAT
        and is_id(public["game"])
        and is_whole(public["version"], 1)
        and matches(_NAME, public["name"])
        and is_whole(public["schema"], 1)
        and _is_time(public["at"])
        and matches(_ACTOR, public["actor"])
        and _is_cause(public["cause"])
        and isinstance(public["data"], dict)
        and isinstance(public["sealed"], dict)
        and all(map(_is_seal, public["sealed"].values()))
        and COMMAND not in public["sealed"]
        and public["data"].keys().isdisjoint(public["sealed"])
    )


def _is_cause(cause: Any) -> bool:
    if not isinstance(cause, dict) or frozenset(cause) not in _CAUSES:
        return False
    if "first" in cause:
        return is_whole(cause["first"], 1)
    if "deadline" in cause:
        return _is_time(cause["deadline"])
    if "operator" in cause:
        return cause["operator"] in ("end", "release")
    return (
        is_id(cause["submission"])
        and (cause["seat"] is None or type(cause["seat"]) is int)
        and _is_time(cause["received_at"])
        and is_hash(cause["command"])
    )


def _is_seal(seal: Any) -> bool:
    return (
        isinstance(seal, dict)
        and seal.keys() == {"to", "c"}
        and is_hash(seal["c"])
        and isinstance(seal["to"], list)
        and all(type(seat) is int for seat in seal["to"])
    )


def _in_order(header: Header, parsed: _Parsed) -> Iterator[Event]:
    """The events, each whole and following on the one before. Raises the first that is not."""
    game, prev_hash, seen = str(header.game), chain_start(header.game), set[bytes]()
    for place, event in enumerate(parsed):
        if isinstance(event, Damaged):
            raise Damaged(event.code, event.line, event.what, place + 1)
        if chained(event.row.prev_hash, event.row.public) != event.row.hash:
            raise _changed(event, prev_hash, parsed[place + 1 :])
        if event.public["game"] != game:
            raise _of_another_game(game, event, parsed[place + 1 :])
        if event.row.version != place + 1:
            raise _misplaced(event, place + 1, seen, parsed[place + 1 :])
        if event.row.prev_hash != prev_hash:
            raise event.damaged("SPLICED", f"it does not follow on event {place}: it is of another history")
        if place == 0:
            _check_title(header, event)
        seen.add(event.row.hash)
        prev_hash = event.row.hash
        yield event


def _changed(event: Event, prev_hash: bytes, following: _Parsed) -> Damaged:
    """Text and hashes of one line do not belong together: which of them was changed."""
    row, after = event.row, next(_events(following), None)
    if chained(prev_hash, row.public) == row.hash:
        what = "its prev_hash was changed"
    elif after is not None and after.row.prev_hash == chained(row.prev_hash, row.public):
        what = "its hash was changed"
    else:
        what = "its text was changed: it does not have the hash that was recorded"
    return event.damaged("CHANGED", what)


def _of_another_game(game: str, event: Event, following: _Parsed) -> Damaged:
    other, after = event.public["game"], next(_events(following), None)
    if event.line == 2 and (after is None or after.public["game"] == other):
        return Damaged("HEADER", 1, f"the header names game {game}, the events are of game {other}")
    return event.damaged("SPLICED", f"it is an event of another game, {other}")


def _misplaced(event: Event, expected: int, seen: set[bytes], following: _Parsed) -> Damaged:
    version = event.row.version
    if version < expected:
        if event.row.hash in seen:
            return event.damaged("REPEATED", f"it stands here again, where event {expected} should")
        return event.damaged("SPLICED", f"it is another event {version}, where event {expected} should stand")
    if any(later.row.version == expected for later in _events(following)):
        return event.damaged("SWAPPED", f"it stands before event {expected}, which comes later in the file")
    missing = f"event {expected} is" if version == expected + 1 else f"events {expected} to {version - 1} are"
    return event.damaged("MISSING", f"{missing} missing before it")


def _check_title(header: Header, event: Event) -> None:
    said = event.public["data"]
    opened = said.get("ruleset"), said.get("rules")
    if event.public["name"] != "game.opened":
        raise event.damaged("DECISION", "a stream begins with game.opened")
    if opened != (header.ruleset, header.rules) or type(said["rules"]) is not int:
        raise Damaged(
            "HEADER", 1, f"the header names {header.ruleset} rules {header.rules}, the game was opened under {opened}"
        )


def _check_head(header: Header, last: Event, lines: int) -> None:
    stated, found = (header.version, header.head), (last.row.version, last.row.hash.hex())
    if stated == found:
        return
    if stated[0] > found[0] and stated[1] != found[1]:
        raise Damaged("MISSING", lines, f"events {found[0] + 1} to {stated[0]} are missing before this line", found[0])
    raise Damaged("HEADER", 1, f"the header names another head than event {found[0]}, the last there is")


def _closing(line: bytes, number: int) -> Closing:
    value = _object(line, number, _CLOSING_KEYS, "the last line of a bundle")
    if not (is_hash(value["key"]) and is_hash(value["sha256"]) and is_signature(value["signature"])):
        raise Damaged("MISSHAPEN", number, "this is not the last line of a bundle")
    _check_canonical(line, number, canonical(value))
    return Closing(value["key"], value["sha256"], value["signature"])


def _events(parsed: _Parsed) -> Iterator[Event]:
    return (event for event in parsed if isinstance(event, Event))

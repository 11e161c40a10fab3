"""A second verifier of bundles, written from FORMAT.md alone: the standard library, and nothing of what it checks.

python tests/verifier/second.py FILE...
"""

import hmac
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256, sha512
from pathlib import Path
from typing import Any
from uuid import UUID


class Wrong(Exception):
    """What is wrong, and on which line."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line


@dataclass(frozen=True)
class Opening:
    """A sealed field, opened."""

    version: int
    field: str
    value: Any
    salt: str


@dataclass(frozen=True)
class Found:
    """What a bundle proves without the rules of its title. Of a game that goes on: nothing but its head."""

    game: str
    events: int
    head: str
    secret: str | None
    seed: str | None
    openings: tuple[Opening, ...]
    ending: tuple[str, list[list[int]]] | None


HEADER = {"bundle", "format", "game", "ruleset", "rules", "head", "keys"}
EVENT = {"hash", "prev_hash", "public", "secret"}
PUBLIC = {"v", "game", "version", "name", "schema", "at", "actor", "cause", "data", "sealed"}
CLOSING = {"key", "sha256", "signature"}
CAUSES = ({"submission", "seat", "received_at", "command"}, {"deadline"}, {"operator"}, {"first"})

HEX_32 = re.compile("[0-9a-f]{64}")
HEX_64 = re.compile("[0-9a-f]{128}")
TIME = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}[.][0-9]{6}Z")
ACTOR = re.compile("host|clock|seat:(0|[1-9][0-9]*)")
WORD = re.compile("[a-z][a-z0-9_]*")
NAME = re.compile("[a-z][a-z0-9_]*[.][a-z][a-z0-9_]*")

GREATEST = 2**53 - 1


def found_in(data: bytes) -> Found:
    """What a bundle proves. Raises Wrong."""
    *lines, unfinished = data.split(b"\n")
    if unfinished:
        raise Wrong(len(lines) + 1, "without a newline at its end")
    if len(lines) < 3:
        raise Wrong(max(len(lines), 1), "too short")
    header = read(lines[0], 1, HEADER)
    check_header(header)
    events = chained(header, lines[1:-1])
    closing = read(lines[-1], len(lines), CLOSING)
    check_closing_shape(closing, len(lines))
    check_head(header, events, len(lines))
    check_decisions(events)
    secret, openings = opened(header["game"], events)
    entropies = entropies_of(events)
    check_closing(header, closing, b"".join(line + b"\n" for line in lines[:-1]), len(lines))
    seed = None if secret is None else seed_of(secret, entropies)
    ending = events[-2]["public"]["data"] if secret is not None else None
    return Found(
        game=header["game"],
        events=len(events),
        head=events[-1]["hash"],
        secret=None if secret is None else secret.hex(),
        seed=None if seed is None else seed.hex(),
        openings=tuple(openings),
        ending=ending and (ending["reason"], ending["ranking"]),
    )


# Values


def canonical(value: object) -> bytes:
    """RFC 8785, for the values that a stream may hold."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def integer(digits: str) -> int:
    value = int(digits)
    if abs(value) > GREATEST:
        raise ValueError(digits)
    return value


def refuse(text: str) -> None:
    raise ValueError(text)


def read(line: bytes, number: int, keys: set[str]) -> dict[str, Any]:
    try:
        value = json.loads(line.decode(), parse_int=integer, parse_float=refuse, parse_constant=refuse)
        same = canonical(value) == line
        nameable = all(key.isascii() for key in keys_in(value))
    except (ValueError, RecursionError):
        raise Wrong(number, "not JSON") from None
    if not nameable:
        raise Wrong(number, "a key that is not ASCII")
    if not isinstance(value, dict) or set(value) != keys:
        raise Wrong(number, "not the keys of this line")
    if not same:
        raise Wrong(number, "not canonical")
    return value


def keys_in(value: object) -> Iterator[str]:
    inner: Iterable[object] = ()
    if isinstance(value, dict):
        yield from value
        inner = value.values()
    elif isinstance(value, list):
        inner = value
    for one in inner:
        yield from keys_in(one)


def is_text(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_uuid(value: object) -> bool:
    try:
        return isinstance(value, str) and str(UUID(value)) == value
    except ValueError:
        return False


def is_time(value: object) -> bool:
    try:
        return is_text(TIME, value) and datetime.fromisoformat(str(value)) is not None
    except ValueError:
        return False


def is_cause(cause: object) -> bool:
    if not isinstance(cause, dict) or set(cause) not in CAUSES:
        return False
    if "submission" in cause:
        return (
            is_uuid(cause["submission"])
            and (cause["seat"] is None or is_number(cause["seat"]))
            and is_time(cause["received_at"])
            and is_text(HEX_32, cause["command"])
        )
    if "deadline" in cause:
        return is_time(cause["deadline"])
    if "operator" in cause:
        return cause["operator"] in ("end", "release")
    return is_number(cause["first"]) and cause["first"] > 0


def is_ending(data: dict[str, Any]) -> bool:
    ranking = data.get("ranking")
    return (
        is_text(WORD, data.get("reason"))
        and isinstance(ranking, list)
        and all(isinstance(tie, list) and all(is_number(seat) and seat >= 0 for seat in tie) for tie in ranking)
    )


# The header, the chain, the last line


def check_header(header: dict[str, Any]) -> None:
    head, keys = header["head"], header["keys"]
    well = (
        [header["bundle"], header["format"]] == [1, 1]
        and not isinstance(header["bundle"], bool)
        and not isinstance(header["format"], bool)
        and is_uuid(header["game"])
        and is_text(WORD, header["ruleset"])
        and is_number(header["rules"])
        and header["rules"] > 0
        and isinstance(head, dict)
        and set(head) == {"version", "hash"}
        and is_number(head["version"])
        and head["version"] > 0
        and is_text(HEX_32, head["hash"])
        and isinstance(keys, list)
        and all(is_text(HEX_32, key) for key in keys)
    )
    if not well:
        raise Wrong(1, "not a header")


def chained(header: dict[str, Any], lines: list[bytes]) -> list[dict[str, Any]]:
    prev_hash = sha256(b"slowlight/chain/1" + UUID(header["game"]).bytes).hexdigest()
    events: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 2):
        event = read(line, number, EVENT)
        check_event(event, number)
        public = event["public"]
        text = line[
            line.index(b'"public":') + len(b'"public":') : line.rindex(b',"secret":' + canonical(event["secret"]))
        ]
        if sha256(bytes.fromhex(event["prev_hash"]) + text).hexdigest() != event["hash"]:
            raise Wrong(number, "its hash is not that of its text")
        if public["game"] != header["game"]:
            raise Wrong(1 if number == 2 and strangers(lines, public["game"]) else number, "of another game")
        if public["version"] != number - 1:
            raise Wrong(number, "out of order")
        if event["prev_hash"] != prev_hash:
            raise Wrong(number, "does not follow")
        prev_hash = event["hash"]
        events.append(event)
    if events[0]["public"]["name"] != "game.opened":
        raise Wrong(2, "not the beginning of a game")
    said = events[0]["public"]["data"]
    if (said.get("ruleset"), said.get("rules")) != (header["ruleset"], header["rules"]) or said["rules"] is True:
        raise Wrong(1, "other rules than the game was opened under")
    return events


def strangers(lines: list[bytes], game: str) -> bool:
    """Whether it is the header that is of another game, and not the first event."""
    try:
        return len(lines) < 2 or json.loads(lines[1])["public"]["game"] == game
    except (ValueError, KeyError, TypeError):
        return True


def check_event(event: dict[str, Any], number: int) -> None:
    public, secret = event["public"], event["secret"]
    well = (
        is_text(HEX_32, event["hash"])
        and is_text(HEX_32, event["prev_hash"])
        and (secret is None or (isinstance(secret, dict) and secret != {}))
        and isinstance(public, dict)
        and set(public) == PUBLIC
        and is_number(public["v"])
        and public["v"] == 1
        and is_uuid(public["game"])
        and all(is_number(public[key]) and public[key] > 0 for key in ("version", "schema"))
        and is_text(NAME, public["name"])
        and is_time(public["at"])
        and is_text(ACTOR, public["actor"])
        and is_cause(public["cause"])
        and isinstance(public["data"], dict)
        and isinstance(public["sealed"], dict)
        and all(
            isinstance(seal, dict)
            and set(seal) == {"to", "c"}
            and is_text(HEX_32, seal["c"])
            and isinstance(seal["to"], list)
            and all(map(is_number, seal["to"]))
            for seal in public["sealed"].values()
        )
        and "$command" not in public["sealed"]
        and not set(public["sealed"]) & set(public["data"])
    )
    if not well:
        raise Wrong(number, "not an event")


def check_head(header: dict[str, Any], events: list[dict[str, Any]], last: int) -> None:
    said, there = header["head"], {"version": len(events), "hash": events[-1]["hash"]}
    if said != there:
        short = said["version"] > there["version"] and said["hash"] != there["hash"]
        raise Wrong(last if short else 1, "not the head that the header names")


def check_closing_shape(closing: dict[str, Any], number: int) -> None:
    well = is_text(HEX_32, closing["key"]) and is_text(HEX_32, closing["sha256"])
    if not well or not is_text(HEX_64, closing["signature"]):
        raise Wrong(number, "not a last line")


def check_closing(header: dict[str, Any], closing: dict[str, Any], before: bytes, number: int) -> None:
    digest = bytes.fromhex(closing["sha256"])
    signed = is_signed(
        bytes.fromhex(closing["key"]), bytes.fromhex(closing["signature"]), b"slowlight/bundle/1" + digest
    )
    if sha256(before).digest() != digest:
        raise Wrong(1 if signed and header["keys"] != [closing["key"]] else number, "not the SHA-256 of the lines")
    if not signed:
        raise Wrong(number, "not the signature")
    if closing["key"] not in header["keys"]:
        raise Wrong(1, "without the key that signed")


# What the events say


def check_decisions(events: list[dict[str, Any]]) -> None:
    first = before = events[0]["public"]
    submissions = set()
    for number, event in enumerate(events, 2):
        public = event["public"]
        cause, actor = public["cause"], public["actor"]
        if public["at"] < before["at"]:
            raise Wrong(number, "before its predecessor")
        if "first" not in cause:
            first = public
            allowed = (
                ["clock"]
                if "deadline" in cause
                else ["host"]
                if "operator" in cause
                else ["host", f"seat:{cause['seat']}"]
            )
            if actor not in allowed:
                raise Wrong(number, "an actor that its cause does not allow")
            if "submission" in cause and (cause["received_at"] > public["at"] or cause["submission"] in submissions):
                raise Wrong(number, "a command from later, or one that had been decided")
            submissions.add(cause.get("submission"))
        elif (
            number == 2 or cause["first"] != first["version"] or (public["at"], actor) != (first["at"], first["actor"])
        ):
            raise Wrong(number, "not of its decision")
        if (public["name"] == "game.opened") != (number == 2):
            raise Wrong(number, "game.opened is the first event and no other")
        before = public
    names = [event["public"]["name"] for event in events]
    for number, name in enumerate(names, 2):
        place = number - 2
        if name == "game.ended" and names[place + 1 :] != ["game.secret_opened"]:
            raise Wrong(number, "an end that is not the end")
        if name == "game.ended" and not is_ending(events[place]["public"]["data"]):
            raise Wrong(number, "no outcome")
        if name == "game.secret_opened" and (place != len(names) - 1 or names[place - 1] != "game.ended"):
            raise Wrong(number, "opened elsewhere than at the end")


def opened(game: str, events: list[dict[str, Any]]) -> tuple[bytes | None, list[Opening]]:
    last = events[-1]["public"]
    if last["name"] != "game.secret_opened":
        for number, event in enumerate(events, 2):
            if event["secret"] is not None:
                raise Wrong(number, "open before the end")
        return None, []
    if not is_text(HEX_32, last["data"].get("secret")):
        raise Wrong(len(events) + 1, "not a secret")
    secret = bytes.fromhex(last["data"]["secret"])
    digest = sha256(b"slowlight/secret/1" + UUID(game).bytes + secret).hexdigest()
    if digest != events[0]["public"]["data"].get("secret_hash"):
        raise Wrong(len(events) + 1, "not the secret that was committed to")
    return secret, [one for number, event in enumerate(events, 2) for one in openings_of(event, secret, number)]


def openings_of(event: dict[str, Any], secret: bytes, number: int) -> list[Opening]:
    public = event["public"]
    committed = {field: seal["c"] for field, seal in public["sealed"].items()}
    if "command" in public["cause"]:
        committed["$command"] = public["cause"]["command"]
    values = event["secret"] or {}
    if set(values) != set(committed):
        raise Wrong(number, "not opened as it was sealed")
    openings = []
    for field, value in values.items():
        place = public["version"].to_bytes(8, "big")
        salt = hmac.digest(secret, b"slowlight/salt/1" + place + field.encode(), "sha256")
        if hmac.digest(salt, canonical(value), "sha256").hex() != committed[field]:
            raise Wrong(number, f"{field!a} is not what was committed to")
        openings.append(Opening(public["version"], field, value, salt.hex()))
    return openings


def entropies_of(events: list[dict[str, Any]]) -> list[str | None]:
    entropies: list[str | None] = []
    for number, event in enumerate(events, 2):
        if event["public"]["name"] in ("game.seat_taken", "game.entropy_added"):
            data = event["public"]["data"]
            if not is_number(data.get("seat")) or not isinstance(data.get("entropy", ...), str | None):
                raise Wrong(number, "no seat, or no entropy")
            entropies.append(data["entropy"])
    return entropies


def seed_of(secret: bytes, entropies: list[str | None]) -> bytes:
    return hmac.digest(secret, b"slowlight/seed/1" + canonical(entropies), "sha256")


# Ed25519, as RFC 8032 has it: points are (x, y, z, t) with x = X/Z, y = Y/Z, x*y = T/Z

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)
Point = tuple[int, int, int, int]


def is_signed(key: bytes, signature: bytes, message: bytes) -> bool:
    try:
        a, r = point(key), point(signature[:32])
    except ValueError:
        return False
    s = int.from_bytes(signature[32:], "little")
    if s >= L:
        return False
    h = int.from_bytes(sha512(signature[:32] + key + message).digest(), "little") % L
    return same_point(times(s, BASE), plus(r, times(h, a)))


def point(text: bytes) -> Point:
    y = int.from_bytes(text, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        raise ValueError("not a point")
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (not x and sign):
        raise ValueError("not a point")
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


def plus(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(factor: int, base: Point) -> Point:
    total: Point = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            total = plus(total, base)
        base = plus(base, base)
        factor >>= 1
    return total


def same_point(one: Point, other: Point) -> bool:
    return not (one[0] * other[2] - other[0] * one[2]) % P and not (one[1] * other[2] - other[1] * one[2]) % P


BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        try:
            told = found_in(Path(name).read_bytes())
            sys.stdout.write(f"{name}: {told.events} events, head {told.head}, ended {told.ending}\n")
        except Wrong as wrong:
            sys.exit(f"{name}: {wrong}")

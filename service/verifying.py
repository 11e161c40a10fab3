"""Verifying bundles offline: bytes, chain, commitments, chance, rules, signature, and what anchors them outside."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from domain.auditing import Chance, audit, opened_secret
from domain.bundle import Bundle, Damaged, Event, read, signed_message
from domain.canonical import canonical
from domain.catalogue import CATALOGUE
from domain.game import Game
from domain.ruleset import Outcome, Refused
from domain.stream import COMMAND, Fact
from service.codec import Codec, codec_of
from service.redeciding import Stored, Unfounded, decided_anew
from service.signatures import holds
from service.streams import folded

SHOWN_MAX: Final = 120
"""How much of a value is shown in what is said of it."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A bundle in which nothing is wrong. `judged` says whether its decisions were made again by its rules.

    They cannot be before the game's secret is open, nor where this build does not have its rules. `hashes` are those
    of the events that were asked for, with their versions: what anchors a chain is a hash known from elsewhere.
    """

    game: UUID
    ruleset: str
    rules: int
    events: int
    head: str
    key: str
    is_open: bool
    judged: bool
    outcome: Outcome | None
    chance: Chance
    hashes: dict[str, int]


def verify(data: bytes, keys: Sequence[str] = (), hashes: frozenset[str] = frozenset()) -> Verified:
    """Verify one bundle; `keys`, if any, are the public keys one of which must have signed it. Raises Damaged."""
    bundle = read(data)
    chance = audit(bundle.events, opened_secret(bundle.events))
    _check_closing(bundle, keys)
    header = bundle.header
    known = (header.ruleset, header.rules) in CATALOGUE
    judged = known and bundle.is_open
    game: Game | None = None
    if judged:
        game = judge(bundle.events, codec_of(header.ruleset, header.rules))
    elif known:
        game = _folded(bundle)
    return Verified(
        game=header.game,
        ruleset=header.ruleset,
        rules=header.rules,
        events=len(bundle.events),
        head=header.head,
        key=header.keys[bundle.closing.key],
        is_open=bundle.is_open,
        judged=judged,
        outcome=game.outcome if game is not None else _told_outcome(bundle),
        chance=chance,
        hashes={found: event.row.version for event in bundle.events if (found := event.row.hash.hex()) in hashes},
    )


def judge(events: Sequence[Event], codec: Codec, secret: bytes | None = None) -> Game:
    """Decide every decision of a stream again and compare; gives the game after it. Raises Damaged.

    `secret` is the game's, where its stream does not open it yet.
    """
    secret = secret or opened_secret(events)
    assert secret is not None, "only what is open can be decided again"
    game: Game | None = None
    for stored in _decisions(events):
        first = stored[0]
        try:
            decision = decided_anew(codec, game, _stored(stored), secret)
        except Refused as refused:
            raise first.damaged("RULES", f"the rules refuse the command that is said to have led to it: {refused.code}") from None
        except Unfounded as unfounded:
            raise first.damaged("RULES", f"nothing could lead to it: {unfounded}") from None
        except Exception as error:
            raise first.damaged("RULES", f"the rules do not decide it: {type(error).__name__}") from None
        seat = first.public["cause"].get("seat")
        if (decision.actor, decision.seat) != (first.public["actor"], seat):
            raise first.damaged("RULES", f"the rules have {decision.actor} act for seat {decision.seat}")
        facts = [codec.fact(event) for event in decision.events]
        for event, fact, made in zip(stored, facts, decision.events, strict=False):
            _compare(event, fact, made, codec)
        if len(facts) > len(stored):
            raise stored[-1].damaged("RULES", f"the rules have {facts[len(stored)].name} follow on it, which is not there")
        if len(stored) > len(facts):
            raise stored[len(facts)].damaged("RULES", "by the rules nothing more follows from its cause")
        game = decision.game
    assert game is not None, "a stream has at least one decision"
    return game


def _check_closing(bundle: Bundle, keys: Sequence[str]) -> None:
    closing, line = bundle.closing, bundle.closing_line
    if closing.sha256 != bundle.sha256:
        raise Damaged("CLOSING", line, "its SHA-256 is not that of the lines before it")
    public_key = bundle.header.keys.get(closing.key)
    if public_key is None:
        raise Damaged("CLOSING", line, "it names a key that is not in the header")
    if not holds(public_key, closing.signature, signed_message(closing.sha256)):
        raise Damaged("SIGNATURE", line, "its signature is not that of its key over the lines before it")
    if keys and public_key not in keys:
        raise Damaged("KEY", line, f"it is signed by another key than those given: {public_key}")


def _decisions(events: Sequence[Event]) -> Iterator[list[Event]]:
    group: list[Event] = []
    for event in events:
        if group and "first" not in event.public["cause"]:
            yield group
            group = []
        group.append(event)
    yield group


def _stored(events: Sequence[Event]) -> Stored:
    first = events[0]
    command = None if first.secret is None else first.secret.get(COMMAND)
    lapsed = [event.public["data"].get("seat") for event in events if event.public["name"] == "game.lapsed"]
    return Stored(first.public, command, lapsed)


def _compare(event: Event, fact: Fact, made: Any, codec: Codec) -> None:
    """That a stored event is the one that the rules make: to the byte, or, where its shape is older, in its newest."""
    public = event.public
    if public["name"] != fact.name:
        raise event.damaged("RULES", f"by the rules {fact.name} stands here")
    if public["schema"] != fact.schema:
        if codec.event(public, event.row) != made:
            raise event.damaged("RULES", "by the rules it holds something else")
        return
    kept = {field: value for field, value in (event.secret or {}).items() if field != COMMAND}
    recorded = {**public["data"], **kept}
    decided = {**fact.data, **{field: seal.value for field, seal in fact.sealed.items()}}
    for field in sorted(recorded.keys() | decided.keys()):
        if recorded.get(field, _NOTHING) != decided.get(field, _NOTHING):
            said, wanted = _shown(recorded, field), _shown(decided, field)
            code = "OUTCOME" if public["name"] == "game.ended" else "RULES"
            raise event.damaged(code, f"{field} is {said}; dealt and decided again it is {wanted}")
    if {field: seal["to"] for field, seal in public["sealed"].items()} != {
        field: list(seal.to) for field, seal in fact.sealed.items()
    }:
        raise event.damaged("RULES", "by the rules other fields are sealed in it, or for other seats")
    if canonical(recorded) != canonical(decided):  # 1 and true are equal, but not the same
        raise event.damaged("RULES", "by the rules it holds values of another kind")


_NOTHING: Final = object()


def _shown(values: dict[str, Any], field: str) -> str:
    if field not in values:
        return "not there"
    text = json.dumps(values[field], ensure_ascii=False)
    return text if len(text) <= SHOWN_MAX else text[:SHOWN_MAX] + "..."


def _folded(bundle: Bundle) -> Game:
    """The game as the public sees it, folded. Raises Damaged."""
    try:
        return folded(bundle.header.ruleset, bundle.header.rules, [event.row for event in bundle.events])
    except Exception as error:
        raise bundle.head.damaged("FOLD", f"the events up to it do not fold: {type(error).__name__}") from None


def _told_outcome(bundle: Bundle) -> Outcome | None:
    """How a game ended by its own words, where its rules are not here to say."""
    if not bundle.is_open:
        return None
    data = bundle.events[-2].public["data"]
    return Outcome(str(data.get("reason")), tuple(map(tuple, data.get("ranking") or ())))

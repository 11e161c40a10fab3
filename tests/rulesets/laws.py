"""The laws of a ruleset: each a function that raises AssertionError on a play in which the law is broken."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import permutations
from string import Formatter
from types import CodeType, FrameType
from typing import Any, Final, TypeAlias

from domain import game
from domain.catalogue import AnyRuleset
from domain.ruleset import EVENTS_A_DECISION_MAX, Refused, Seat, Secret, redacted, snake
from tests.rulesets import hiding
from tests.rulesets.play import Play, played

Law: TypeAlias = Callable[[Play], None]

LAPSES_MAX: Final = 500
"""A game that nobody plays any more is over after so many lapses, whatever its title."""

ACCEPTED_MAX: Final = 12
"""The most legal turns of one seat that are tried at one state, spread over all of them."""

ORDERS_MAX: Final = 3
"""The most states of one play at which every order of content, or of arrival, is tried."""

INTEGER_MAX: Final = 2**53 - 1

RESERVED: Final = re.compile("id|version|name|recordedat|actor|summary|data|sealed|opened|canonical|prevhash|hash")
"""What the API's interface Event calls its own fields, without case or underscores; a title's events do not."""


def facts_only(play: Play) -> None:
    """1. Events are plain facts that carry their consequences: folding them refuses nothing and asks no rules."""
    for event in play.events:
        assert type(event) in play.ruleset.events, f"{type(event).__name__} is not declared"
        for field in fields(event):
            _assert_fact(event, getattr(event, field.name), play.seats)
    for seen in (play.events, *([redacted(event, viewer) for event in play.events] for viewer in play.viewers)):
        with _rules_out_of_reach(play.ruleset):
            state = play.folded(seen)
        hash(state)  # as a value all of whose parts are values can be


def fold(play: Play) -> None:
    """2. All events folded give the state reached step by step, and the same plan gives the same events again."""
    state = None
    for step in play.steps:
        state = play.folded(step.events, state)
        assert state == step.after
        if step.refusal is None:
            assert 1 <= len(step.events) <= EVENTS_A_DECISION_MAX, step
    assert play.events == played(play.ruleset, play.plan).events
    labels = Counter(label for step in play.steps for label in step.labels)
    assert not labels or max(labels.values()) == 1, f"a label is used once in a game: {labels.most_common(3)}"


def legal(play: Play) -> None:
    """3. Whatever stands in `legal` is accepted; anything else raises Refused, with a declared code, or is an offer."""
    for state in play.states:
        for seat in play.seats:
            turns = play.ruleset.legal(state, seat)
            assert len(set(turns)) == len(turns), "a legal turn is listed once"
            for turn in turns:
                _assert_flat(play.ruleset, turn)
            for turn in turns[:: len(turns) // ACCEPTED_MAX + 1]:
                _assert_accepted(play, state, seat, turn)
    for step in play.looked_at:
        if step.refusal is not None:
            _assert_declared(play.ruleset, step.refusal)
        elif step.command is not None:
            assert step.seat is not None
            turns = play.ruleset.legal(step.before, step.seat)
            listed = type(step.command) in set(map(type, turns))  # or it is an offer, an undo
            assert step.command in turns or not listed, f"{step.command} was accepted and is not legal"


def awaiting(play: Play) -> None:
    """4. A seat is awaited until it acts and can act while it is; a game that nobody plays is lapsed to its end."""
    ruleset = play.ruleset
    for state in play.states:
        _assert_awaiting(play, state)
    for step in play.steps[1:]:
        still = set(ruleset.awaiting(step.before)) - {step.seat}
        assert ruleset.outcome(step.after) or still <= set(ruleset.awaiting(step.after)), (
            f"{step.command} of seat {step.seat} was another seat's decision too"
        )
    state = play.states[-1]
    for _ in range(LAPSES_MAX):
        if ruleset.outcome(state) is not None:
            break
        before, seat = state, ruleset.awaiting(state)[0]
        state = play.folded(play.decided(state, seat, None), state)
        assert state != before, f"a lapse of seat {seat} made no progress"
        _assert_awaiting(play, state)
    outcome = ruleset.outcome(state)
    assert outcome is not None, f"not over after {LAPSES_MAX} lapses"
    assert outcome.reason in ruleset.reasons, f"{outcome.reason} is not declared"
    assert sorted(seat for tie in outcome.ranking for seat in tie) == list(play.seats)
    assert all(outcome.ranking), "a place that nobody takes"


def veil(play: Play) -> None:
    """5. A viewer sees the same in the game folded from what they may know as in the whole game, at every event.

    So it is with who is awaited, and after a decision with a seat's own legal turns: the API shows these too.
    """
    ruleset = play.ruleset
    unseen = sum(len(step.events) for step in play.before[:-1])
    for viewer in play.viewers:
        whole = seen = None
        for number, event in enumerate(play.events):
            whole, seen = ruleset.evolve(whole, event), ruleset.evolve(seen, redacted(event, viewer))
            if number >= unseen:
                assert ruleset.view(whole, viewer) == ruleset.view(seen, viewer), f"as {viewer} sees it after {event}"
                assert ruleset.awaiting(whole) == ruleset.awaiting(seen), f"as {viewer} sees it after {event}"
        if viewer is not None:
            assert ruleset.legal(whole, viewer) == ruleset.legal(seen, viewer)


def hide(play: Play) -> None:
    """6. Until it is revealed nobody else can tell what was sealed: every legal content leads to the same facts."""
    for state in play.states[-ORDERS_MAX:]:
        for seat in play.seats:
            for kind in play.ruleset.commands:
                for commands in hiding.alike(play, state, seat, kind):
                    hiding.assert_hidden(play, state, seat, commands)


def sets(play: Play) -> None:
    """7. Orders of several awaited seats have the same consequences in whatever order they arrive."""
    for state in play.states[-ORDERS_MAX:]:
        seats = play.ruleset.awaiting(state)
        if len(seats) > 1:
            orders = {seat: play.any_order(state, seat) for seat in seats}
            own = {seat: play.decided(state, seat, order) for seat, order in orders.items()}
            resolutions = [_resolution(play, state, orders, own, arrival) for arrival in permutations(seats)]
            assert all(resolution == resolutions[0] for resolution in resolutions)


LAWS: Final[tuple[Law, ...]] = (facts_only, fold, legal, awaiting, veil, hide, sets)


def narrated(play: Play) -> None:
    """Every event is told in one sentence, to those who may know all of it and to those who may not."""
    for event in play.events:
        for viewer in play.viewers:
            sentence = play.ruleset.narrate(redacted(event, viewer))
            assert re.fullmatch(r"[^\s.!?](?:[^\n.!?]|[.!?](?! [A-Z]))*[.!?]", sentence), sentence
            assert not re.search(r"HIDDEN|Secret\(", sentence), sentence


def declared(ruleset: AnyRuleset) -> None:
    """The facts of a ruleset are in order: names, codes and reasons, each of its kind and each once."""
    names = Counter(snake(kind.__name__) for kind in ruleset.events)
    assert max(names.values()) == 1, f"an event is declared once: {names.most_common(1)}"
    for kind in ruleset.events:
        taken = [field.name for field in fields(kind) if RESERVED.fullmatch(field.name.replace("_", "").lower())]
        assert not taken, f"{kind.__name__} has fields that every event has: {taken}"
    commands = Counter(snake(kind.__name__) for kind in (*game.COMMANDS, *ruleset.commands))
    assert max(commands.values()) == 1, f"a command is declared once: {commands.most_common(1)}"
    assert not set(ruleset.refusals) & set(game.REFUSALS), "a code of the game is not declared again"
    for code, text in ruleset.refusals.items():
        assert re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*", code), code
        assert text.endswith("."), text
    assert ruleset.reasons, "a game ends for reasons that are declared"
    assert len(set(ruleset.reasons)) == len(ruleset.reasons)
    assert all(re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", reason) for reason in ruleset.reasons), ruleset.reasons
    assert list(ruleset.seats) == sorted(set(ruleset.seats))
    assert re.fullmatch(r"(?!game$)[a-z][a-z0-9]*", ruleset.name), ruleset.name
    ruleset.options()


def _assert_fact(event: Any, value: Any, seats: range) -> None:
    if isinstance(value, Secret):
        assert list(value.to) == sorted(set(value.to)), event
        assert set(value.to) <= set(seats), event
        value = value.known
    _assert_plain(event, value)


def _assert_plain(event: Any, value: Any) -> None:
    """A value as it may stand in a stream; only a whole field can be sealed."""
    match value:
        case int():
            assert abs(value) <= INTEGER_MAX, event
        case tuple():
            for item in value:
                _assert_plain(event, item)
        case Secret():
            raise AssertionError(f"a secret inside of a field: {event}")
        case _ if is_dataclass(value):
            for field in fields(value):
                _assert_plain(event, getattr(value, field.name))
        case _:
            assert value is None or isinstance(value, str | Enum), f"a {type(value).__name__} in {event}"


@contextmanager
def _rules_out_of_reach(ruleset: AnyRuleset) -> Iterator[None]:
    """Nothing of the rules can be called within: neither what the ruleset names, nor what stands in a file with it."""
    named = (ruleset.start, ruleset.decide, ruleset.lapse, ruleset.awaiting, ruleset.legal, ruleset.outcome)
    codes = {_code(function) for function in named}
    files = {_code(ruleset.start).co_filename, _code(ruleset.decide).co_filename} - {_code(ruleset.evolve).co_filename}

    def watch(frame: FrameType, happening: str, _: object) -> None:
        if happening == "call":
            called = frame.f_code
            assert called not in codes and called.co_filename not in files, f"evolve asks {called.co_name}"  # noqa: PT018

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)


def _code(function: Any) -> CodeType:
    code: CodeType = function.__code__
    return code


def _resolution(
    play: Play,
    state: Any,
    orders: Mapping[Seat, Any],
    own: Mapping[Seat, tuple[Any, ...]],
    arrival: tuple[Seat, ...],
) -> tuple[tuple[Any, ...], Any]:
    """What follows once all have ordered, and the state then. Each order by itself leads to its `own` events."""
    for seat in arrival:
        events = play.decided(state, seat, orders[seat])
        state = play.folded(events, state)
        following = events[len(own[seat]) :]
        assert events[: len(own[seat])] == own[seat]
        assert not following or seat == arrival[-1], f"{following} before all have ordered"
    return following, state


def _assert_flat(ruleset: AnyRuleset, command: Any) -> None:
    assert type(command) in ruleset.commands, f"{command} is not declared"
    for value in (getattr(command, field.name) for field in fields(command)):
        for item in value if isinstance(value, tuple) else (value,):
            parts = [getattr(item, field.name) for field in fields(item)] if is_dataclass(item) else [item]
            assert all(part is None or isinstance(part, int | str | Enum) for part in parts), f"{command} is not flat"


def _assert_accepted(play: Play, state: Any, seat: Seat, turn: Any) -> None:
    try:
        play.decided(state, seat, turn)
    except Refused as refusal:
        raise AssertionError(f"{turn} of seat {seat} is legal and was refused: {refusal}") from refusal


def _assert_declared(ruleset: AnyRuleset, refusal: Refused) -> None:
    texts = {**game.REFUSALS, **ruleset.refusals}
    assert refusal.code in texts, f"{refusal.code} is not declared"
    text = texts[refusal.code]
    named = {name for _, name, _, _ in Formatter().parse(text) if name}
    assert named <= set(refusal.facts), f"{refusal.code}: {text!r} is told {refusal.facts}"
    for fact in refusal.facts.values():
        for item in fact if isinstance(fact, list) else [fact]:
            assert item is None or isinstance(item, int | str), f"{refusal.code} tells {item!r}"


def _assert_awaiting(play: Play, state: Any) -> None:
    awaited = play.ruleset.awaiting(state)
    able = {seat for seat in play.seats if play.ruleset.legal(state, seat)}
    assert list(awaited) == sorted(set(awaited)), "ascending, each once"
    assert set(awaited) <= able, "an awaited seat has legal turns"
    if play.ruleset.outcome(state) is None:
        assert awaited, "a game that goes on awaits somebody"
    else:
        assert not able, "a game that is over awaits and permits nothing"

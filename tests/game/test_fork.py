"""A practice game: what another game had come to, and from there whatever its one player wants, on every seat."""

import pytest

from domain import game
from domain.game import Fork, Resign, Sitter, Status
from domain.game.events import Ended, Forked, Opened, SecretOpened
from domain.ruleset import HIDDEN, Outcome, Refused
from domain.rulesets.gravwell import RULESET
from domain.rulesets.gravwell.board import Kind
from domain.rulesets.gravwell.commands import PlayFuel, Stop
from tests.game.table import Table, names, refusal, started
from tests.rulesets.toy import Guess

pytestmark = pytest.mark.usefixtures("toy")


@pytest.fixture
def source() -> Table:
    """A game that is over: opened, started, and a round in which seat 0 guessed 4 and seat 1 guessed 5 and resigned."""
    table = started()
    table.do(0, Guess(4))
    table.do(1, Guess(5))
    table.do(1, Resign())
    return table


def test_a_fork_begins_with_what_the_other_game_had_come_to(source: Table) -> None:
    practice = source.forked(3)
    opened, forked = practice.events
    assert opened == Opened("toy", 1, 2, source.game.options, None, "c0ffee")
    assert isinstance(forked, Forked)
    assert (forked.from_game, forked.from_version, forked.from_hash) == ("the-source", 6, "facade")
    assert names(forked.past) == ["NumberHidden", "Guessed"]
    assert practice.game.fork == Fork("the-source", 6, "facade")
    assert practice.game.status is Status.RUNNING
    assert practice.game.sitters == (Sitter.HOST, Sitter.HOST)
    assert practice.game.state == source.after(3).state
    assert practice.game.awaiting == (1,)
    assert practice.game.turn_since == (None, 2)


def test_what_was_sealed_is_known_in_the_fork_but_seen_by_whom_it_was_for(source: Table) -> None:
    state = source.forked(3).game.state
    assert state.guesses[0].known == 4
    view = source.game.ruleset.view
    assert view(state, 0).guesses == (4, None)
    assert view(state, 1).guesses == (HIDDEN, None)


def test_its_host_acts_for_the_seat_that_is_awaited_or_for_the_one_they_name(source: Table) -> None:
    practice = source.forked(3)
    practice.do(None, Guess(7), host=True, as_seat=0)
    assert (practice.actor, practice.game.state.guesses[0].known) == ("seat:0", 7)
    practice.do(None, Guess(8), host=True)
    assert practice.actor == "seat:1"
    assert names(practice.events)[:2] == ["Guessed", "Revealed"]
    practice.do(None, Guess(1), host=True)
    assert practice.actor == "seat:0"


def test_nobody_else_acts_for_a_seat(source: Table) -> None:
    practice = source.forked(3)
    assert refusal(practice, None, Guess(1), as_seat=1) == ("NOT_YOUR_SEAT", {"seat": 1})
    assert refusal(practice, None, Guess(1), host=True, as_seat=2) == ("NO_SUCH_SEAT", {"last": 1})
    assert refusal(started(), 0, Guess(1), host=True, as_seat=1) == ("NOT_YOUR_SEAT", {"seat": 1})


def test_a_turn_decided_on_an_older_position_is_stale_here_too(source: Table) -> None:
    practice = source.forked(3)
    assert refusal(practice, None, Guess(1), host=True, expected=1) == (
        "STALE",
        {"expected": 1, "least": 2, "head": 2},
    )


def test_its_chance_is_its_own(source: Table) -> None:
    practice = source.forked(2)
    practice.do(None, Guess(4), host=True)
    practice.do(None, Guess(5), host=True)
    truly, here = source.after(4).state, practice.game.state
    assert (here.rounds, here.points, here.guesses) == (truly.rounds, truly.points, truly.guesses)
    assert here.number != truly.number


def test_to_resign_from_it_is_to_end_it(source: Table) -> None:
    practice = source.forked(3)
    ended, opened = practice.do(None, Resign(), host=True)
    assert ended == Ended("abandoned", ((0, 1),))
    assert isinstance(opened, SecretOpened)
    assert practice.game.outcome == Outcome("abandoned", ((0, 1),))
    assert refusal(practice, None, Guess(1), host=True)[0] == "GAME_OVER"


def test_who_had_resigned_stays_retired() -> None:
    table = started(seats=3)
    table.do(2, Resign())
    table.do(0, Guess(3))
    practice = table.forked(5)
    assert practice.game.retired == (2,)
    practice.do(None, Guess(4), host=True)
    assert "Lapsed" in names(practice.events), "the seat that resigned is lapsed when it is waited for"


def test_a_fork_of_a_fork_goes_back_to_the_beginning(source: Table) -> None:
    practice = source.forked(3)
    practice.do(None, Guess(6), host=True)
    second = practice.forked(2)
    assert second.game.state == practice.game.state
    (_, forked) = second.events
    assert names(forked.past) == ["NumberHidden", "Guessed", "Guessed", "Revealed", "NumberHidden"]


def test_rules_that_there_are_not_are_refused(source: Table) -> None:
    with pytest.raises(Refused) as refused:
        source.forked(3, rules=2)
    assert (refused.value.code, refused.value.facts) == ("NO_SUCH_RULES", {"versions": [1]})


@pytest.mark.parametrize(("rules", "ready"), [(1, False), (2, True), (None, True)])
def test_a_fork_is_played_under_the_rules_it_names(rules: int | None, ready: bool) -> None:
    """Gravwell 6.3: under rules 1 a stop is spent on a card that moves nobody, under rules 2 it is not."""
    table = started("gravwell", options=RULESET.options(age_rank=(0, 1)))
    drafts = 0
    while table.game.state.phase == 0:
        seat = table.game.awaiting[0]
        table.do(seat, game.legal(table.game, seat)[0])
        drafts += 1
    practice = table.forked(2 + drafts, rules)
    assert practice.game.rules == (rules or 2)
    hands = [hand.cards for hand in practice.game.state.hands]
    seat = next(at for at, hand in enumerate(hands) if any(card.kind is Kind.REPULSOR for card in hand))
    repulsor = next(card for card in hands[seat] if card.kind is Kind.REPULSOR)
    practice.do(None, PlayFuel(repulsor, Stop.ALWAYS), host=True, as_seat=seat)
    other = next(card for card in hands[1 - seat] if card.kind is not Kind.TRACTOR)
    practice.do(None, PlayFuel(other, Stop.NEVER), host=True)
    assert practice.game.state.stops[seat] is ready

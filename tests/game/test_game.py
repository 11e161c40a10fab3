"""The life of a game: opened, taken seats in, started, played, lapsed, resigned from and ended, around any ruleset."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from domain import game
from domain.catalogue import AnyRuleset
from domain.chance import draws_from, seed_of
from domain.game import AddEntropy, LeaveSeat, Resign, Sitter, StartGame, Status, TakeSeat
from domain.game.events import (
    DeadlineSet,
    Ended,
    EntropyAdded,
    Forked,
    Held,
    Lapsed,
    Opened,
    Released,
    Resigned,
    SeatLeft,
    SeatTaken,
    SecretOpened,
    Started,
)
from domain.game.rules import ENTROPIES_MAX, TURN_SECONDS
from domain.ruleset import Outcome, Seat, Secret
from domain.rulesets.gravwell.board import Kind
from domain.rulesets.gravwell.commands import PlayFuel, Stop
from tests.game.table import NOW, SECRET, Table, names, opened, refusal, started
from tests.rulesets.toy import NUMBERS, TOY, Guess, Guessed, Options, Prize, Revealed, State

pytestmark = pytest.mark.usefixtures("toy")

HOUR = 3600
GIVEN = "ab" * 16


def ended(table: Table) -> tuple[str, tuple[tuple[Seat, ...], ...]] | None:
    outcome = table.game.outcome
    return (outcome.reason, outcome.ranking) if outcome else None


def number_of(table: Table) -> int:
    number: int = table.game.state.number.known
    return number


def worst_guess(table: Table) -> int:
    return 9 if number_of(table) < 5 else 1


def turns(table: Table, seat: Seat) -> Any:
    return game.legal(table.game, seat)


def gravwell_with_all_but_the_last_choice(**how: Any) -> Table:
    """A race whose draft is over and in which only seat 0 has not chosen its card."""
    table = started("gravwell", **how)
    while not any(type(turn) is PlayFuel for turn in turns(table, 0)):
        seat = table.game.awaiting[0]
        table.do(seat, turns(table, seat)[0])
    table.do(1, turns(table, 1)[0])
    assert table.game.awaiting == (0,)
    return table


class TestOpening:
    def test_the_opener_sits_on_the_first_seat(self) -> None:
        table = opened(seats=3)
        assert table.events == (Opened("toy", 1, 3, Options(), None, "c0ffee"), SeatTaken(0, bot=False, entropy=None))
        assert (table.game.status, table.game.version, table.game.free) == (Status.OPEN, 2, (1, 2))
        assert table.actor == "host"

    def test_the_opener_may_stand(self) -> None:
        table = opened(sit=False)
        assert names(table.events) == ["Opened"]
        assert table.game.free == (0, 1)

    def test_house_bots_take_the_last_seats(self) -> None:
        table = opened(seats=4, bots=2)
        assert table.game.sitters == (Sitter.PERSON, None, Sitter.BOT, Sitter.BOT)
        assert table.events[2:] == (SeatTaken(2, bot=True, entropy=None), SeatTaken(3, bot=True, entropy=None))

    def test_a_game_that_is_full_when_opened_starts(self) -> None:
        table = opened(seats=3, bots=2)
        assert names(table.events)[4:] == ["Started", "NumberHidden"]
        assert (table.game.status, table.game.awaiting) == (Status.RUNNING, (0, 1, 2))

    def test_house_bots_may_play_among_themselves(self) -> None:
        assert opened(seats=4, sit=False, bots=4).game.status is Status.RUNNING

    def test_a_held_game_waits_though_it_is_full(self) -> None:
        table = opened(bots=1, start=False)
        assert names(table.events) == ["Opened", "Held", "SeatTaken", "SeatTaken"]
        assert table.game.status is Status.OPEN

    def test_the_options_of_the_title_are_kept(self) -> None:
        assert opened(options=Options(Prize.FARTHEST)).game.options == Options(Prize.FARTHEST)

    @pytest.mark.parametrize("seconds", TURN_SECONDS)
    def test_a_turn_may_take_the_least_and_the_most_time(self, seconds: int) -> None:
        assert opened(turn_seconds=seconds).game.turn_seconds == seconds


class TestSeats:
    def test_whoever_does_not_ask_gets_the_first_free_seat(self) -> None:
        table = opened(seats=4, sit=False)
        table.do(None, TakeSeat(1))
        assert table.do(None, TakeSeat()) == (SeatTaken(0, bot=False, entropy=None),)
        assert table.do(None, TakeSeat()) == (SeatTaken(2, bot=False, entropy=None),)

    def test_who_takes_a_seat_acts_from_it(self) -> None:
        table = opened(seats=3)
        table.do(None, TakeSeat(2))
        assert table.actor == "seat:2"

    def test_a_seat_that_was_left_is_free_again(self) -> None:
        table = opened(seats=3)
        table.do(None, TakeSeat(1))
        assert table.do(1, LeaveSeat()) == (SeatLeft(1),)
        assert (table.game.free, table.actor) == ((1, 2), "seat:1")
        table.do(None, TakeSeat(1))
        assert table.game.free == (2,)

    def test_the_last_person_to_leave_cancels_the_game(self) -> None:
        table = opened(seats=4, bots=1)
        table.do(None, TakeSeat(2))
        assert table.do(0, LeaveSeat()) == (SeatLeft(0),)
        assert table.do(2, LeaveSeat()) == (SeatLeft(2), Ended("cancelled", ()), SecretOpened(SECRET.hex()))
        assert (table.game.status, ended(table)) == (Status.ENDED, ("cancelled", ()))

    def test_a_game_nobody_came_to_expires(self) -> None:
        table = opened(sit=False)
        assert table.expire() == (Ended("expired", ()), SecretOpened(SECRET.hex()))
        assert (table.game.status, table.actor) == (Status.ENDED, "clock")


class TestEntropy:
    def test_the_seed_comes_of_all_that_was_given_in_its_order(self) -> None:
        table = opened(seats=4, bots=1)  # two who give nothing: the opener and the bot
        table.do(None, TakeSeat(1, "AB" * 16))
        table.do(0, AddEntropy("cd" * 64))
        table.do(1, LeaveSeat())
        table.do(None, TakeSeat(2))
        *_, hidden = table.do(None, TakeSeat(1, "ef" * 16))
        entropies = [None, None, "ab" * 16, "cd" * 64, None, "ef" * 16]
        assert list(table.game.entropies) == entropies
        drawn = draws_from(seed_of(SECRET, entropies))("number-0").below(len(NUMBERS))
        assert hidden.number == Secret(NUMBERS[drawn], ())

    def test_an_entropy_is_public_and_in_lower_case(self) -> None:
        table = opened(seats=3)
        assert table.do(None, TakeSeat(entropy="AB" * 16)) == (SeatTaken(1, bot=False, entropy=GIVEN),)
        assert table.do(1, AddEntropy("AB" * 16)) == (EntropyAdded(1, GIVEN),)

    @pytest.mark.parametrize("entropy", ["", "ab" * 15, "ab" * 65, "ab" * 16 + "a", "xy" * 16, "\u0660\u0661" * 16])
    def test_what_is_not_16_to_64_bytes_in_hex_is_refused(self, entropy: str) -> None:
        table = opened()
        assert refusal(table, 0, AddEntropy(entropy)) == ("BAD_ENTROPY", {})
        assert refusal(table, None, TakeSeat(entropy=entropy)) == ("BAD_ENTROPY", {})

    def test_a_game_with_all_the_entropy_it_takes_can_still_be_sat_down_to(self) -> None:
        table = opened(seats=3)
        for _ in range(ENTROPIES_MAX - 1):
            table.do(0, AddEntropy(GIVEN))
        assert refusal(table, None, TakeSeat(entropy=GIVEN)) == ("TOO_MUCH_ENTROPY", {})
        table.do(None, TakeSeat())


class TestStarting:
    def test_whoever_takes_the_last_seat_starts_the_game(self) -> None:
        table = opened(seats=2)
        assert names(table.do(None, TakeSeat())) == ["SeatTaken", "Started", "NumberHidden"]
        assert (table.game.status, table.actor) == (Status.RUNNING, "seat:1")

    def test_the_host_starts_a_held_game(self) -> None:
        table = opened(start=False)
        table.do(None, TakeSeat())
        assert table.game.status is Status.OPEN
        assert names(table.do(0, StartGame(), host=True)) == ["Started", "NumberHidden"]
        assert (table.game.status, table.actor) == (Status.RUNNING, "host")

    def test_the_host_need_not_sit(self) -> None:
        table = opened(sit=False, bots=2, start=False)
        table.do(None, StartGame(), host=True)
        assert table.game.status is Status.RUNNING


class TestFreshness:
    """A turn is stale if it was decided before the seat's present choice was opened, or before its own last turn."""

    def test_a_rivals_sealed_order_makes_no_turn_stale(self) -> None:
        table = started()
        seen = table.game.version
        table.do(0, Guess(1))
        assert table.game.turn_since == (seen + 1, seen)
        table.do(1, Guess(2), expected=seen)

    def test_two_windows_of_one_player_cannot_overwrite_each_other(self) -> None:
        table = started(seats=3)
        seen = table.game.version
        table.do(0, Guess(1), expected=seen)
        facts = {"expected": seen, "least": seen + 1, "head": seen + 1}
        assert refusal(table, 0, Guess(2), expected=seen) == ("STALE", facts)
        table.do(0, Guess(2), expected=seen + 1)

    def test_a_new_round_makes_what_was_seen_before_it_stale(self) -> None:
        table = started()
        table.do(0, Guess(1))
        seen = table.game.version
        table.do(1, Guess(2))
        assert table.game.turn_since == (table.game.version,) * 2
        assert refusal(table, 0, Guess(1), expected=seen)[0] == "STALE"
        table.do(0, Guess(1), expected=table.game.version)

    def test_a_version_that_is_not_there_yet_is_stale(self) -> None:
        table = started()
        head = table.game.version
        assert refusal(table, 0, Guess(1), expected=head + 1) == (
            "STALE",
            {"expected": head + 1, "least": head, "head": head},
        )

    def test_a_lapse_is_a_turn_too(self) -> None:
        table = started(seats=3)
        seen = table.game.version
        table.lapse(1)
        assert table.game.turn_since == (seen, table.game.version, seen)

    def test_a_turn_without_an_expected_version_is_never_stale(self) -> None:
        table = started()
        for number in NUMBERS:
            table.do(0, Guess(number))


class TestDeadlines:
    def test_there_are_none_unless_agreed(self) -> None:
        table = started()
        table.do(0, Guess(1))
        table.lapse(1)
        assert table.game.deadline is None

    def test_none_is_set_before_the_start(self) -> None:
        assert opened(turn_seconds=HOUR).game.deadline is None

    def test_the_start_sets_the_first(self) -> None:
        table = started(turn_seconds=HOUR)
        assert table.events[-1] == DeadlineSet(NOW + timedelta(hours=1))
        assert table.game.deadline == NOW + timedelta(hours=1)

    def test_a_rivals_sealed_order_sets_none(self) -> None:
        table = started(turn_seconds=HOUR)
        table.wait(minutes=10)
        assert names(table.do(0, Guess(1))) == ["Guessed"]
        assert table.game.deadline == NOW + timedelta(hours=1)

    def test_whoever_is_newly_awaited_gets_all_the_time(self) -> None:
        table = started(turn_seconds=HOUR)
        table.do(0, Guess(1))
        table.wait(minutes=10)
        assert names(table.do(1, Guess(1))) == ["Guessed", "Revealed", "NumberHidden", "DeadlineSet"]
        assert table.game.deadline == NOW + timedelta(hours=1, minutes=10)

    def test_a_second_decision_of_one_seat_gets_all_the_time_too(self) -> None:
        table = gravwell_with_all_but_the_last_choice(turn_seconds=HOUR)
        table.wait(minutes=59)
        standard = next(turn for turn in turns(table, 0) if turn.card.kind is Kind.STANDARD and turn.stop is Stop.ASK)
        assert names(table.do(0, standard))[-2:] == ["StopAsked", "DeadlineSet"]
        assert table.game.awaiting == (0,)
        assert table.game.deadline == NOW + timedelta(minutes=59, hours=1)

    def test_a_lapse_gives_time_to_whoever_is_awaited_still(self) -> None:
        table = started(seats=3, turn_seconds=HOUR)
        table.wait(hours=1)
        assert table.lapse(0)[-1] == DeadlineSet(NOW + timedelta(hours=2))
        assert table.actor == "clock"

    def test_a_resignation_gives_no_time_to_who_had_it_already(self) -> None:
        table = started(seats=3, turn_seconds=HOUR)
        table.wait(minutes=10)
        table.do(0, Resign())
        assert table.game.deadline == NOW + timedelta(hours=1)

    def test_a_released_game_gives_all_the_time_again(self) -> None:
        table = started(turn_seconds=HOUR)
        table.wait(days=3)
        assert table.release() == (Released(), DeadlineSet(NOW + timedelta(days=3, hours=1)))
        assert table.actor == "host"

    def test_a_game_without_deadlines_is_released_without_one(self) -> None:
        assert started().release() == (Released(),)

    def test_an_ended_game_has_none(self) -> None:
        table = started(turn_seconds=HOUR)
        table.do(0, Resign())
        assert table.game.deadline is None
        assert "DeadlineSet" not in names(table.events)


class TestLapse:
    def test_the_rules_act_for_each_seat_that_is_awaited(self) -> None:
        table = started(seats=3)
        table.do(1, Guess(4))
        events = table.lapse(0, 1, 2)
        assert names(events) == ["Lapsed", "Guessed", "Lapsed", "Guessed", "Revealed", "NumberHidden"]
        assert [event.seat for event in events[:4]] == [0, 0, 2, 2]
        assert events[4].guesses == (1, 4, 1)

    def test_a_seat_is_lapsed_once_though_it_is_awaited_again(self) -> None:
        table = started()
        assert names(table.lapse(0, 1)).count("Lapsed") == 2
        assert table.game.awaiting == (0, 1)

    def test_a_game_that_nobody_plays_ends_by_lapses(self) -> None:
        table = started()
        for _ in range(3):
            table.lapse(0, 1)
        assert ended(table) == ("shared", ((0, 1),))
        assert table.events[-1] == SecretOpened(SECRET.hex())


class TestResignation:
    def test_of_two_the_other_wins(self) -> None:
        table = started()
        assert table.do(0, Resign()) == (Resigned(0), Ended("resigned", ((1,), (0,))), SecretOpened(SECRET.hex()))
        assert table.actor == "seat:0"

    def test_of_three_the_others_go_on_and_the_rules_act_for_the_retired(self) -> None:
        table = started(seats=3)
        assert table.do(2, Resign()) == (Resigned(2), Lapsed(2), Guessed(2, Secret(1, (2,))))
        assert (table.game.awaiting, table.game.playing) == ((0, 1), (0, 1))
        table.do(0, Guess(5))
        assert names(table.do(1, Guess(5))) == ["Guessed", "Revealed", "NumberHidden", "Lapsed", "Guessed"]
        assert table.game.awaiting == (0, 1)

    def test_who_has_acted_already_is_lapsed_the_next_time(self) -> None:
        table = started(seats=3)
        table.do(2, Guess(9))
        assert table.do(2, Resign()) == (Resigned(2),)
        table.do(0, Guess(5))
        _, revealed, *following = table.do(1, Guess(5))
        assert revealed.guesses == (5, 5, 9)
        assert names(following) == ["NumberHidden", "Lapsed", "Guessed"]

    def test_the_last_one_left_wins_and_the_last_to_resign_is_second(self) -> None:
        table = started(seats=4)
        table.do(1, Resign())
        table.do(3, Resign())
        assert table.game.status is Status.RUNNING
        table.do(0, Resign())
        assert ended(table) == ("resigned", ((2,), (0,), (3,), (1,)))

    def test_who_resigned_ranks_last_though_it_has_most_points(self) -> None:
        table = started(seats=3)
        for _ in range(2):
            table.do(2, Guess(number_of(table)))
            table.do(0, Guess(worst_guess(table)))
            table.do(1, Guess(worst_guess(table)))
        assert table.game.state.points == (0, 0, 2)
        table.do(2, Resign())
        table.do(0, Guess(worst_guess(table)))
        table.do(1, Guess(worst_guess(table)))
        assert table.game.state.points[2] == 3
        assert ended(table) == ("most_points", ((0, 1), (2,)))

    def test_persons_do_not_leave_bots_to_play_on(self) -> None:
        table = started(seats=4, bots=2)
        table.do(0, Resign())
        assert table.game.status is Status.RUNNING
        table.do(1, Resign())
        assert ended(table) == ("abandoned", ((2, 3), (1,), (0,)))

    def test_a_single_bot_left_has_won(self) -> None:
        table = started(bots=1)
        table.do(0, Resign())
        assert ended(table) == ("resigned", ((1,), (0,)))

    def test_a_title_may_record_it_and_end_by_it(self, enter: Callable[[AnyRuleset], None]) -> None:
        def outcome(state: State) -> Outcome | None:
            return Outcome("conceded", ((0,), (1, 2))) if state.points[1] < 0 else None

        def resign(state: State, seat: Seat) -> tuple[Revealed, ...]:
            points = tuple(-1 if at == seat else own for at, own in enumerate(state.points))
            return (Revealed(1, (), points),)

        enter(replace(TOY, resign=resign, outcome=outcome))
        table = started(seats=3)
        assert names(table.do(1, Resign())) == ["Resigned", "Revealed", "Ended", "SecretOpened"]
        assert ended(table) == ("conceded", ((0,), (2,), (1,)))


class TestOperator:
    @pytest.mark.parametrize("table_of", [opened, started], ids=["while open", "while running"])
    def test_an_operator_ends_a_game_without_asking_its_rules(self, table_of: Callable[[], Table]) -> None:
        table = table_of()
        events = game.end(table.game, SECRET)
        assert events == (Ended("ended_by_operator", ()), SecretOpened(SECRET.hex()))
        over = game.fold([(None, events)], table.game)
        assert (over.status, over.awaiting, over.outcome) == (Status.ENDED, (), Outcome("ended_by_operator", ()))


class TestDecisions:
    def test_a_game_folds_from_any_decision_on(self) -> None:
        table = started(seats=3, turn_seconds=HOUR)
        table.do(0, Guess(3))
        table.lapse(1, 2)
        table.do(1, Resign())
        table.do(0, Guess(3))
        table.do(2, Guess(4))
        for kept in range(1, 9):
            assert table.refold(kept) == table.game

    def test_a_decision_without_end_is_a_bug(self, enter: Callable[[AnyRuleset], None]) -> None:
        enter(replace(TOY, decide=lambda state, seat, command, _: (Guessed(seat, Secret(1, (seat,))),) * 501))
        with pytest.raises(AssertionError, match="more than 500 events"):
            started().do(0, Guess(1))

    def test_legal_turns_are_those_of_who_still_plays(self) -> None:
        table = started(seats=3)
        assert game.legal(opened().game, 0) == ()
        assert game.legal(table.game, None) == ()
        assert game.legal(table.game, 1) == tuple(map(Guess, NUMBERS))
        table.do(1, Resign())
        assert game.legal(table.game, 1) == ()
        table.do(0, Resign())
        assert game.legal(table.game, 2) == ()

    def test_every_event_is_told_in_one_sentence(self) -> None:
        told = (
            Opened("toy", 1, 2, Options(), None, ""),
            Forked("", 1, "", (), ()),
            Held(),
            SeatTaken(0, bot=True, entropy=None),
            SeatLeft(0),
            EntropyAdded(0, GIVEN),
            Started(),
            DeadlineSet(NOW),
            Lapsed(0),
            Resigned(0),
            Released(),
            Ended("expired", ()),
            SecretOpened(""),
        )
        assert tuple(map(type, told)) == game.EVENTS
        for event in (*told, Ended("resigned", ((1,), (0,))), Ended("shared", ((0, 1),))):
            sentence = game.narrate(event)
            assert sentence.endswith(".")
            assert ". " not in sentence

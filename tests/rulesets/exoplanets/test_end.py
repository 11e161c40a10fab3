"""How a game begins, goes round and ends: five turns a seat, lapses, the score line by line, and ties."""

from dataclasses import replace

import pytest

from domain.chance import draws_from
from domain.ruleset import Outcome, Refused, Setup
from domain.rulesets.exoplanets import RULESET
from domain.rulesets.exoplanets.board import Special
from domain.rulesets.exoplanets.commands import DrawPlanets, EndTurn, PlaceFromReserve, Survey
from domain.rulesets.exoplanets.crystals import icons
from domain.rulesets.exoplanets.events import (
    GoalCompleted,
    HandDealt,
    PlanetPlaced,
    RankingSettled,
    SeatScored,
    SystemFormed,
    TurnEnded,
    TurnStarted,
)
from domain.rulesets.exoplanets.options import FirstSeat, Options
from domain.rulesets.exoplanets.scoring import Claim, Score, ScoreLine, Source, ranking
from domain.rulesets.exoplanets.state import Phase, State, after
from tests.rulesets.exoplanets.positions import DRAWS, events, game, holding, kinds, played, started

# The start


def test_the_tiles_are_dealt_from_the_ends_of_two_shuffles() -> None:
    draws = draws_from(bytes(31) + b"\7")
    formed, *hands, opened = RULESET.start(Setup(2, Options(first_seat=FirstSeat.SEAT_1)), draws)
    planets = [f"P{number:02}" for number in range(1, 31)]
    tiles = [f"S{number:02}" for number in range(1, 39)]
    planets, tiles = list(draws("planets").shuffled(planets)), list(draws("tiles").shuffled(tiles))
    assert isinstance(formed, SystemFormed)
    assert list(formed.planets) == planets[:-5:-1]
    assert list(formed.reserves) == planets[-5:-7:-1]
    assert list(formed.bag.known) == planets[:-6]
    assert list(formed.covering.known) == tiles[:-13:-1]
    assert [hand.tiles.known for hand in hands if isinstance(hand, HandDealt)] == [
        tuple(tiles[-13:-16:-1]),
        tuple(tiles[-16:-19:-1]),
    ]
    assert list(formed.space_stack.known) == tiles[:-18]
    assert opened == TurnStarted(1, 1)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_any_seat_may_be_drawn_to_begin(seats: int) -> None:
    firsts = {started(seats, Options(), seed).active for seed in range(40)}
    assert firsts == set(range(seats))


@pytest.mark.parametrize("first_seat", [FirstSeat.SEAT_2, FirstSeat.SEAT_3])
def test_a_seat_that_is_not_there_cannot_begin(first_seat: FirstSeat) -> None:
    with pytest.raises(Refused) as refused:
        RULESET.start(Setup(2, Options(first_seat=first_seat)), DRAWS)
    assert refused.value.code == "BAD_OPTION"
    assert refused.value.facts["option"] == "first_seat"


# The turns


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("first_seat", [FirstSeat.SEAT_0, FirstSeat.SEAT_1])
def test_each_seat_has_five_turns_around_the_table(seats: int, first_seat: FirstSeat) -> None:
    state = started(seats, Options(first_seat=first_seat))
    first, turns = state.active, []
    while RULESET.outcome(state) is None:
        turns.append((state.turn, state.active))
        state = lapsed(state)
    assert turns == [(turn + 1, (first + turn) % seats) for turn in range(5 * seats)]


def lapsed(state: State) -> State:
    return after(state, RULESET.lapse(state, state.active, DRAWS))


def test_a_lapse_places_from_the_reserve_on_the_roomiest_ray_and_ends_the_turn() -> None:
    before = game(2, "0/2 P09", "1/2 P10", phase=Phase.PLACE)
    before = replace(holding(before, 0, "EEEGGGWWW", gravity=3, hand="S01"), reserves=((), ("P30", "P29")))
    happened = RULESET.lapse(before, 0, DRAWS)
    assert happened[0] == PlanetPlaced(0, "P29", 2, 2)
    assert happened[-2:] == (TurnEnded(0), TurnStarted(1, 2))
    assert set(kinds(happened)).isdisjoint({"LifeCreated", "ResourceExchanged", "EffectUsed", "GoalClaimed"})


def test_a_lapse_draws_only_if_it_must() -> None:
    must = replace(started(2), reserves=((), ()))
    assert kinds(RULESET.lapse(must, 0, DRAWS))[:3] == ["PlanetsDrawn", "PlanetToReserve", "PlanetPlaced"]


def test_a_lapse_after_drawing_places_the_first_drawn_planet() -> None:
    drawn = played(started(2), DrawPlanets())
    placed = RULESET.lapse(drawn, 0, DRAWS)[1]
    assert isinstance(placed, PlanetPlaced)
    assert placed.planet == drawn.drawn[0]
    alone = played(replace(started(2), bag=("P30",)), DrawPlanets())
    assert RULESET.lapse(alone, 0, DRAWS)[0] == PlanetPlaced(0, "P30", 0, 2)


@pytest.mark.parametrize("pending", Special)
def test_a_lapse_resolves_what_is_pending_in_its_first_way(pending: Special) -> None:
    before = replace(game(2, "0/2 P09", "1/2 P10"), pending=pending)
    happened = RULESET.lapse(before, 0, DRAWS)
    first = {
        Special.BLACK_HOLE: "PlanetSwallowed",
        Special.SOLAR_STORM: "StormHit",
        Special.CREATION: "LifeCreated",
    }
    assert kinds(happened) == [first[pending], "SpecialRefilled", "TurnEnded", "TurnStarted"]
    assert getattr(happened[0], "ray", None) == 0


def test_a_lapse_keeps_the_first_tile_of_a_survey() -> None:
    surveying = played(holding(game(2), 0, hand="S15"), Survey("S15"))
    assert lapsed(surveying).players[0].hand == (surveying.stack + game(2).stack)[-1:]


# The end


def at_the_end(*places: str, seats: int = 2) -> State:
    """The last turn, to be closed: the Star is exhausted."""
    return replace(game(seats, *places), star=0, turn=5 * seats)


def test_the_game_goes_on_while_the_star_has_energy() -> None:
    assert kinds(events(replace(at_the_end(), star=1), EndTurn())) == ["TurnEnded", "TurnStarted"]


def test_the_score_tells_every_planet_tile_and_goal_line_by_line() -> None:
    state = at_the_end("0/1 P24 2.0 S36#1", "1/1 P09 =0", "2/1 P01 1.0 S37#2", "3/1 P02 0.1")
    state = holding(state, 0, "EEG", hand="S13 S14 S20")  # Four Winds, Fusion, Earth Species
    state = holding(state, 1, "W", hand="S16")  # Frontier
    claimed = replace(state.players[0], claims=(Claim("S24", "G12", 5),))
    state = replace(state, players=(claimed, state.players[1]))
    happened = events(state, EndTurn())
    assert happened == (
        TurnEnded(0),
        SeatScored(
            Score(
                seat=0,
                lines=(
                    ScoreLine(Source.PLANET, "P24", 6, 3, 9),
                    ScoreLine(Source.PLANET, "P09", 10, 0, 10),
                    ScoreLine(Source.PLANET, "P01", 1, -1, 0),
                    ScoreLine(Source.GOAL, "S24", 5, 0, 5),
                ),
                points=24,
                species=1,
                goals=1,
                cubes=3,
                crystals=3,
            )
        ),
        SeatScored(Score(1, (ScoreLine(Source.PLANET, "P02", 1, 0, 1),), 1, 0, 0, 1, 1)),
        RankingSettled(((0,), (1,))),
    )


def test_goals_still_held_count_if_they_are_reached_in_the_end() -> None:
    state = holding(at_the_end("0/4 P01 3.1"), 0, hand="S14 S13")
    state = holding(state, 1, hand="S16 S28")  # both of them ask for the Frontier
    completed = [event for event in events(state, EndTurn()) if isinstance(event, GoalCompleted)]
    assert completed == [
        GoalCompleted(0, "S14", "G14", 3),
        GoalCompleted(1, "S16", "G16", 3),
        GoalCompleted(1, "S28", "G16", 3),
    ]
    final = played(state, EndTurn())
    assert final.players[0].hand == ("S13",)
    assert [score.points for score in final.scores] == [3 + 3, 1 + 3 + 3]


def test_crystals_markers_and_unreached_goals_are_worth_nothing() -> None:
    final = played(holding(at_the_end(), 0, "EEEEE", gravity=5, hand="S13 S14"), EndTurn())
    assert [score.points for score in final.scores] == [0, 0]


def test_a_planet_is_never_worth_less_than_nothing() -> None:
    final = played(at_the_end("0/1 P01 1.2 S37"), EndTurn())  # -3
    assert [score.points for score in final.scores] == [0, 0]


def test_a_tile_counts_once_a_planet_and_not_for_each_cube() -> None:
    final = played(at_the_end("0/1 P01 3.1 S33"), EndTurn())  # +1
    assert [score.points for score in final.scores] == [4, 2]


def standing(seat: int, points: int = 9, species: int = 1, goals: int = 1, cubes: int = 1, crystals: int = 1) -> Score:
    return Score(seat, (), points, species, goals, cubes, crystals)


@pytest.mark.parametrize(
    ("ahead", "behind"),
    [
        (standing(1, points=10), standing(0, species=4, goals=9, cubes=6, crystals=9)),
        (standing(1, species=2), standing(0, goals=9, cubes=6, crystals=9)),
        (standing(1, goals=2), standing(0, cubes=6, crystals=9)),
        (standing(1, cubes=2), standing(0, crystals=9)),
        (standing(1, crystals=2), standing(0)),
    ],
    ids=["points", "species", "goals", "cubes", "crystals"],
)
def test_ties_are_broken_in_order(ahead: Score, behind: Score) -> None:
    assert ranking((behind, ahead)) == ((1,), (0,))


def test_what_nothing_tells_apart_shares_its_rank() -> None:
    assert ranking((standing(0), standing(1, points=8), standing(2))) == ((0, 2), (1,))
    final = played(at_the_end(), EndTurn())
    assert RULESET.outcome(final) == Outcome("star_exhausted", ((0, 1),))


def test_after_the_end_nobody_has_a_turn() -> None:
    last = replace(game(3, phase=Phase.PLACE), star=1, turn=15, active=2)
    final = played(last, PlaceFromReserve(0, 0), EndTurn(), seat=2)
    assert final.phase is Phase.ENDED
    assert RULESET.legal(final, 0) == RULESET.legal(final, 2) == ()


def test_the_crystals_of_the_score_are_those_held() -> None:
    final = played(holding(at_the_end(), 1, "EGW"), EndTurn())
    assert [score.crystals for score in final.scores] == [0, icons("EGW").total]

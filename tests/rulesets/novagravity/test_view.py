"""What anyone sees of a duel, and how it is told."""

from domain.ruleset import Setup
from domain.rulesets.novagravity import RULESET
from domain.rulesets.novagravity.board import Cause, Ending, Kind, Side, Unit
from domain.rulesets.novagravity.commands import Act, AnswerDraw, OfferDraw
from domain.rulesets.novagravity.events import Deed, DrawDeclined, DrawOffered, DuelEnded, Loss, ShipActed
from domain.rulesets.novagravity.options import Blue, Options
from domain.rulesets.novagravity.state import State
from domain.rulesets.novagravity.view import NovagravityView, Ship, Targets
from tests.rulesets.novagravity.duels import DRAWS, act, duel, events_of, practice
from tests.rulesets.novagravity.positions import name, text

BOTH_KINDS = "bB@2,-4 rC@3,-4 rC@2,-2 bM@7,-7 rM@-7,7"


def test_a_ships_targets_come_with_the_kind_of_action() -> None:
    targets = {each.origin: each for each in seen(practice(BOTH_KINDS)).targets}
    bomber = targets[name("2,-4")]
    assert bomber.unit is Unit.STAR_BOMBER
    assert (bomber.close, bomber.ranged) == ((name("3,-4"),), (name("2,-2"),))
    assert name("2,-3") in bomber.move
    assert targets[name("7,-7")] == Targets(
        name("7,-7"), Unit.MOTHER_SHIP, (name("6,-7"), name("7,-6"), name("6,-6")), (), ()
    )


def test_all_targets_together_are_the_legal_turns() -> None:
    state = duel(Options(blue=Blue.SEAT_0, layout_seed=1))
    listed = [
        Act(each.origin, target) for each in seen(state).targets for target in (*each.move, *each.close, *each.ranged)
    ]
    assert len(listed) == 38
    assert set(listed) == set(RULESET.legal(state, 0))


def test_a_check_names_the_mother_and_who_could_strike() -> None:
    view = seen(practice("bM@0,-6 bE@2,-4 rC@4,-6 rM@-7,7"))
    assert view.in_check == Ship(name("0,-6"), Side.BLUE, Unit.MOTHER_SHIP)
    assert view.checked_by == (Ship(name("4,-6"), Side.RED, Unit.CRUISER),)
    assert seen(practice("bM@0,-6 bE@0,-5 rC@4,-6 rM@-7,7")).in_check is None


def test_ships_on_black_holes_are_in_danger() -> None:
    view = seen(practice("bE@1,-3 rD@3,3 bM@7,-7 rM@-7,7", "r", "H@1,-3 H@3,3 H@0,2"))
    assert view.in_danger == (
        Ship(name("1,-3"), Side.BLUE, Unit.ESCORT),
        Ship(name("3,3"), Side.RED, Unit.RELAY_DRONE),
    )


def test_the_view_counts_and_names_the_sides() -> None:
    start_from = text(BOTH_KINDS, "r", quiet_plies=3)
    view = seen(duel(Options(blue=Blue.SEAT_1, start_from=start_from)))
    assert (view.position, view.blue, view.to_act, view.side) == (start_from, 1, 0, Side.RED)
    assert (view.plies, view.quiet_plies, view.occurrences, view.layout_seed) == (0, 3, 1, None)


def test_everybody_sees_the_same() -> None:
    state = practice(BOTH_KINDS)
    assert RULESET.view(state, 0) == RULESET.view(state, 1) == RULESET.view(state, None)


def test_an_offer_is_seen_and_so_is_the_rest_after_it() -> None:
    state = act(practice(BOTH_KINDS), OfferDraw())
    assert seen(state).draw_offered_by == 0
    view = seen(act(state, AnswerDraw(accept=False), seat=1))
    assert (view.draw_offered_by, view.offer_rests) == (None, (10, 0))


def test_when_it_is_over_nobody_has_targets() -> None:
    view = seen(act(practice("bM@-6,5 bB@-3,6 rM@-7,7"), "-3,6>-4,7"))
    assert (view.to_act, view.targets) == (None, ())
    assert view.in_check == Ship(name("-7,7"), Side.RED, Unit.MOTHER_SHIP)


def test_v34_a_blow_that_an_escort_took_is_a_fact_with_its_reasons() -> None:
    state = practice("bM@0,-6 bE@0,-5 rW@3,-6 rD@3,4 rM@-7,7", "r")
    deed = Deed(
        side=Side.RED,
        unit=Unit.VOID_SHIFTER,
        origin=name("3,-6"),
        target=name("0,-6"),
        kind=Kind.CLOSE,
        landed=None,
        recoiled=False,
        promoted=False,
        destroyed=(
            Loss(name("0,-5"), Side.BLUE, Unit.ESCORT, Cause.ABSORBED),
            Loss(name("3,-6"), Side.RED, Unit.VOID_SHIFTER, Cause.REPELLED),
        ),
    )
    assert events_of(state, "3,-6>0,-6") == (ShipActed(1, deed, check=False),)
    assert seen(act(state, "3,-6>0,-6")).last == deed


def test_v17_a_recoil_is_a_fact() -> None:
    (acted,) = events_of(practice("bE@4,-4 rC@3,-2 rD@0,3 bM@7,-7 rM@-7,7"), "4,-4>3,-2")
    assert isinstance(acted, ShipActed)
    assert (acted.deed.landed, acted.deed.recoiled) == (name("3,-3"), True)
    assert acted.deed.destroyed == (Loss(name("3,-2"), Side.RED, Unit.CRUISER, Cause.RAMMED),)


def test_v39_a_promotion_is_a_fact() -> None:
    (acted,) = events_of(practice("bD@-2,6 bM@7,-7 rM@-7,6"), "-2,6>-2,7")
    assert isinstance(acted, ShipActed)
    assert (acted.deed.unit, acted.deed.promoted) == (Unit.RELAY_DRONE, True)


def test_v24_a_swallowed_ship_is_a_fact() -> None:
    (acted,) = events_of(practice("bE@1,-3 bD@5,-5 bM@7,-7 rM@-7,7", "b", "H@1,-3"), "5,-5>5,-4")
    assert isinstance(acted, ShipActed)
    assert acted.deed.destroyed == (Loss(name("1,-3"), Side.BLUE, Unit.ESCORT, Cause.SWALLOWED),)


def test_who_fires_from_a_black_hole_does_not_move_and_is_swallowed() -> None:
    state = practice("bC@1,-4 rD@4,-4 bD@5,-5 bM@7,-7 rM@-7,7", "b", "H@1,-4")
    (acted,) = events_of(state, "1,-4>4,-4")
    assert isinstance(acted, ShipActed)
    assert acted.deed.landed is None
    assert [(loss.at, loss.cause) for loss in acted.deed.destroyed] == [
        (name("4,-4"), Cause.SHOT),
        (name("1,-4"), Cause.SWALLOWED),
    ]


def test_a_recoil_that_finds_no_free_lane_ends_where_it_began() -> None:
    ships = "bW@1,-4 rC@0,-2 rD@0,-3 rD@1,-3 bM@7,-7 rM@-7,7"
    (acted,) = events_of(practice(ships), "1,-4>0,-2")
    assert isinstance(acted, ShipActed)
    assert (acted.deed.landed, acted.deed.recoiled) == (name("1,-4"), True)
    (acted,) = events_of(practice(ships, "b", "H@1,-4"), "1,-4>0,-2")
    assert isinstance(acted, ShipActed)
    assert acted.deed.landed is None  # it has not moved


def test_an_action_is_told_with_all_that_came_of_it() -> None:
    def told(ships: str, action: str, side: str = "b", obstacles: str = "-") -> str:
        return RULESET.narrate(events_of(practice(ships, side, obstacles), action)[0])

    assert told("bM@0,-6 bE@0,-5 rW@3,-6 rD@3,4 rM@-7,7", "3,-6>0,-6", "r") == (
        "Red's Void Shifter at B5 attacks B2 at close quarters; Blue's Escort at C3 takes the blow and is destroyed; "
        "Red's Void Shifter at B5 is destroyed with it."
    )
    assert told("bE@4,-4 rC@3,-2 rD@0,3 bM@7,-7 rM@-7,7", "4,-4>3,-2") == (
        "Blue's Escort at D8 attacks F9 at close quarters; Red's Cruiser at F9 is destroyed; the Escort recoils to E8."
    )
    assert told("bD@-2,6 bM@7,-7 rM@-7,7", "-2,6>-2,7") == (
        "Blue's Relay Drone moves from N6 to O6; the Relay Drone is promoted to Star Bomber."
    )
    assert told("bM@0,-6 bE@2,-4 rC@5,-6 rM@-7,7", "5,-6>4,-6", "r") == "Red's Cruiser moves from B7 to B6; check."
    assert told("bE@1,-3 bD@5,-5 bM@7,-7 rM@-7,7", "5,-5>5,-4", obstacles="H@1,-3") == (
        "Blue's Relay Drone moves from C8 to D9; Blue's Escort at E6 is swallowed by the black hole."
    )


def test_the_other_events_are_told_too() -> None:
    start = RULESET.start(Setup(2, Options(blue=Blue.SEAT_1, layout_seed=1)), DRAWS)
    assert RULESET.narrate(start[0]) == "The duel starts on the board of layout seed 1; seat 1 commands Blue."
    given = RULESET.start(Setup(2, Options(blue=Blue.SEAT_0, start_from=text("bM@0,-6 rC@4,-6 rD@2,2 rM@-7,7"))), DRAWS)
    assert RULESET.narrate(given[0]) == (
        "The duel starts from a given position; seat 0 commands Blue, and there is a check."
    )
    assert RULESET.narrate(DrawOffered(0)) == "Seat 0 offers a draw."
    assert RULESET.narrate(DrawDeclined(1, 10)) == "Seat 1 refuses the draw."
    assert RULESET.narrate(DuelEnded(Ending.LAPSED, 1)) == "Seat 1 wins the duel: the opponent ran out of time."
    assert RULESET.narrate(DuelEnded(Ending.STALEMATE, None)) == "The duel is drawn: stalemate."


def seen(state: State) -> NovagravityView:
    return RULESET.view(state, None)

"""Bad input: each gets a refusal with a code and facts, and changes nothing."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from schema import ids
from tests.api.asking import Person, Table
from tests.api.server import Serving

NOT_A_GAME = "game_AAAAAAAAAAAAAAAAAAAAAA"
DRAFT = {"gravwell": {"draftStack": {"stack": 0}}}
MUTATIONS: list[tuple[str, dict[str, Any]]] = [
    ("takeSeat", {}),
    ("leaveSeat", {}),
    ("addEntropy", {"entropy": "00" * 16}),
    ("startGame", {}),
    ("submitTurn", {"turn": DRAFT}),
    ("resign", {}),
]


def fuel(card: str, stop: str) -> dict[str, Any]:
    return {"gravwell": {"playFuel": {"card": card, "stop": stop}}}


def private(host: Person) -> str:
    """A private game of the host's that waits for somebody to join."""
    return str(host.applied("openGame", ruleset="GRAVWELL", seats=3, visibility="PRIVATE")["gameId"])


@pytest.mark.parametrize(("mutation", "given"), MUTATIONS)
def test_who_is_not_signed_in_hands_in_nothing(
    nobody: Person, still: Table, mutation: str, given: dict[str, Any]
) -> None:
    before = still.version()
    assert nobody.refused(mutation, gameId=still.game_id, **given) == ("Refusal", "NOT_SIGNED_IN")
    assert still.version() == before


def test_who_is_not_signed_in_opens_no_game_and_makes_and_revokes_no_token(nobody: Person) -> None:
    assert nobody.refused("openGame", ruleset="GRAVWELL", seats=2) == ("Refusal", "NOT_SIGNED_IN")
    query = '{ __typename ... on Refusal { code } } b: revokeToken(id: "x") { __typename ... on Refusal { code } }'
    assert nobody.ask(f'mutation {{ a: createToken(name: "n") {query} }}') == {
        name: {"__typename": "Refusal", "code": "NOT_SIGNED_IN"} for name in "ab"
    }


@pytest.mark.parametrize(("mutation", "given"), MUTATIONS)
@pytest.mark.parametrize("game_id", [NOT_A_GAME, "", "nonsense", "player_AAAAAAAAAAAAAAAAAAAAAA", "x" * 10_000])
def test_there_is_no_game_of_an_unknown_or_malformed_id(
    ann: Person, game_id: str, mutation: str, given: dict[str, Any]
) -> None:
    assert ann.refused(mutation, gameId=game_id, **given) == ("Refusal", "UNKNOWN_GAME")


@pytest.mark.parametrize(("mutation", "given"), MUTATIONS)
def test_a_private_game_of_others_is_as_unknown_as_none(
    ann: Person, bob: Person, mutation: str, given: dict[str, Any]
) -> None:
    answers = [bob.submit(mutation, gameId=game_id, **given) for game_id in (private(ann), NOT_A_GAME)]
    assert answers[0] == answers[1]
    assert answers[0]["code"] == "UNKNOWN_GAME"


def test_a_private_game_opens_to_its_join_secret_and_to_no_other(ann: Person, bob: Person) -> None:
    game_id = private(ann)
    secret = ann.game(game_id, "joinSecret")["joinSecret"]
    for wrong in (None, "", secret[:-1], secret + "x", "é"):
        assert bob.refused("takeSeat", gameId=game_id, joinSecret=wrong) == ("Refusal", "UNKNOWN_GAME")
    bob.applied("takeSeat", gameId=game_id, joinSecret=secret)
    assert bob.game(game_id, "mySeat joinSecret") == {"mySeat": 1, "joinSecret": secret}


@pytest.mark.parametrize("text", ["", NOT_A_GAME, "nonsense", "\t", "🎲", "x" * 10_000])
def test_a_query_for_what_is_not_there_answers_null(ann: Person, text: str) -> None:
    query = "query ($id: ID!) { game(id: $id) { id } node(id: $id) { id } receipt(id: $id) { id } }"
    assert ann.ask(query, id=text) == {"game": None, "node": None, "receipt": None}


def test_what_is_not_ones_own_answers_null_like_what_is_not_there(ann: Person, bob: Person, nobody: Person) -> None:
    opened = ann.applied("openGame", ruleset="GRAVWELL", seats=2, visibility="PRIVATE")
    query = (
        "query ($game: ID!, $receipt: ID!) { game(id: $game) { id } receipt(id: $receipt) { id }"
        " a: node(id: $game) { id } b: node(id: $receipt) { id } }"
    )
    ids = {"game": opened["gameId"], "receipt": opened["id"]}
    assert all(ann.ask(query, **ids).values())
    for other in (bob, nobody):
        assert other.ask(query, **ids) == {"game": None, "receipt": None, "a": None, "b": None}


def test_who_has_no_seat_plays_no_turn(still: Table, join: Callable[[str], Person]) -> None:
    assert join("eve").refused("submitTurn", gameId=still.game_id, turn=DRAFT) == ("Receipt", "NOT_SEATED")


def test_who_is_not_awaited_plays_no_turn(still: Table) -> None:
    awaited, _ = still.awaited()
    (other,) = (person for person in still.people if person is not awaited)
    assert other.refused("submitTurn", gameId=still.game_id, turn=DRAFT) == ("Receipt", "NOT_AWAITED")


def test_a_taken_stack_is_not_drafted_again(table: Table) -> None:
    table.play(1)
    person, turns = table.awaited()
    assert DRAFT not in turns
    assert person.refused("submitTurn", gameId=table.game_id, turn=DRAFT) == ("Receipt", "STACK_TAKEN")


def test_a_card_that_is_not_in_hand_is_not_played(table: Table) -> None:
    table.play(5)
    person, turns = table.awaited()
    held = {turn["gravwell"]["playFuel"]["card"] for turn in turns}
    card = next(letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter not in held)
    assert person.refused("submitTurn", gameId=table.game_id, turn=fuel(card, "NEVER")) == (
        "Receipt",
        "CARD_NOT_IN_HAND",
    )


def test_a_stop_that_is_used_up_is_not_given_to_another_card(table: Table) -> None:
    table.play(5)
    for person in table.people:
        turn = fuel(person.turns(table.game_id)[0]["gravwell"]["playFuel"]["card"], "ALWAYS")
        person.applied("submitTurn", gameId=table.game_id, turn=turn)
    person, turns = table.awaited()
    card = turns[0]["gravwell"]["playFuel"]["card"]
    for stop in ("ASK", "ALWAYS", "IF_BACKWARD"):
        refusal = person.refused("submitTurn", gameId=table.game_id, turn=fuel(card, stop))
        assert refusal == ("Receipt", "NO_STOP_LEFT")
    person.applied("submitTurn", gameId=table.game_id, turn=fuel(card, "NEVER"))


def test_a_turn_of_another_title_is_not_played(still: Table, ann: Person) -> None:
    guess = {"toy": {"guess": {"number": 5}}}
    assert still.people[0].refused("submitTurn", gameId=still.game_id, turn=guess) == ("Refusal", "WRONG_RULESET")
    toy = ann.applied("openGame", ruleset="TOY", seats=2, bots=1)["gameId"]
    assert ann.refused("submitTurn", gameId=toy, turn=DRAFT) == ("Refusal", "WRONG_RULESET")
    ann.applied("submitTurn", gameId=toy, turn=guess)


@pytest.mark.parametrize("version", [0, -1, -(2**31)])
def test_a_version_before_ones_present_choice_is_stale(still: Table, version: int) -> None:
    person, turns = still.awaited()
    refused = person.submit("submitTurn", gameId=still.game_id, turn=turns[0], expectedVersion=version)
    since = person.game(still.game_id, "version myTurnSince")
    assert refused["refusal"]["code"] == "STALE"
    assert refused["refusal"]["facts"] == {
        "expected": version, "least": since["myTurnSince"], "head": since["version"]
    }  # fmt: skip


def test_a_version_that_is_not_there_yet_is_stale(table: Table) -> None:
    person, turns = table.awaited()
    for version in (table.version() + 1, 2**31 - 1):
        refusal = person.refused("submitTurn", gameId=table.game_id, turn=turns[0], expectedVersion=version)
        assert refusal == ("Receipt", "STALE")
    person.applied("submitTurn", gameId=table.game_id, turn=turns[0], expectedVersion=table.version())


def test_a_key_stands_for_one_thing(table: Table) -> None:
    person, turns = table.awaited()
    first = person.applied("submitTurn", key="once", gameId=table.game_id, turn=turns[0])
    for given in (
        {"turn": turns[1]},
        {"turn": turns[0], "expectedVersion": 1},
        {"turn": {"gravwell": {"decideStop": {"stop": True}}}},
    ):
        assert person.refused("submitTurn", key="once", gameId=table.game_id, **given) == ("Refusal", "KEY_REUSED")
    assert person.refused("resign", key="once", gameId=table.game_id) == ("Refusal", "KEY_REUSED")
    assert table.version() == first["version"]


def test_a_key_repeated_50_times_at_once_gives_the_first_receipt(table: Table) -> None:
    person, turns = table.awaited()

    def again(_: int) -> dict[str, Any]:
        return person.applied("submitTurn", key="again", gameId=table.game_id, turn=turns[0])

    with ThreadPoolExecutor(50) as at_once:
        receipts = list(at_once.map(again, range(50)))
    assert all(receipt == receipts[0] for receipt in receipts)
    assert table.version() == receipts[0]["version"]


def test_a_key_of_opening_opens_one_game(ann: Person) -> None:
    first = ann.applied("openGame", key="mine", ruleset="GRAVWELL", seats=2)
    assert ann.applied("openGame", key="mine", ruleset="GRAVWELL", seats=2) == first
    assert ann.refused("openGame", key="mine", ruleset="GRAVWELL", seats=3) == ("Refusal", "KEY_REUSED")


def test_the_same_key_of_two_players_stands_for_two_things(ann: Person, bob: Person) -> None:
    ids = {person.applied("openGame", key="mine", ruleset="GRAVWELL", seats=2)["gameId"] for person in (ann, bob)}
    assert len(ids) == 2


@pytest.mark.parametrize("key", ["", " ", "a b", "é", "x" * 65, "\t", "\x7f"])
def test_a_key_is_1_to_64_visible_characters(ann: Person, still: Table, key: str) -> None:
    assert ann.refused("openGame", key=key, ruleset="GRAVWELL", seats=2) == ("Refusal", "BAD_KEY")
    assert ann.refused("resign", key=key, gameId=still.game_id) == ("Refusal", "BAD_KEY")
    query = 'mutation ($key: ID!) { register(input: {handle: "keyed", key: $key}) { ... on Refusal { code } } }'
    assert ann.ask(query, key=key)["register"] == {"code": "BAD_KEY"}


@pytest.mark.parametrize("key", ["!", "~" * 64, '"\\', "0"])
def test_any_1_to_64_visible_characters_are_a_key(ann: Person, key: str) -> None:
    assert ann.applied("openGame", key=key, ruleset="GRAVWELL", seats=2)["key"] == key


def test_a_game_that_is_over_takes_nothing_more(table: Table) -> None:
    table.people[0].applied("resign", gameId=table.game_id)
    assert table.people[1].game(table.game_id, "status outcome { reason }") == {
        "status": "ENDED", "outcome": {"reason": "resigned"}
    }  # fmt: skip
    for mutation, given in MUTATIONS:
        assert table.people[1].refused(mutation, gameId=table.game_id, **given) == ("Receipt", "GAME_OVER")


def test_of_two_who_take_one_seat_at_once_exactly_one_gets_it(ann: Person, join: Callable[[str], Person]) -> None:
    game_id = ann.applied("openGame", ruleset="GRAVWELL", seats=3)["gameId"]
    rivals = [join("rival") for _ in range(8)]

    def sit(rival: Person) -> dict[str, Any]:
        return rival.submit("takeSeat", gameId=game_id, seat=2)

    with ThreadPoolExecutor(len(rivals)) as at_once:
        results = list(at_once.map(sit, rivals))
    assert sorted(result["status"] for result in results) == ["APPLIED"] + ["REFUSED"] * 7
    assert {result["refusal"]["code"] for result in results if result["refusal"]} == {"SEAT_TAKEN"}
    assert next(r["refusal"]["facts"] for r in results if r["refusal"]) == {"seat": 2}


@pytest.mark.parametrize("seat", [-1, 3, 2**31 - 1, -(2**31)])
def test_there_is_no_seat_beyond_the_last(ann: Person, bob: Person, seat: int) -> None:
    game_id = ann.applied("openGame", ruleset="GRAVWELL", seats=3)["gameId"]
    assert bob.refused("takeSeat", gameId=game_id, seat=seat) == ("Receipt", "NO_SUCH_SEAT")


def test_one_account_takes_one_seat(ann: Person) -> None:
    game_id = ann.applied("openGame", ruleset="GRAVWELL", seats=3)["gameId"]
    assert ann.refused("takeSeat", gameId=game_id, seat=1) == ("Receipt", "ALREADY_SEATED")


@pytest.mark.parametrize("seats", [1, 5, 0, -1, 2**31 - 1])
def test_a_title_takes_so_many_seats_and_no_others(ann: Person, seats: int) -> None:
    refusal = ann.submit("openGame", ruleset="GRAVWELL", seats=seats)
    assert (refusal["code"], refusal["facts"]) == ("SEATS_OUT_OF_RANGE", {"seats": [2, 3, 4]})


@pytest.mark.parametrize("bots", [-1, 2, 2**31 - 1])
def test_there_are_no_more_bots_than_seats_for_them(ann: Person, bots: int) -> None:
    assert ann.refused("openGame", ruleset="GRAVWELL", seats=2, bots=bots) == ("Refusal", "BOTS_OUT_OF_RANGE")


@pytest.mark.parametrize("hours", [0, -1, 0.0001, 10_000, 1e300])
def test_a_turn_takes_a_second_to_a_year(ann: Person, hours: float) -> None:
    refusal = ann.refused("openGame", ruleset="GRAVWELL", seats=2, turnHours=hours)
    assert refusal == ("Refusal", "TURN_HOURS_OUT_OF_RANGE")


def opened_by_literals(person: Person, more: str = "", beside: str = "") -> object:
    """What `openGame` answers where its arguments are written into the document, without variables."""
    given = f'input: {{key: "k", ruleset: GRAVWELL, seats: 2, {more}}}, {beside}'
    return person.ask(f"mutation {{ openGame({given}) {{ ... on Refusal {{ code }} }} }}")["openGame"]


@pytest.mark.parametrize("hours", ["1e400", "-1e400", "1e305", "9" * 400])
def test_a_turn_that_is_written_into_the_document_takes_no_longer(ann: Person, hours: str) -> None:
    assert opened_by_literals(ann, f"turnHours: {hours}") == {"code": "TURN_HOURS_OUT_OF_RANGE"}


@pytest.mark.parametrize("wait", ["1e400", "-1e400"])
def test_a_wait_that_is_written_into_the_document_is_no_longer_either(ann: Person, wait: str) -> None:
    assert opened_by_literals(ann, beside=f"wait: {wait}") == {"code": "BAD_WAIT"}


@pytest.mark.parametrize("number", ["1e400", "1" * 900])
def test_an_option_that_is_written_into_the_document_is_a_number_that_can_be_kept(ann: Person, number: str) -> None:
    assert opened_by_literals(ann, f"options: {{age_rank: [0, {number}]}}") == {"code": "BAD_OPTION"}


@pytest.mark.parametrize("argument", ["first: {}", "after: {}"])
def test_an_integer_of_5000_digits_is_refused_in_words_of_our_own(ann: Person, argument: str) -> None:
    query = f"{{ games({argument.format('1' * 5_000)}) {{ edges {{ cursor }} }} }}"
    (error,) = ann.send_query(query, {}).json()["errors"]
    assert error["message"] == "An integer has 5000 digits, and at most 1000 are read."
    assert error["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


@pytest.mark.parametrize("options", [[], 7, {"age_rank": [0, 1.5]}, {"age_rank": [[[[[[[[[[0]]]]]]]]]]}])
def test_a_refused_option_is_named(ann: Person, options: Any) -> None:
    refusal = ann.submit("openGame", ruleset="GRAVWELL", seats=2, options=options)
    assert refusal["code"] == "BAD_OPTION"
    assert refusal["facts"]["option"] == "options"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"no_such": True}, "UNKNOWN_OPTION"),
        ({"noSecrets": True}, "UNKNOWN_OPTION"),
        ({"": 1}, "UNKNOWN_OPTION"),
        ([], "BAD_OPTION"),
        ("hardcore", "BAD_OPTION"),
        (7, "BAD_OPTION"),
        (False, "BAD_OPTION"),
        ({"hardcore": "yes"}, "BAD_OPTION"),
        ({"hardcore": 1}, "BAD_OPTION"),
        ({"hardcore": None}, "BAD_OPTION"),
        ({"no_gravity": "FLOAT"}, "BAD_OPTION"),
        ({"age_rank": [0, 0]}, "BAD_OPTION"),
        ({"age_rank": [0, 1, 2]}, "BAD_OPTION"),
        ({"age_rank": [0, 1.5]}, "BAD_OPTION"),
        ({"age_rank": [0, 2**60]}, "BAD_OPTION"),
        ({"age_rank": "01"}, "BAD_OPTION"),
        ({"age_rank": [[[[[[[[[[0]]]]]]]]]]}, "BAD_OPTION"),
    ],
)
def test_an_option_is_a_known_one_and_fits(ann: Person, options: Any, code: str) -> None:
    assert ann.refused("openGame", ruleset="GRAVWELL", seats=2, options=options) == ("Refusal", code)


@pytest.mark.parametrize("wait", [-1, -0.001, 30.001, 1e9])
def test_nobody_waits_for_less_than_nothing_or_more_than_30_seconds(ann: Person, still: Table, wait: float) -> None:
    assert ann.submit("openGame", ruleset="GRAVWELL", seats=2, wait=wait)["code"] == "BAD_WAIT"
    refusal = ann.submit("resign", gameId=still.game_id, wait=wait)
    assert (refusal["code"], refusal["facts"]) == ("BAD_WAIT", {"least": 0, "most": 30})


def test_who_does_not_wait_gets_a_receipt_all_the_same(table: Table) -> None:
    person, turns = table.awaited()
    receipt = person.submit("submitTurn", gameId=table.game_id, turn=turns[0], wait=0)
    assert receipt["__typename"] == "Receipt"
    assert receipt["status"] in {"PENDING", "APPLIED"}


@pytest.mark.parametrize("entropy", ["", "00" * 15, "00" * 65, "0" * 33, "xy" * 16, "00" * 15 + " 0", "é" * 32])
def test_entropy_is_32_to_128_hex_digits(ann: Person, bob: Person, entropy: str) -> None:
    game_id = ann.applied("openGame", ruleset="GRAVWELL", seats=3)["gameId"]
    assert ann.refused("addEntropy", gameId=game_id, entropy=entropy) == ("Receipt", "BAD_ENTROPY")
    assert bob.refused("takeSeat", gameId=game_id, entropy=entropy) == ("Receipt", "BAD_ENTROPY")
    bob.applied("takeSeat", gameId=game_id, entropy="0A" * 64)


def test_a_running_game_is_not_left_nor_given_entropy_nor_started(table: Table) -> None:
    ann = table.people[0]
    for mutation, given in (("leaveSeat", {}), ("addEntropy", {"entropy": "00" * 16}), ("startGame", {})):
        assert ann.refused(mutation, gameId=table.game_id, **given) == ("Receipt", "GAME_STARTED")


def test_only_the_host_starts_a_game_and_only_a_full_one(ann: Person, bob: Person) -> None:
    game_id = ann.applied("openGame", ruleset="GRAVWELL", seats=2, start=False)["gameId"]
    assert ann.refused("startGame", gameId=game_id) == ("Receipt", "NOT_FULL")
    bob.applied("takeSeat", gameId=game_id)
    assert bob.refused("startGame", gameId=game_id) == ("Receipt", "NOT_HOST")
    ann.applied("startGame", gameId=game_id)


def test_a_game_that_has_not_started_takes_no_turn_and_no_resignation(ann: Person) -> None:
    game_id = ann.applied("openGame", ruleset="GRAVWELL", seats=2)["gameId"]
    for mutation, given in (("submitTurn", {"turn": DRAFT}), ("resign", {})):
        assert ann.refused(mutation, gameId=game_id, **given) == ("Receipt", "NOT_STARTED")


@pytest.mark.parametrize(
    "turn",
    [None, 1, "draftStack", [], {}, {"gravwell": None}, {"gravwell": {}}, {"gravwell": {"draftStack": {}}},
     {"gravwell": {"draftStack": {"stack": "1"}}}, {"gravwell": {"draftStack": {"stack": 1.5}}},
     {"gravwell": {"draftStack": {"stack": 2**31}}}, {"gravwell": {"draftStack": {"stack": None}}},
     {"gravwell": {"draftStack": {"stack": 0, "hand": 1}}}, {"gravwell": {"decideStop": True}},
     {"gravwell": {"playFuel": {"card": "a", "stop": "ASK"}}}, {"gravwell": {"playFuel": {"card": "A"}}},
     {"gravwell": {"draftStack": {"stack": 0}, "decideStop": {"stop": True}}}, {"chess": {"move": "e4"}},
     {"gravwell": {"draftStack": [[[[[[[[]]]]]]]]}}],
)  # fmt: skip
def test_a_turn_of_another_shape_is_an_error_of_the_request(still: Table, turn: Any) -> None:
    before = still.version()
    query = "mutation ($input: SubmitTurnInput!) { submitTurn(input: $input) { __typename } }"
    given = {"key": "shape", "gameId": still.game_id, "turn": turn}
    assert still.people[0].error(query, input=given)["code"] == "BAD_USER_INPUT"
    assert still.version() == before


@pytest.mark.parametrize("version", [2**31, -(2**31) - 1, 1.5, "1", True])
def test_an_integer_is_one_of_32_bits(still: Table, version: Any) -> None:
    query = "mutation ($input: SubmitTurnInput!) { submitTurn(input: $input) { __typename } }"
    given = {"key": "version", "gameId": still.game_id, "turn": DRAFT, "expectedVersion": version}
    assert still.people[0].error(query, input=given)["code"] == "BAD_USER_INPUT"
    assert (
        still.people[0].error('query ($at: Int) { game(id: "x", at: $at) { id } }', at=version)["code"]
        == "BAD_USER_INPUT"
    )


def test_a_null_where_none_may_be_is_an_error_of_the_request(ann: Person) -> None:
    given = 'input: {key: "k", ruleset: GRAVWELL, seats: 2}, wait: $wait'
    query = f"mutation ($wait: Float) {{ openGame({given}) {{ __typename }} }}"
    assert ann.error(query, wait=None)["code"] == "BAD_USER_INPUT"


@pytest.mark.parametrize("size", [0, -1, 101, 2**31 - 1])
def test_a_page_has_1_to_100_items(still: Table, size: int) -> None:
    ann = still.people[0]
    for query in (
        "query ($n: Int) { games(first: $n) { edges { cursor } } }",
        "query ($n: Int) { myGames(first: $n) { edges { cursor } } }",
        f'query ($n: Int) {{ game(id: "{still.game_id}") {{ history(first: $n) {{ edges {{ cursor }} }} }} }}',
        f'query ($n: Int) {{ game(id: "{still.game_id}") {{ history(last: $n) {{ edges {{ cursor }} }} }} }}',
    ):
        error = ann.error(query, n=size)
        assert (error["code"], error["facts"]) == ("PAGE_OUT_OF_RANGE", {"given": size, "least": 1, "most": 100})


def test_a_page_is_counted_from_one_end(still: Table) -> None:
    query = f'{{ game(id: "{still.game_id}") {{ history(first: 1, last: 1) {{ edges {{ cursor }} }} }} }}'
    assert still.people[0].error(query)["code"] == "BAD_PAGE"


@pytest.mark.parametrize("cursor", ["", "x", "é", "====", "LTE", "OTk5OTk5OTk5OTk5OTk5", "MS41", "x" * 10_000, "2J8"])
def test_a_cursor_is_one_that_was_given(still: Table, cursor: str) -> None:
    for query in (
        "query ($c: String) { games(after: $c) { edges { cursor } } }",
        "query ($c: String) { myGames(after: $c) { edges { cursor } } }",
        f'query ($c: String) {{ game(id: "{still.game_id}") {{ history(after: $c) {{ edges {{ cursor }} }} }} }}',
        f'query ($c: String) {{ game(id: "{still.game_id}") {{ history(before: $c) {{ edges {{ cursor }} }} }} }}',
    ):
        assert still.people[0].error(query, c=cursor)["code"] == "BAD_CURSOR"


@pytest.mark.parametrize("at", [0, -1, 10_000, 2**31 - 1, -(2**31)])
def test_a_version_not_reached_is_no_game(still: Table, at: int) -> None:
    query = "query ($id: ID!, $at: Int) { game(id: $id, at: $at) { id } }"
    assert still.people[0].ask(query, id=still.game_id, at=at) == {"game": None}


@pytest.mark.parametrize(
    "handle", ["", "ab", "x" * 33, "1ann", "_ann", "an n", "änn", "ann\n", "ann.b", "<ann>", "ann\u200b"]
)
def test_a_handle_is_3_to_32_plain_characters(nobody: Person, handle: str) -> None:
    query = "mutation ($h: String!) { register(input: {handle: $h}) { ... on Refusal { code facts } } }"
    assert nobody.ask(query, h=handle)["register"] == {"code": "BAD_HANDLE", "facts": {"least": 3, "most": 32}}


def test_a_handle_is_taken_whatever_its_case(ann: Person, nobody: Person) -> None:
    query = "mutation ($h: String!) { register(input: {handle: $h}) { ... on Refusal { code } } }"
    for handle in (ann.handle, ann.handle.upper(), ann.handle.title()):
        assert nobody.ask(query, h=handle)["register"] == {"code": "HANDLE_TAKEN"}


@pytest.mark.parametrize("name", ["", "x" * 65, "a\nb", "\x7f", "\t"])
def test_the_name_of_a_token_is_1_to_64_printable_characters(ann: Person, name: str) -> None:
    query = "mutation ($n: String!) { createToken(name: $n) { ... on Refusal { code } } }"
    assert ann.ask(query, n=name)["createToken"] == {"code": "BAD_NAME"}


def test_a_17th_submission_that_nobody_has_decided_yet_is_not_received(api: Serving, table: Table) -> None:
    ann = table.people[0]
    with held_for_repair(api, table):
        results = [ann.submit("resign", gameId=table.game_id, wait=0) for _ in range(17)]
    assert [result.get("status") for result in results[:16]] == ["PENDING"] * 16
    assert (results[16]["code"], results[16]["facts"]) == ("TOO_MANY_PENDING", {"most": 16})


@contextmanager
def held_for_repair(api: Serving, table: Table) -> Iterator[None]:
    """While the context lasts, the game is quarantined: what comes in is received, and not decided."""
    game = {"game": ids.game_of(table.game_id)}
    with psycopg.connect(api.database_url, autocommit=True) as database:
        hold = "update games set quarantined_at = now(), quarantine_cause = 'a test' where game_id = %(game)s"
        database.execute(hold, game)
        yield
        release = "update games set quarantined_at = null, quarantine_cause = null where game_id = %(game)s"
        database.execute(release, game)

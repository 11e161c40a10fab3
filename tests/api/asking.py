"""Asking the API from outside, as a client would that knows nothing but HTTP."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Self

import httpx

_KEYS = count(1)

SUBMITTED = """
  __typename
  ... on Receipt { id key gameId status version hash refusal { code message facts } }
  ... on Refusal { code message facts }
"""
INPUTS = {
    "openGame": "OpenGameInput",
    "forkGame": "ForkGameInput",
    "takeSeat": "SeatInput",
    "leaveSeat": "GameInput",
    "addEntropy": "EntropyInput",
    "startGame": "GameInput",
    "submitTurn": "SubmitTurnInput",
    "resign": "GameInput",
}


class Person(httpx.Client):
    """A client, of somebody with a token or of nobody."""

    def __init__(self, address: str, token: str | None = None, handle: str = "nobody") -> None:
        authorization = {} if token is None else {"Authorization": f"Bearer {token}"}
        super().__init__(base_url=address, headers=authorization, timeout=40, verify=False)
        self.token = token
        self.handle = handle

    def __enter__(self) -> Self:
        return super().__enter__()

    def send_query(self, query: str, variables: Mapping[str, Any] | None = None) -> httpx.Response:
        """The bare answer to a document."""
        return self.post("/graphql", json={"query": query, "variables": dict(variables or {})})

    def ask(self, query: str, **variables: Any) -> Any:
        """The data that a document asks for."""
        answer = self.send_query(query, variables)
        content = answer.json()
        assert answer.status_code == 200, answer.text
        assert "errors" not in content, answer.text
        return content["data"]

    def error(self, query: str, **variables: Any) -> dict[str, Any]:
        """The extensions of the one error that a document gets."""
        (error,) = self.send_query(query, variables).json()["errors"]
        extensions: dict[str, Any] = error["extensions"]
        return extensions

    def submit(self, mutation: str, /, *, wait: float = 10, **given: Any) -> dict[str, Any]:
        """The Receipt or Refusal of a mutation, under a new key if none is given."""
        given = {"key": f"key-{next(_KEYS)}", **given}
        arguments = f"$input: {INPUTS[mutation]}!, $wait: Float!"
        query = f"mutation ({arguments}) {{ {mutation}(input: $input, wait: $wait) {{ {SUBMITTED} }} }}"
        result: dict[str, Any] = self.ask(query, input=given, wait=wait)[mutation]
        return result

    def refused(self, mutation: str, /, **given: Any) -> tuple[str, str]:
        """Whether it was refused at the edge or by the game, and with which code."""
        result = self.submit(mutation, **given)
        if result["__typename"] == "Refusal":
            return "Refusal", result["code"]
        assert result["status"] == "REFUSED", result
        return "Receipt", result["refusal"]["code"]

    def applied(self, mutation: str, /, **given: Any) -> dict[str, Any]:
        """The receipt of what was applied."""
        result = self.submit(mutation, **given)
        assert result.get("status") == "APPLIED", result
        return result

    def game(self, game_id: str, fields: str) -> Any:
        """Fields of a game, as this person sees it."""
        return self.ask(f"query ($id: ID!) {{ game(id: $id) {{ {fields} }} }}", id=game_id)["game"]

    def turns(self, game_id: str) -> list[dict[str, Any]]:
        """The turns this person may take."""
        turns: list[dict[str, Any]] = self.game(game_id, "legalTurns")["legalTurns"]
        return turns


@dataclass(frozen=True)
class Table:
    """A game and who sits at it, by seat."""

    game_id: str
    people: tuple[Person, ...]

    def version(self) -> int:
        """The version of the game's newest event."""
        version: int = self.people[0].game(self.game_id, "version")["version"]
        return version

    def awaited(self) -> tuple[Person, list[dict[str, Any]]]:
        """Somebody the game waits for, and the turns they may take."""
        seat = self.people[0].game(self.game_id, "awaiting")["awaiting"][0]
        return self.people[seat], self.people[seat].turns(self.game_id)

    def play(self, decisions: int) -> None:
        """Take so many turns, each the first that is offered to whoever is awaited."""
        for _ in range(decisions):
            person, turns = self.awaited()
            person.applied("submitTurn", gameId=self.game_id, turn=turns[0])


def registered(address: str, handle: str) -> Person:
    """A new account."""
    with Person(address) as nobody:
        query = "mutation ($handle: String!) { register(input: {handle: $handle}) { ... on Registered { token } } }"
        token = nobody.ask(query, handle=handle)["register"]["token"]
    return Person(address, token, handle)


def seated(host: Person, *others: Person, **options: Any) -> Table:
    """A game of Gravwell that the host opens and everybody takes a seat of, in this order."""
    opened = host.applied("openGame", ruleset="GRAVWELL", seats=1 + len(others), **options)
    game_id = opened["gameId"]
    for other in others:
        other.applied("takeSeat", gameId=game_id)
    return Table(game_id, (host, *others))

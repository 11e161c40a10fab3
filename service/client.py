"""The public API as its clients see it: GraphQL over HTTP, for the demo and the newcomer's first game."""

import json
from dataclasses import dataclass
from typing import Any

import httpx

REGISTER = """
mutation ($handle: String!) {
  register(input: {handle: $handle}) { ... on Registered { token } ... on Refusal { code message } }
}"""

OPEN_GAME = """
mutation ($key: ID!, $ruleset: RulesetName!, $seats: Int!, $bots: Int!) {
  openGame(input: {key: $key, ruleset: $ruleset, seats: $seats, bots: $bots}) {
    ... on Receipt { gameId status refusal { message } } ... on Refusal { code message }
  }
}"""

TAKE_SEAT = """
mutation ($key: ID!, $gameId: ID!, $entropy: String) {
  takeSeat(input: {key: $key, gameId: $gameId, entropy: $entropy}) {
    ... on Receipt { status version refusal { message } } ... on Refusal { code message }
  }
}"""

SUBMIT_TURN = """
mutation ($key: ID!, $gameId: ID!, $expectedVersion: Int, $turn: TurnInput!) {
  submitTurn(input: {key: $key, gameId: $gameId, expectedVersion: $expectedVersion, turn: $turn}) {
    ... on Receipt { status version events { summary } refusal { message } } ... on Refusal { code message }
  }
}"""

GAME = """
query ($id: ID!) {
  game(id: $id) {
    status version headHash mySeat myTurnSince awaiting legalTurns outcome { reason ranking }
  }
}"""

HISTORY = """
query ($id: ID!, $after: String) {
  game(id: $id) {
    history(first: 100, after: $after) {
      edges { cursor node { version summary canonical } } pageInfo { endCursor hasNextPage }
    }
  }
}"""


class Failed(Exception):
    """The API answered with an error or a refusal."""


@dataclass(frozen=True, slots=True)
class Client:
    """One caller of the API; `token` None for one that is not signed in."""

    http: httpx.AsyncClient
    url: str
    token: str | None = None

    async def ask(self, document: str, **variables: Any) -> dict[str, Any]:
        """Run a document with one root field and give what stands in it. Raises Failed for errors and refusals."""
        headers = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        body = {"query": document, "variables": variables}
        answer = (await self.http.post(self.url, json=body, headers=headers)).json()
        if answer.get("errors"):
            raise Failed(answer["errors"][0]["message"])
        (value,) = answer["data"].values()
        if value is None:
            raise Failed("there is no such thing")
        refusal = value if "code" in value else value.get("refusal")
        if refusal is not None:
            raise Failed(refusal["message"])
        return dict(value)

    async def registered(self, handle: str) -> "Client":
        """A client signed in as a new account."""
        token = (await self.ask(REGISTER, handle=handle))["token"]
        return Client(self.http, self.url, token)


def curl(client: Client, document: str, **variables: Any) -> str:
    """The same question as a command to paste into a shell."""
    body = json.dumps({"query": " ".join(document.split()), "variables": variables}).replace("'", "\\u0027")
    return (
        f"curl -s {client.url} \\\n"
        f"  -H 'Authorization: Bearer {client.token}' \\\n"
        f"  -H 'Content-Type: application/json' \\\n"
        f"  -d '{body}'"
    )

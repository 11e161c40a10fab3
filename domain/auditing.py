"""What can be said of a stream by its form alone, whatever its title: its decisions, its seals, and its chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from domain.bundle import LAST, Event
from domain.chance import seed_of
from domain.forms import is_hash, is_whole, is_word
from domain.ruleset import Outcome, Seat
from domain.stream import COMMAND, commitment, salt_of, secret_hash

PROMISE: Final = (
    "Nobody but the server could know the seed, and the server could not steer it "
    "if the last entropy given came from someone not in league with it."
)
"""What chance promises, in the words of FORMAT.md."""


@dataclass(frozen=True, slots=True)
class Given:
    """What one taking of a seat, or one `game.entropy_added`, gave to the game's chance; `entropy` None is nothing."""

    version: int
    seat: Seat
    bot: bool
    entropy: str | None


@dataclass(frozen=True, slots=True)
class Chance:
    """Where the chance of a game came from. `started` says whether it was fixed, by the game's start or as a fork."""

    given: tuple[Given, ...]
    started: bool

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats whose entropy followed on the server's commitment, ascending."""
        return tuple(sorted({one.seat for one in self.given if one.entropy is not None}))

    @property
    def last(self) -> Given | None:
        """The last entropy given."""
        return next((one for one in reversed(self.given) if one.entropy is not None), None)

    def seed(self, secret: bytes) -> bytes:
        """The seed of the game, once its secret is open."""
        return seed_of(secret, [one.entropy for one in self.given])

    def briefly(self) -> str:
        """Whose chance it was."""
        if self.last is None:
            return "no entropy given" if self.started else "nothing drawn"
        return f"entropy of seats {', '.join(map(str, self.seats))}, the last of seat {self.last.seat}"

    def told(self) -> str:
        """What is proven of the chance, and what is not."""
        if not self.started:
            return "Nothing was drawn: the game did not start."
        last = self.last
        if last is None:
            return (
                "No seat gave entropy. Proven: the server drew everything from the secret it committed to in event 1, "
                "before anyone else sat. Not proven: that it did not choose that secret for what follows from it."
            )
        seats = f"seat{'s' * (len(self.seats) > 1)} {', '.join(map(str, self.seats))}"
        return (
            f"Entropy of {seats} followed on the commitment to the secret in event 1; "
            f"the last came from seat {last.seat} in event {last.version}. Proven: {PROMISE} "
            f"Not proven: that seat {last.seat} was not in league with the server."
        )


def audit(events: Sequence[Event], secret: bytes | None) -> Chance:
    """Check a stream whose chain holds. `secret` is the game's, None where it is not known. Raises Damaged.

    Gives where its chance came from. Whether the rules of its title lead to these events is not looked at.
    """
    _check_decisions(events)
    _check_end(events)
    game = UUID(events[0].public["game"])
    if secret is not None and secret_hash(game, secret).hex() != events[0].public["data"].get("secret_hash"):
        raise events[-1].damaged("SECRET_HASH", "its secret is not the one that event 1 committed to")
    for event in events:
        _check_seals(event, secret)
    return _chance(events)


def opened_secret(events: Sequence[Event]) -> bytes | None:
    """The secret that the last event of an ended game opens, None in one that goes on. Raises Damaged."""
    last = events[-1]
    if last.public["name"] != LAST:
        return None
    secret = last.public["data"].get("secret")
    if not is_hash(secret):
        raise last.damaged("SECRET_HASH", "it does not open a secret of 32 bytes")
    return bytes.fromhex(secret)


def told_outcome(events: Sequence[Event]) -> Outcome | None:
    """How an audited game ended by its own words, None for one that goes on."""
    if events[-1].public["name"] != LAST:
        return None
    data = events[-2].public["data"]
    return Outcome(data["reason"], tuple(map(tuple, data["ranking"])))


def _check_decisions(events: Sequence[Event]) -> None:
    first, submissions = events[0], set[str]()
    for before, event in zip((None, *events), events, strict=False):
        public, cause = event.public, event.public["cause"]
        if before is not None and public["at"] < before.public["at"]:
            raise event.damaged("DECISION", "its time lies before that of the event before it")
        if "first" not in cause:
            first = event
            if not _fits(public["actor"], cause):
                raise event.damaged("DECISION", "its actor is not one whom its cause allows")
            if "submission" in cause:
                if cause["received_at"] > public["at"]:
                    raise event.damaged("DECISION", "it was decided before its command was received")
                if cause["submission"] in submissions:
                    raise event.damaged("DECISION", "its submission has led to a decision before")
                submissions.add(cause["submission"])
        elif before is None or cause["first"] != first.row.version:
            raise event.damaged("DECISION", f"its cause names another first event than {first.row.version}")
        elif (public["at"], public["actor"]) != (first.public["at"], first.public["actor"]):
            raise event.damaged(
                "DECISION", f"its time and actor are not those of its decision, event {first.row.version}"
            )
        if (public["name"] == "game.opened") != (before is None):
            raise event.damaged("DECISION", "a stream begins with game.opened, and no other event is one")


def _fits(actor: str, cause: Mapping[str, Any]) -> bool:
    if "deadline" in cause:
        return actor == "clock"
    if "operator" in cause:
        return actor == "host"
    return actor in ("host", f"seat:{cause['seat']}")


def _check_end(events: Sequence[Event]) -> None:
    for place, event in enumerate(events, 1):
        name = event.public["name"]
        if name == "game.ended" and (place == len(events) or events[place].public["name"] != LAST):
            raise event.damaged("ENDING", f"it is not followed by {LAST}")
        if name == "game.ended" and not _is_outcome(event.public["data"]):
            raise event.damaged("MISSHAPEN", "its reason or its ranking is not one")
        if name == LAST and (place != len(events) or place < 2 or events[place - 2].public["name"] != "game.ended"):
            raise event.damaged("ENDING", "it stands elsewhere than last, after game.ended")


def _is_outcome(data: Mapping[str, Any]) -> bool:
    ranking = data.get("ranking")
    return (
        is_word(data.get("reason"))
        and isinstance(ranking, list)
        and all(isinstance(tie, list) for tie in ranking)
        and all(is_whole(seat) for tie in ranking for seat in tie)
    )


def _check_seals(event: Event, secret: bytes | None) -> None:
    if secret is None:
        if event.secret is not None:
            raise event.damaged("SECRET", "something sealed is open in it, though the game's secret is not")
        return
    committed = {field: seal["c"] for field, seal in event.public["sealed"].items()}
    if "command" in event.public["cause"]:
        committed[COMMAND] = event.public["cause"]["command"]
    opened = event.secret or {}
    if opened.keys() != committed.keys():
        names = ", ".join(sorted(opened.keys() ^ committed.keys()))
        raise event.damaged("SECRET", f"what is sealed in it and what is opened are not the same fields: {names}")
    for field, value in opened.items():
        if commitment(salt_of(secret, event.row.version, field), value) != committed[field]:
            raise event.damaged("SECRET", f"what is opened as {field} is not what was committed to")


def _chance(events: Sequence[Event]) -> Chance:
    given, bots, started = list[Given](), set[Seat](), False
    for event in events:
        name, data = event.public["name"], event.public["data"]
        if name in ("game.started", "game.forked"):
            started = True
        elif name in ("game.seat_taken", "game.entropy_added"):
            seat, entropy = data.get("seat"), data.get("entropy", ...)  # null is said, not left out
            if type(seat) is not int or not isinstance(entropy, str | None):
                raise event.damaged("MISSHAPEN", "its seat or its entropy is not one")
            if name == "game.seat_taken":
                bots = bots | {seat} if data.get("bot") is True else bots - {seat}
            given.append(Given(event.row.version, seat, seat in bots, entropy))
    return Chance(tuple(given), started)

"""Verifying bundles offline: bytes, chain, commitments, chance, rules, signature, and what anchors them outside."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from domain.auditing import Chance, audit, opened_secret, told_outcome
from domain.bundle import Bundle, Damaged, signed_message
from domain.catalogue import CATALOGUE
from domain.game import Fork, Game
from domain.ruleset import Outcome
from service.codec import codec_of
from service.knowing import Known
from service.redeciding import check_forms, judge
from service.signing import holds
from service.streams import folded


@dataclass(frozen=True, slots=True)
class Verified:
    """A bundle in which nothing is wrong. `judged` says whether its decisions were made again by its rules.

    They cannot be before the game's secret is open, nor where this build does not have its rules. `anchors` are what
    was known of it from elsewhere, each with the version up to which that vouches for it, if it does.
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
    fork: Fork | None
    chance: Chance
    anchors: Mapping[str, int | None]

    @property
    def anchored_at(self) -> int | None:
        """The last event that something known from elsewhere vouches for, and with it all before."""
        return max((version for version in self.anchors.values() if version is not None), default=None)

    @property
    def verdict(self) -> str:
        """The last word on it."""
        if self.anchored_at is None:
            return "consistent; not anchored"
        return "consistent; anchored" + (
            "" if self.anchored_at == self.events else f" up to event {self.anchored_at} of {self.events}"
        )

    def told(self) -> tuple[str, ...]:
        """What is proven and what is not, for people, a line each."""
        title = f"{self.ruleset} rules {self.rules}, game {self.game}, {self.events} events"
        return (f"{title}, {self._end()}", f"signed by {self.key}", *self._checks(), *self._source(), self.verdict)

    def briefly(self) -> str:
        """All of it in one line."""
        title = f"{self.ruleset} rules {self.rules}, {self.events} events, {self._end()}"
        return f"{title}; {self.chance.briefly()}; {self.verdict}"

    def _end(self) -> str:
        if self.outcome is None:
            return "going on"
        ranking = " before ".join(" and ".join(map(str, tie)) for tie in self.outcome.ranking)
        return f"ended: {self.outcome.reason}" + (f", seat {ranking}" if ranking else "")

    def _checks(self) -> tuple[str, ...]:
        if not self.is_open:
            return ("Checked: bytes, chain. Not yet: commitments, chance, rules; the secret is opened at the end.",)
        if not self.judged:
            return ("Checked: bytes, chain, commitments. Not: rules, which are not in this build.", self.chance.told())
        return ("Checked: bytes, chain, commitments, chance, rules, outcome.", self.chance.told())

    def _source(self) -> tuple[str, ...]:
        if self.fork is None:
            return ()
        place = f"event {self.fork.version} of game {self.fork.game}, hash {self.fork.hash}"
        return (f"A practice game that goes on from {place}. Not checked: that this is what had happened there.",)


def verify(bundle: Bundle, known: Known | None = None) -> Verified:
    """Verify a bundle as it was read, against what is known from elsewhere. Raises Damaged."""
    known = known or Known()
    secret = opened_secret(bundle.events)
    chance = audit(bundle.events, secret)
    _check_closing(bundle, known.keys)
    header = bundle.header
    here = (header.ruleset, header.rules) in CATALOGUE
    game: Game | None = None
    if here and secret is not None:
        game = judge(bundle.events, codec_of(header.ruleset, header.rules), secret)
    elif here:
        check_forms(bundle.events, codec_of(header.ruleset, header.rules))
        game = _folded(bundle)
    return Verified(
        game=header.game,
        ruleset=header.ruleset,
        rules=header.rules,
        events=len(bundle.events),
        head=header.head,
        key=bundle.closing.key,
        is_open=bundle.is_open,
        judged=here and bundle.is_open,
        outcome=game.outcome if game is not None else told_outcome(bundle.events),
        fork=None if game is None else game.fork,
        chance=chance,
        anchors=known.anchors(bundle),
    )


def _check_closing(bundle: Bundle, keys: Collection[str]) -> None:
    """What the events do not bind themselves: the last line, and, by it, the header."""
    closing, line = bundle.closing, bundle.closing_line
    signed = holds(closing.key, closing.signature, signed_message(closing.sha256))
    if closing.sha256 != bundle.sha256:
        # All else in the header was compared with the events, which are bound by themselves.
        if signed and bundle.header.keys != (closing.key,):
            raise bundle.headed_otherwise("its keys are not those of the bundle that was signed")
        raise Damaged("CLOSING", line, "its SHA-256 is not that of the lines before it")
    if not signed:
        raise Damaged("SIGNATURE", line, "its signature is not that of its key over the lines before it")
    if closing.key not in bundle.header.keys:
        raise bundle.headed_otherwise("it does not name the key that signed the bundle")
    if keys and closing.key not in keys:
        raise Damaged("KEY", line, f"it is signed by another key than those given: {closing.key}")


def _folded(bundle: Bundle) -> Game:
    """The game as the public sees it, folded. Raises Damaged."""
    try:
        return folded(bundle.header.ruleset, bundle.header.rules, [event.row for event in bundle.events])
    except Exception as error:  # noqa: BLE001 - whatever stands in a file that somebody made may be nonsense
        raise bundle.head.damaged("FOLD", f"the events up to it do not fold: {type(error).__name__}") from None

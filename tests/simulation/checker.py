"""The checker: settles what players were told against what the store holds, and decides every game once more.

It trusts nothing but the domain. A sound service leaves it nothing to say, whatever was killed on the way.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from domain import game as games
from domain.stream import ByOperator, BySubmission, Head, Row, chain_start, chained, secret_hash, time_of, written
from service.codec import codec_of
from service.deciding import Change, Pending, Timer, append, fire, settle, wanted_timers
from service.streams import GameRow, Stream, bot_id, folded
from service.timers import GRACE
from service.writer import Known
from tests.simulation.evidence import Evidence
from tests.simulation.ledger import Ledger, Told
from tests.simulation.players import NEW_GAME

PROPOSED_AHEAD: Final = timedelta(seconds=1)
"""How far a time that a writer proposes may lie from the database's own (the statement `quick`)."""

OVERDUE: Final = timedelta(seconds=8)
"""How long after its time a timer has surely fired, with workers up and time to spare."""


@dataclass(frozen=True, slots=True)
class Step:
    """A decision of a stream: the game before it and after it, its rows, and the deadline whose lapse it is, if any."""

    before: Stream | None
    after: Stream
    rows: Sequence[Row]
    lapse: datetime | None


def faults_of(evidence: Evidence, ledger: Ledger) -> list[str]:
    """What is wrong; nothing, if every promise was kept."""
    faults = [*ledger.wrong, *evidence.complaints]
    faults += _receipt_faults(evidence, ledger)
    faults += _stray_submissions(evidence, ledger)
    for row in evidence.games:
        operated = [word for game_id, word in ledger.operated if game_id == row.game_id]
        audit = _Audit(row, evidence.events.get(row.game_id, ()), evidence.submissions[row.game_id], operated)
        faults += (f"{row.game_id}: {fault}" for fault in audit.faults())
    faults += _timer_faults(evidence)
    faults += _follower_faults(evidence, ledger)
    return faults


def _receipt_faults(evidence: Evidence, ledger: Ledger) -> Iterator[str]:
    """Every receipt that was given has exactly one outcome, and that is what its holder was told, every time."""
    stored = {(one.game_id, one.sender_id, one.key): one for some in evidence.submissions.values() for one in some}
    for told in ledger.told:
        known = stored.get(told.scope)
        if known is None:
            yield f"a receipt was given for key {told.scope[2]}, of which the store knows nothing"
        elif known.submission_id != told.submission_id:
            yield f"key {told.scope[2]} has two receipts"
        elif told.status != "PENDING" and _outcome_told(told) != _outcome_kept(known):
            yield f"key {told.scope[2]} was told {_outcome_told(told)}, and is {_outcome_kept(known)}"
        elif datetime.fromisoformat(told.received_at) != known.received_at:
            yield f"key {told.scope[2]} was received at two times"


def _outcome_told(told: Told) -> tuple[Any, ...]:
    return told.status, told.version, told.hash, told.refusal


def _outcome_kept(known: Known) -> tuple[Any, ...]:
    refusal = json.loads(known.refusal)["code"] if known.refusal else None
    return str(known.status), known.version, known.hash and known.hash.hex(), refusal


def _stray_submissions(evidence: Evidence, ledger: Ledger) -> Iterator[str]:
    """Nothing was received that nobody sent."""
    for row in evidence.games:
        bots = {bot_id(row.game_id, seat) for seat in range(row.seats)}
        for known in evidence.submissions[row.game_id]:
            content = json.loads(known.content)
            game_id = NEW_GAME if "open_game" in content["command"] else known.game_id
            if known.sender_id in bots and known.key.startswith("bot/"):
                continue
            if content not in ledger.sent.get((game_id, known.sender_id, known.key), []):
                yield f"nobody sent what was received under key {known.key}"


def _timer_faults(evidence: Evidence) -> Iterator[str]:
    """No timer is left behind."""
    kept = {row.game_id for row in evidence.games if row.quarantined}
    for timer in evidence.timers:
        if timer.game_id not in kept and timer.due < evidence.now - OVERDUE:
            yield f"{timer.game_id}: the {timer.kind} due {timer.due} never fired"


def _follower_faults(evidence: Evidence, ledger: Ledger) -> Iterator[str]:
    """Every follower was given the stream: each event once, in order, and no decision cut in two."""
    for followed in ledger.followed:
        rows = evidence.events[followed.game_id][: len(followed.hashes)]
        ends = {decision[-1].version for decision in _decisions(rows)}
        if followed.hashes != [row.hash.hex() for row in rows]:
            yield f"{followed.game_id}: a follower was given other events than there are"
        elif not ends.issuperset(followed.ends):
            yield f"{followed.game_id}: a follower was given half a decision"
        elif followed.completed and len(rows) < len(evidence.events[followed.game_id]):
            yield f"{followed.game_id}: a follower was sent away before the last event"


class _Audit:
    """One game decided again from its first event to its last."""

    def __init__(self, row: GameRow, events: Sequence[Row], submissions: Sequence[Known], operated: list[str]) -> None:
        self._row = row
        self._events = events
        self._submissions = {known.submission_id: known for known in submissions}
        self._operated = operated
        self._found: list[str] = []

    def faults(self) -> list[str]:
        if not self._events:
            return ["a game without events"]
        self._check_chain()
        steps = self._steps()
        self._check_outcomes(steps)
        if self._row.players != list(steps[-1].after.players):
            self._found.append("those who sit in it are not those whose seats were taken")
        return self._found

    def _check_chain(self) -> None:
        link = chain_start(self._row.game_id)
        for version, row in enumerate(self._events, 1):
            if (row.version, row.prev_hash) != (version, link):
                self._found.append(f"version {row.version} does not follow version {version - 1}")
            link = chained(row.prev_hash, row.public)
        if (self._row.version, self._row.head_hash) != (self._events[-1].version, link):
            self._found.append(f"the head is {self._row.version}, the last event {self._events[-1].version}")

    def _steps(self) -> list[Step]:
        steps: list[Step] = []
        for rows in _decisions(self._events):
            before = steps[-1].after if steps else None
            players, lapse = self._decided_again(before, rows)
            game = folded(self._row.ruleset, self._row.rules, rows, before.game if before else None)
            after = Stream(
                self._row.game_id,
                self._row.secret,
                self._row.host_id,
                self._row.created_at,
                Head(rows[-1].version, rows[-1].hash, _at(rows[0])),
                game,
                players,
            )
            steps.append(Step(before, after, rows, lapse))
        return steps

    def _decided_again(
        self, before: Stream | None, rows: Sequence[Row]
    ) -> tuple[tuple[UUID | None, ...], datetime | None]:
        """Who sits where after a decision, and the deadline whose lapse it is; notes what does not come out again."""
        version, cause = rows[0].version, json.loads(rows[0].public)["cause"]
        match cause:
            case {"submission": submission_id}:
                known = self._submissions.get(UUID(submission_id))
                if known is None:
                    self._found.append(f"version {version} comes from a submission that was never received")
                elif before is None:
                    return self._opened_again(known, rows), None
                else:
                    return self._settled_again(before, known, rows), None
            case {"deadline": text} if before is not None:
                return before.players, self._fired_again(before, time_of(text), rows)
            case {"operator": word} if before is not None and word in self._operated:
                self._operated.remove(word)
                self._check_operated(before, word, rows)
            case _:
                self._found.append(f"version {version} comes from nothing: {cause}")
        return before.players if before else (None,) * self._row.seats, None

    def _opened_again(self, known: Known, rows: Sequence[Row]) -> tuple[UUID | None, ...]:
        said, now = json.loads(known.content)["command"], _at(rows[0])
        codec = codec_of(self._row.ruleset, self._row.rules)
        hashed = secret_hash(self._row.game_id, self._row.secret).hex()
        decision = games.open_game(codec.command(said), self._row.secret, hashed, now)
        facts = [codec.fact(event) for event in decision.events]
        cause = BySubmission(known.submission_id, decision.seat, known.received_at, said)
        if written(self._row.game_id, self._row.secret, None, facts, now, decision.actor, cause) != tuple(rows):
            self._found.append("its opening does not come out again")
        return tuple(known.sender_id if sitter == "PERSON" else None for sitter in decision.game.sitters)

    def _settled_again(self, before: Stream, known: Known, rows: Sequence[Row]) -> tuple[UUID | None, ...]:
        change = Change(before, before)
        settle(change, _pending(known), _at(rows[0]))
        if change.rows != list(rows):
            self._found.append(f"version {rows[0].version} does not follow from key {known.key}")
        if _at(rows[0]) < known.received_at:
            self._found.append(f"version {rows[0].version} was decided before key {known.key} was received")
        return change.after.players

    def _fired_again(self, before: Stream, due: datetime, rows: Sequence[Row]) -> datetime | None:
        """The deadline, if a lapse or an expiry comes out again; None if it is a bot's lapse that does."""
        version, now = rows[0].version, _at(rows[0])
        for (kind, seat), (wanted, since) in wanted_timers(before.game, before.created_at).items():
            change = Change(before, before)
            if wanted in (due, None) and fire(change, Timer(before.game_id, kind, seat, due, since), now):
                if change.rows != list(rows):
                    continue
                if kind != "bot" and now < due + GRACE:
                    self._found.append(f"version {version}: the {kind} of {due} came too early")
                return None if kind == "bot" else due
        self._found.append(f"version {version}: nothing was due at {due} that has these events")
        return None

    def _check_operated(self, before: Stream, word: str, rows: Sequence[Row]) -> None:
        change = Change(before, before)
        if word == "release":
            decision = games.release(before.game, _at(rows[0]), before.secret)
            append(change, decision, _at(rows[0]), ByOperator(word))
        if change.rows != list(rows):
            self._found.append(f"version {rows[0].version} does not follow from the operator's {word}")

    def _check_outcomes(self, steps: Sequence[Step]) -> None:
        caused = Counter(json.loads(step.rows[0].public)["cause"].get("submission") for step in steps)
        fired = Counter(step.lapse for step in steps if step.lapse is not None)
        self._found += (f"the deadline {due} was fired {times} times" for due, times in fired.items() if times > 1)
        for known in self._submissions.values():
            times = caused[str(known.submission_id)]
            if times != (known.status == "APPLIED"):
                self._found.append(f"key {known.key} is {known.status} and has {times} decisions")
            elif known.status == "APPLIED":
                self._check_applied(known, steps)
            elif known.status == "REFUSED":
                self._check_refused(known, steps)
            elif not self._row.quarantined:
                self._found.append(f"key {known.key} was never settled")

    def _check_applied(self, known: Known, steps: Sequence[Step]) -> None:
        """It stands where it says, after no lapse of a time that it kept, and before none of a time that it missed."""
        place = next((n for n, step in enumerate(steps) if step.rows[0].version == known.first_version), None)
        if place is None or (steps[place].rows[-1].version, steps[place].rows[-1].hash) != (known.version, known.hash):
            self._found.append(f"key {known.key} says {known.first_version} to {known.version}, the stream does not")
        elif any(step.lapse is not None and step.lapse >= known.received_at for step in steps[:place]):
            self._found.append(f"key {known.key} was received in time, and applied after the lapse")
        elif _is_late(steps[place].before, known):
            self._found.append(f"key {known.key} was received late, and applied before the lapse")

    def _check_refused(self, known: Known, steps: Sequence[Step]) -> None:
        """There must be a moment after its receipt, on its side of every lapse, that refuses it in these words."""
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            is_past = following is not None and _at(following.rows[0]) < known.received_at - PROPOSED_AHEAD
            if not is_past and not _is_late(step.after, known) and _refusal(step.after, known) == known.refusal:
                return
            if following is not None and following.lapse is not None and following.lapse >= known.received_at:
                break
        code = json.loads(known.refusal or "{}").get("code")
        self._found.append(f"key {known.key} was refused with {code}, but no moment it may be decided at says so")


def _decisions(events: Sequence[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    for row in events:
        if group and "first" not in json.loads(row.public)["cause"]:
            yield group
            group = []
        group.append(row)
    yield group


def _is_late(stream: Stream | None, known: Known) -> bool:
    """Whether the clock acts on the game first."""
    timers = {} if stream is None else wanted_timers(stream.game, stream.created_at)
    return any(due is not None and due < known.received_at for due, _ in timers.values())


def _at(row: Row) -> datetime:
    return time_of(json.loads(row.public)["at"])


def _pending(known: Known) -> Pending:
    return Pending(known.game_id, known.sender_id, known.key, known.submission_id, known.content, known.received_at)


def _refusal(stream: Stream, known: Known) -> str | None:
    change = Change(stream, stream)
    settle(change, _pending(known), max(known.received_at, stream.head.at))
    return change.settled[0].refusal

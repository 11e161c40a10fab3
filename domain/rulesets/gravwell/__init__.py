"""Gravwell: a race out of a black hole, where every ship is moved by the pull of the others."""

from dataclasses import replace

from domain.ruleset import Ruleset
from domain.rulesets.gravwell import rules_1
from domain.rulesets.gravwell.board import SEATS
from domain.rulesets.gravwell.bot import advise
from domain.rulesets.gravwell.commands import COMMANDS, Command
from domain.rulesets.gravwell.events import EVENTS, Event
from domain.rulesets.gravwell.options import Options
from domain.rulesets.gravwell.rules import REASONS, REFUSALS, awaiting, decide, lapse, legal, outcome, start
from domain.rulesets.gravwell.state import State, evolve
from domain.rulesets.gravwell.view import GravwellView, narrate, view

RULESET: Ruleset[State, Command, Event, GravwellView] = Ruleset(
    name="gravwell",
    title="Gravwell",
    version=2,
    summary="A race out of a black hole for two to four: secret fuel, played in the order of the alphabet.",
    seats=SEATS,
    options=Options,
    commands=COMMANDS,
    events=EVENTS,
    view_type=GravwellView,
    refusals=REFUSALS,
    start=start,
    decide=decide,
    lapse=lapse,
    evolve=evolve,
    awaiting=awaiting,
    legal=legal,
    outcome=outcome,
    view=view,
    narrate=narrate,
    reasons=REASONS,
    advise=advise,
)

RULESETS = (
    replace(
        RULESET,
        version=1,
        refusals=rules_1.REFUSALS,
        start=rules_1.start,
        decide=rules_1.decide,
        lapse=rules_1.lapse,
        awaiting=rules_1.awaiting,
        legal=rules_1.legal,
        outcome=rules_1.outcome,
        reasons=rules_1.REASONS,
    ),
    RULESET,
)

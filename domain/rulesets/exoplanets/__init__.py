"""Exoplanets with Gravity: planets around a dying Star, life on them, and whose life it is."""

from domain.ruleset import Ruleset
from domain.rulesets.exoplanets.board import SEATS
from domain.rulesets.exoplanets.bot import advise
from domain.rulesets.exoplanets.commands import COMMANDS, Command
from domain.rulesets.exoplanets.events import EVENTS, Event
from domain.rulesets.exoplanets.narrate import narrate
from domain.rulesets.exoplanets.options import Options
from domain.rulesets.exoplanets.rules import REASONS, REFUSALS, awaiting, decide, lapse, legal, outcome, start
from domain.rulesets.exoplanets.state import State, evolve
from domain.rulesets.exoplanets.view import ExoplanetsView, view

RULESET: Ruleset[State, Command, Event, ExoplanetsView] = Ruleset(
    name="exoplanets",
    title="Exoplanets",
    version=1,
    summary="Planets, life and species around a dying Star for two to four, with Gravity to bend what others laid.",
    seats=SEATS,
    options=Options,
    commands=COMMANDS,
    events=EVENTS,
    view_type=ExoplanetsView,
    refusals=REFUSALS,
    reasons=REASONS,
    start=start,
    decide=decide,
    lapse=lapse,
    evolve=evolve,
    awaiting=awaiting,
    legal=legal,
    outcome=outcome,
    view=view,
    narrate=narrate,
    advise=advise,
)

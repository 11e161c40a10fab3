"""NovaGravity: a duel of two fleets around a star, on hexes with three axes."""

from domain.ruleset import Ruleset
from domain.rulesets.novagravity.board import Ending
from domain.rulesets.novagravity.bot import advise
from domain.rulesets.novagravity.commands import COMMANDS, Command
from domain.rulesets.novagravity.events import EVENTS, Event
from domain.rulesets.novagravity.options import Options
from domain.rulesets.novagravity.refusals import REFUSALS
from domain.rulesets.novagravity.rules import awaiting, decide, lapse, legal, outcome, resign, start
from domain.rulesets.novagravity.state import State, evolve
from domain.rulesets.novagravity.view import NovagravityView, narrate, view

RULESET: Ruleset[State, Command, Event, NovagravityView] = Ruleset(
    name="novagravity",
    title="NovaGravity",
    version=1,
    summary="A duel of two fleets around a star: destroy the enemy Mother Ship, and mind the black holes.",
    seats=(2,),
    options=Options,
    commands=COMMANDS,
    events=EVENTS,
    view_type=NovagravityView,
    refusals=REFUSALS,
    reasons=tuple(ending.lower() for ending in Ending),
    start=start,
    decide=decide,
    lapse=lapse,
    evolve=evolve,
    awaiting=awaiting,
    legal=legal,
    outcome=outcome,
    view=view,
    narrate=narrate,
    resign=resign,
    advise=advise,
)

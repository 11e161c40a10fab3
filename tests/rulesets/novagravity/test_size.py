"""A folded duel is small, however long it has gone on."""

import pickle

import pytest

from domain.chance import draws_from
from domain.ruleset import Setup
from domain.rulesets.novagravity import RULESET
from domain.rulesets.novagravity.options import Options
from tests.rulesets.novagravity.duels import fold


@pytest.mark.parametrize("seed", range(2))
def test_after_500_random_actions_it_takes_less_than_ten_kilobytes(seed: int) -> None:
    draws = draws_from(seed.to_bytes(32, "big"))
    chance = draws("game")
    state = fold(RULESET.start(Setup(2, Options()), draws))
    sizes = [0]
    for _ in range(500):
        legal = RULESET.legal(state, state.to_act)
        if not legal:
            break
        state = fold(RULESET.decide(state, state.to_act, legal[chance.below(len(legal))], draws), state)
        sizes.append(len(pickle.dumps(state)))
    assert max(sizes) < 10_000

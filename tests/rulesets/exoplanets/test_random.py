"""Random games: nothing is made or lost, and everything there is happens; and the house bot beats who plays so."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from hypothesis import example, given, settings
from hypothesis import strategies as st

from domain.chance import Draw, Draws, draws_from
from domain.ruleset import Setup
from domain.rulesets.exoplanets import RULESET
from domain.rulesets.exoplanets.board import CUBES, NUMBERS, SPECIES, Special
from domain.rulesets.exoplanets.commands import COMMANDS, Command, CreateLife, ResolveCreation, Undo
from domain.rulesets.exoplanets.crystals import NOTHING, Crystals
from domain.rulesets.exoplanets.events import EVENTS, EffectUsed, Event, SpecialFired, TileAttached, TurnStarted
from domain.rulesets.exoplanets.options import Options
from domain.rulesets.exoplanets.planets import PLANETS
from domain.rulesets.exoplanets.state import State, Survey, after
from domain.rulesets.exoplanets.tiles import TILES, Effect

GAMES = 16

RARE: Final = ((4, 21), (2, 4), (2, 71))
"""Seats and seeds of games in which even the rarest things happen."""

OPTIONS = st.builds(Options, gravity=st.sampled_from([True, True, True, False]))


def seeded(seed: int) -> Draws:
    return draws_from(seed.to_bytes(32, "big"))


def random_game(setup: Setup, seed: int) -> Iterator[tuple[Command | None, tuple[Event, ...], State]]:
    """A game of seats that choose by lot what to do, and then how; they like to go on with life they have begun."""
    draws = seeded(seed)
    chance = draws("random play")
    formed, *dealt = RULESET.start(setup, draws)
    state = after(RULESET.evolve(None, formed), dealt)
    yield None, (formed, *dealt), state
    while RULESET.outcome(state) is None:
        command = any_command(state, chance)
        happened = RULESET.decide(state, state.active, command, draws)
        state = after(state, happened)
        yield command, happened, state


def any_command(state: State, chance: Draw) -> Command:
    own = RULESET.view(state, state.active).own
    assert own is not None
    if own.can_undo and not chance.below(5):
        return Undo()
    legal = RULESET.legal(state, state.active)
    kinds = sorted({type(command).__name__ for command in legal})
    kind = kinds[chance.below(len(kinds))]
    if kind == "EndTurn":  # once more: there is more to see in a turn that is used
        kind = kinds[chance.below(len(kinds))]
    alike = [command for command in legal if type(command).__name__ == kind]
    begun = [
        command
        for command in alike
        if isinstance(command, CreateLife | ResolveCreation)
        and state.place(command.ray, command.orbit).life[state.active]
    ]
    chosen = begun if begun and chance.below(4) else alike
    return chosen[chance.below(len(chosen))]


def assert_conserved(state: State, seats: int, options: Options) -> None:
    numbers = NUMBERS[seats]
    piles = [state.cloud, *(player.crystals for player in state.players)]
    assert sum(piles, Crystals(energy=state.star)) == Crystals(energy=37, gas=17, water=17)
    assert all(pile.covers(NOTHING) for pile in piles)

    markers = [player.gravity for player in state.players]
    assert state.gravity_pool + sum(markers) == (numbers.gravity_pool if options.gravity else 0)
    assert min(state.gravity_pool, *markers) >= 0

    places = [place for ray in state.system.rays for place in ray]
    assert sorted(tiles_of(state)) == sorted(TILES)
    assert sorted(planets_of(state)) == sorted(PLANETS)
    for seat in state.seats:
        assert sum(place.life[seat] for place in places) <= CUBES
        assert sum(place.species == seat for place in places) <= SPECIES
        seen = RULESET.view(state, None).seats[seat]
        assert seen.cubes_left + sum(place.life[seat] for place in places) == CUBES
        assert seen.species_left + sum(place.species == seat for place in places) == SPECIES
    for place in places:
        assert all(0 <= cubes <= 3 for cubes in place.life)
        assert place.planet or not (any(place.life) or place.under or place.species is not None)
        assert place.species is None or not any(place.life)
    for ray in state.system.rays:
        standing = [place.planet is not None for place in ray]
        assert standing == sorted(standing, reverse=True), "a gap between planets"
    for special in Special:
        assert (state.discs[special] == 0) == (state.pending is special)
        assert state.discs[special] <= numbers.discs[special]


def tiles_of(state: State) -> list[str]:
    places = [place for ray in state.system.rays for place in ray]
    return [
        *(str(tile) for tile in state.stack),
        *(str(tile) for player in state.players for tile in player.hand),
        *(claim.tile for player in state.players for claim in player.claims),
        *state.discard,
        *(str(place.face_down) for place in places if place.face_down is not None),
        *(place.under.tile for place in places if place.under is not None),
        *(str(tile) for tile in (state.pending.seen if isinstance(state.pending, Survey) else ())),
    ]


def planets_of(state: State) -> list[str]:
    return [
        *(str(planet) for planet in state.bag),
        *(planet for pile in state.reserves for planet in pile),
        *state.drawn,
        *(place.planet for ray in state.system.rays for place in ray if place.planet is not None),
        *state.lost_planets,
    ]


def test_nothing_is_made_or_lost_whatever_happens_and_all_of_it_does() -> None:
    happened: Counter[str] = Counter()

    @settings(max_examples=GAMES, deadline=None, derandomize=True)
    @given(table=st.tuples(st.sampled_from(RULESET.seats), st.integers(0, 2**32 - 1)), options=OPTIONS)
    @example(table=RARE[0], options=Options())
    @example(table=RARE[1], options=Options())
    @example(table=RARE[2], options=Options())
    def play(table: tuple[int, int], options: Options) -> None:
        seats, seed = table
        turns: Counter[int] = Counter()
        placed = 0
        for command, events, state in random_game(Setup(seats, options), seed):
            assert_conserved(state, seats, options)
            turns.update(event.seat for event in events if isinstance(event, TurnStarted))
            placed += sum(type(event).__name__ == "PlanetPlaced" for event in events)
            assert state.star == 5 * seats - placed
            happened.update(name for event in events for name in names_of(event))
            happened[type(command).__name__] += 1
        assert turns == dict.fromkeys(range(seats), 5)

    play()
    expected = {kind.__name__ for kind in (*EVENTS, *COMMANDS)} | set(Effect) | set(Special)
    expected.discard("PlaceOnlyDrawn")  # the bag never runs so low in a whole game
    assert not expected - happened.keys()


def names_of(event: Event) -> Iterator[str]:
    """The kind of an event, and the effect or special event that it stands for."""
    yield type(event).__name__
    if isinstance(event, EffectUsed | TileAttached):
        yield TILES[event.tile].effect
    if isinstance(event, SpecialFired):
        yield event.special


def test_the_house_bot_beats_random_play_in_18_of_20_games() -> None:
    won = 0
    for seed in range(20):
        bot = seed % 2
        draws = seeded(seed)
        chance = draws("random play")
        formed, *dealt = RULESET.start(Setup(2, Options()), draws)
        state = after(RULESET.evolve(None, formed), dealt)
        while (outcome := RULESET.outcome(state)) is None:
            legal = RULESET.legal(state, state.active)
            if state.active == bot:
                assert RULESET.advise is not None
                command = RULESET.advise(RULESET.view(state, bot), legal, draws)
                assert command in legal
            else:
                command = legal[chance.below(len(legal))]
            state = after(state, RULESET.decide(state, state.active, command, draws))
        won += outcome.ranking[0] == (bot,)
    assert won >= 18

"""What the two verifiers must say alike of one random game: while it goes on, and once it has ended."""

from domain.auditing import audit, opened_secret
from domain.bundle import Bundle, read
from domain.catalogue import AnyRuleset
from domain.stream import opened
from service.verifying import verify
from tests.verifier import second
from tests.verifier.games import Written, random_game, random_practice


def agree(ruleset: AnyRuleset, number: int) -> Written:
    """Play a random game and have both verify it; gives the game. Raises AssertionError where they differ.

    Each fifth is a practice game.
    """
    game = random_practice(ruleset, number) if number % 5 == 4 else random_game(ruleset, number)
    pauses = [game.up_to(pause) for pause in game.pauses]
    for written in (game, *pauses[number % max(len(pauses), 1) :][:1]):
        data = written.bundle()
        first, other = read(data), second.found_in(data)
        verified = verify(first)
        assert (other.game, other.events, other.head) == (str(verified.game), verified.events, verified.head)
        assert other.openings == openings(first, written)
        secret = opened_secret(first.events)
        assert other.secret == (secret and secret.hex())
        assert other.seed == (secret and audit(first.events, secret).seed(secret).hex())
        assert other.ending == (
            verified.outcome and (verified.outcome.reason, [list(tie) for tie in verified.outcome.ranking])
        )
        assert verified.judged == written.ended
    return game


def openings(bundle: Bundle, written: Written) -> tuple[second.Opening, ...]:
    """What the service opens to everybody once a game has ended: `Event.opened` of the API."""
    return tuple(
        second.Opening(event.row.version, field, one["value"], one["salt"])
        for event in bundle.events
        for field, one in opened(event.row, written.secret, None, ended=written.ended).items()
    )

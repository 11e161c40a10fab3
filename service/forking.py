"""What a game that is over had come to at a version: the beginning of a practice game."""

from collections.abc import Callable, Sequence
from datetime import datetime

from domain import game as games
from domain.game import Decision, ForkGame, Status
from domain.ruleset import Refused
from domain.stream import Row
from service.codec import codec_of
from service.overrun import Overrun, limited
from service.redeciding import decided
from service.seen import Visibility
from service.streams import FOLD_SECONDS_MAX, GameRow

Deciding = Callable[[bytes, str, datetime], Decision]
"""From a new game's secret, the hash of that in hex, and the time, to its first decision. Raises Refused."""


def forking(command: ForkGame, row: GameRow, tail: Sequence[Row]) -> Deciding:
    """How a practice game begins that leaves this game, whose whole stream is `tail`, at a version. Raises Refused.

    A version in the middle of a decision stands for the end of the decision before it.
    """
    if row.status != Status.ENDED:
        raise Refused("NOT_OVER")
    try:
        with limited(FOLD_SECONDS_MAX):
            decisions = list(decided(codec_of(row.ruleset, row.rules), tail))
    except (Exception, Overrun):  # noqa: BLE001 - it was set aside for that, and ended by an operator
        raise Refused("DOES_NOT_FOLD") from None
    running = [one.after for one in decisions if one.after.status is Status.RUNNING]
    if not running:
        raise Refused("NOT_STARTED")
    least, most = running[0].version, running[-1].version
    if not least <= command.at <= most:
        raise Refused("VERSION_OUT_OF_RANGE", least=least, most=most)
    source = max((game for game in running if game.version <= command.at), key=lambda game: game.version)
    past = games.past_of(event for one in decisions if one.after.version <= source.version for event in one.events)
    head = tail[source.version - 1].hash.hex()
    return lambda secret, digest, now: games.fork_game(command, source, head, past, secret, digest, now)


def visibility_of_fork(source: GameRow) -> Visibility:
    """Who may see a practice game: those who have its id, or, as it tells what happened there, whom its source lets."""
    return Visibility.PRIVATE if source.visibility == Visibility.PRIVATE else Visibility.UNLISTED

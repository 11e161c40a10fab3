"""What can be measured of a process, for Prometheus: how long the stages of a turn take, and how things stand."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Final, Literal

from prometheus_client import CollectorRegistry, Gauge, Histogram, generate_latest

Stage = Literal["turn", "receive", "decide", "write", "quick"]
"""`turn` is all of it, from its arrival at the writer to its receipt. It is decided and written in one statement
(`decide`, `quick`), or the ordinary way (`receive`, `decide`, `write`)."""

STAGES: Final[tuple[Stage, ...]] = ("turn", "receive", "decide", "write", "quick")
BUCKETS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

REGISTRY: Final = CollectorRegistry()

_stages = Histogram(
    "slowlight_turn_stage_seconds", "How long a stage of a turn takes.", ["stage"], buckets=BUCKETS, registry=REGISTRY
)
_timers: Final[Mapping[Stage, Histogram]] = MappingProxyType({stage: _stages.labels(stage) for stage in STAGES})

_GAUGES: Final = MappingProxyType(
    {
        "database_up": "Whether the database answers, 1 or 0.",
        "inbox_age_seconds": "How long the oldest pending submission has waited.",
        "timer_overdue_seconds": "How long ago the oldest timer that has not fired was due.",
        "quarantined_games": "Games set aside because of a bug.",
        "followers": "Followers of games in this process.",
        "follower_lag_versions": "How many versions the follower furthest behind has not taken.",
        "pool_connections": "Connections to the database that questions are answered from.",
        "pool_connections_idle": "Those of them that nobody uses.",
        "pool_requests_waiting": "Questions that wait for one.",
    }
)
_gauges = {name: Gauge(f"slowlight_{name}", text, registry=REGISTRY) for name, text in _GAUGES.items()}


def timed(stage: Stage) -> AbstractContextManager[object]:
    """Measure what is done within as a stage of a turn."""
    return _timers[stage].time()


def exposition(standing: Mapping[str, float]) -> bytes:
    """The text that Prometheus reads; `standing` is how things stand now, by the names of the gauges."""
    for name, gauge in _gauges.items():
        gauge.set(standing.get(name, float("nan")))
    return generate_latest(REGISTRY)

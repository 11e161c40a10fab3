"""Builds of the service that are broken on purpose, for the checker to catch.

Each changes a few words of a statement, or one function, in the process that is that build. Where a change finds no
longer what it is to change, it fails: then the build must be broken anew.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

import service.main  # noqa: F401 - all of the service is loaded here, once for all processes
from domain.rulesets.gravwell import RULESET
from domain.rulesets.gravwell.events import StackDrafted
from service import store
from tests.simulation.nursery import SOUND

LATCH: Final = 7
"""The advisory lock at which a broken claim waits between its snapshot and its locks."""

POISONED_STACK: Final = 1
"""The stack whose draft a broken reducer does not survive."""

Changes = Mapping[str, Mapping[str, str]]
"""Statement -> words -> what they become; "" stands for the whole statement."""

NO_KEY_CHECK: Final[Changes] = {
    "receive": {
        """where not exists (
        select from submissions s where s.game_id = i.game_id and s.sender_id = i.sender_id and s.key = i.key
    )""": ""
    },
    "quick": {
        "and g.game_id not in (select game_id from known)": "",
    },
}
"""A known key is received again. The database must be without its unique key, too."""

CLAIM_WITHOUT_LOCK: Final[Changes] = {
    "lock": {"for update skip locked": ""},
    "quick": {"for update of g skip locked": ""},
}
"""Two processes decide the same game at once."""

CLAIM_AND_READ: Final[Changes] = {
    "lock": {
        "": """
with latch as materialized (
    select case when exists (
        select from submissions s where s.game_id = any(%(games)s) and s.status = 'PENDING'
    ) then pg_advisory_xact_lock_shared(7)::text end as opened
),
claimed as materialized (
    select g.game_id from games g cross join latch where g.game_id = any(%(games)s)
    order by g.game_id for update of g skip locked
)
select game_id from claimed where set_config('broken.queued', (
    select coalesce(json_agg(s), '[]')::text from submissions s
    where s.game_id in (select game_id from claimed) and s.status = 'PENDING'
), true) is not null
"""
    },
    "pending": {
        "": """
select game_id, sender_id, key, submission_id, content, received_at
from json_to_recordset(current_setting('broken.queued', true)::json) as s (
    game_id uuid, sender_id uuid, key text, submission_id uuid, content text, received_at timestamptz
)
where %(taken_max)s > 0 and game_id = any(%(games)s)
"""
    },
    "write": {
        "and s.submission_id = o.submission_id and s.status = 'PENDING'": "and s.submission_id = o.submission_id",
    },
}
"""What is pending is read by the statement that claims, as of before it waited; and what was read is believed."""

LAPSE_WITHOUT_FENCE: Final[Changes] = {
    "past_fence": {"and t.fence <= pg_snapshot_xmin(pg_current_snapshot())": ""},
}
"""A lapse does not wait for transactions that began before its deadline."""


def break_as(build: str) -> None:
    """Break the service in this process as the name of a build says."""
    BUILDS[build]()


def _said_otherwise(changes: Changes) -> Callable[[], None]:
    def apply() -> None:
        sound = store.sql

        def sql(name: str) -> Any:
            text: str = sound(name)
            for old, new in changes.get(name, {}).items():
                assert old in text, f"{name}.sql says no longer: {old}"
                text = text.replace(old, new) if old else new
            return text

        store.sql = sql  # type: ignore[assignment]

    return apply


def _publish_before_commit() -> None:
    """Whoever waits is answered, and hints go out, while the transaction is still open."""
    seconds, sound = 0.3, store.rows

    async def rows(connection: Any, name: str, *rest: Any) -> Any:
        if name != "quick":
            return await sound(connection, name, *rest)
        await connection.execute("begin")
        found = await sound(connection, name, *rest)
        loop = asyncio.get_running_loop()
        loop.call_later(seconds, lambda: loop.create_task(connection.execute("commit")))
        return found

    store.rows = rows  # type: ignore[assignment]


def _reducer_raises() -> None:
    """One title's reducer does not survive one of its events."""
    sound = RULESET.evolve

    def evolve(state: Any, event: Any) -> Any:
        if isinstance(event, StackDrafted) and event.stack == POISONED_STACK:
            raise ZeroDivisionError("this message must stay where it is")
        return sound(state, event)

    object.__setattr__(RULESET, "evolve", evolve)


BUILDS: Final[Mapping[str, Callable[[], None]]] = {
    SOUND: lambda: None,
    "no key check": _said_otherwise(NO_KEY_CHECK),
    "claim without lock": _said_otherwise(CLAIM_WITHOUT_LOCK),
    "claim and read in one statement": _said_otherwise(CLAIM_AND_READ),
    "lapse without the fence": _said_otherwise(LAPSE_WITHOUT_FENCE),
    "publish before commit": _publish_before_commit,
    "a reducer that raises": _reducer_raises,
}

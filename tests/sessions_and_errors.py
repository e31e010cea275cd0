"""Sessions and error events of releases whose true rates are known, as rows of raw."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

import numpy as np

from errata.warehouse.roles import Role
from tests.builders import an_error_event, insert
from tests.page_loads import RELEASED, Row
from tests.processes import WarehouseProcess

USERS = 300


def sessions(
    release: str, since: datetime, count: int, seed: int, users: int = USERS, project_id: int = 7
) -> list[Row]:
    """A state of each session over a week, all of identified users."""
    generator = np.random.default_rng([seed, 1])
    return [
        {
            "project_id": project_id,
            "release": release,
            "environment": "production",
            "occurred_at": since + timedelta(seconds=float(generator.uniform(1, 7 * 86_400 - 1))),
            "item_id": UUID(int=seed * 1_000_000 + number),
            "session_id": UUID(int=seed * 1_000_000 + number),
            "user_hash": number % users + 1 if users else 0,
            "status": "exited",
            "session_count": 1,
        }
        for number in range(count)
    ]


def errors(release: str, since: datetime, users: Sequence[int], seed: int, project_id: int = 7) -> list[Row]:
    """An error event for each user named, over a week."""
    generator = np.random.default_rng([seed, 2])
    return [
        an_error_event(
            project_id=project_id,
            release=release,
            environment="production",
            item_id=UUID(int=seed * 1_000_000 + number),
            user_hash=user,
            occurred_at=since + timedelta(seconds=float(generator.uniform(1, 7 * 86_400 - 1))),
        )
        for number, user in enumerate(users)
    ]


def deliver_sessions_and_errors(
    warehouse: WarehouseProcess, before: int, after: int, project_id: int = 7
) -> None:
    """1,500 sessions each of shop@1.0, a week before RELEASED, and shop@1.1, with so many errors of users."""
    ingest = warehouse.client(Role.INGEST)
    earlier = RELEASED - timedelta(days=7)
    for release, since, count, seed in (("shop@1.0", earlier, before, 3), ("shop@1.1", RELEASED, after, 5)):
        users = [number % USERS + 1 for number in range(count)]
        insert(ingest, "errata_raw.sessions", sessions(release, since, 1500, seed, project_id=project_id))
        insert(ingest, "errata_raw.error_events", errors(release, since, users, seed + 1, project_id))
    ingest.close()

"""Page loads of releases whose true difference is known, as rows of raw."""

from datetime import UTC, datetime, timedelta
from math import exp
from typing import Any
from uuid import UUID

import numpy as np

from errata.warehouse.roles import Role
from tests.builders import insert
from tests.mart_builds import build_page_metrics
from tests.processes import WarehouseProcess

RELEASED = datetime.now(UTC).replace(hour=9, minute=30, second=0, microsecond=0) - timedelta(days=9)
Row = dict[str, Any]


def loads(
    release: str, since: datetime, count: int, factor: float = 1.0, seed: int = 1, project_id: int = 7
) -> list[Row]:
    """Page loads spread over a week, of two pages and devices, each with LCP in a part of its own."""
    generator = np.random.default_rng([seed, len(release)])
    rows: list[Row] = []
    moments = generator.uniform(0, 7 * 86_400 - 1, count).tolist()
    choices = generator.integers(0, 2, (count, 2)).tolist()
    noise = generator.normal(0, 0.4, count).tolist()
    for number in range(count):
        occurred_at = since + timedelta(seconds=moments[number])
        is_cart, is_mobile = choices[number]
        page, device = ("/", "/cart")[is_cart], ("desktop", "mobile")[is_mobile]
        load_ms = exp(7 + is_mobile * 0.5 + is_cart * 0.3 + noise[number])
        started = occurred_at.timestamp() * 1000
        view: Row = {
            "project_id": project_id,
            "view_id": seed * 10_000_000 + number + 1,
            "occurred_at": occurred_at,
            "received_at": occurred_at + timedelta(seconds=5),
            "trace_id": UUID(int=1),
            "page": page,
            "environment": "production",
            "release": release,
            "device": device,
            "user_hash": number % 50,
        }
        rows.append(
            view
            | {
                "item_id": UUID(bytes=generator.bytes(16)),
                "is_load": True,
                "navigation_type": "navigate",
                "started_at_ms": started,
                "load_at_ms": started + round(load_ms * factor, 1),
            }
        )
        rows.append(
            view
            | {"item_id": UUID(bytes=generator.bytes(16)), "is_load": False, "lcp_ms": round(load_ms / 2, 1)}
        )
    return rows


def deliver(warehouse: WarehouseProcess, *batches: list[Row]) -> None:
    ingest = warehouse.client(Role.INGEST)
    for batch in batches:
        insert(ingest, "errata_raw.page_views", batch)
    ingest.close()
    build_page_metrics(warehouse)

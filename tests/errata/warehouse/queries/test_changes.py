from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from errata.warehouse.queries.changes import TRUSTED_FOR_SECONDS, Changes
from errata.warehouse.roles import Role
from tests.builders import a_mapping, an_error_event, an_issue_action, insert
from tests.processes import WarehouseProcess

A_BUNDLE = {"project_id": 7, "bundle_id": "0b6f5f0e-8f6e-4a57-9f3c-3f1d7d1f6a11", "release": "shop@1.0"}


@pytest.mark.slow
def test_a_probe_tells_whether_anything_came_in_or_was_decided(warehouse: WarehouseProcess) -> None:
    ingest, seconds = warehouse.client(Role.INGEST), [0.0]
    changes = Changes(warehouse.client(Role.READ), lambda: seconds[0])
    late = an_error_event(occurred_at=datetime.now(UTC) - timedelta(days=1))
    steps: dict[str, Callable[[], object]] = {
        "an event": lambda: insert(ingest, "errata_raw.error_events", [an_error_event()]),
        "an event of yesterday": lambda: insert(ingest, "errata_raw.error_events", [late]),
        "a decision": lambda: insert(ingest, "errata_raw.issue_actions", [an_issue_action()]),
        "a mapping": lambda: insert(ingest, "errata_raw.variant_issues", [a_mapping()]),
        "an upload": lambda: insert(ingest, "errata_raw.source_bundles", [A_BUNDLE]),
        "time": lambda: seconds.append(seconds.pop() + TRUSTED_FOR_SECONDS),
    }
    first = changes.probe([7])
    assert first is not None
    changes.note(first)
    for name, step in steps.items():
        assert changes.probe([7]) is None, name
        step()
        seen = changes.probe([7])
        assert seen is not None, name
        # Until it is noted, what was to be done may have failed.
        assert changes.probe([7]) is not None, name
        changes.note(seen)
    assert changes.probe([7]) is None
    assert changes.probe([7, 8]) is not None
    assert changes.probe([7], "another hour") is not None


def test_what_comes_in_between_a_probe_and_its_note_is_seen_at_the_next(warehouse: WarehouseProcess) -> None:
    changes = Changes(warehouse.client(Role.READ))
    probe = changes.probe([7])
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", [an_error_event()])
    assert probe is not None
    changes.note(probe)
    assert changes.probe([7]) is not None

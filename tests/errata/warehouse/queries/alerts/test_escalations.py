from collections.abc import Sequence

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.alerts.escalations import Judgement, escalations
from errata.warehouse.queries.alerts.events import Sighting
from tests.builders import insert
from tests.errata.warehouse.queries.alerts.received import BEGIN, HOUR, MINUTE, events_of, received


def double_the_most(hours: Sequence[int], count: int, hour: int) -> int | None:
    return 2 * max(hours) if hours and count > 2 * max(hours) else None


JUDGEMENT = Judgement(double_the_most, history_hours=3, least=1)


@pytest.mark.usefixtures("issues")
def test_an_hour_escalates_with_the_event_over_what_the_hours_before_let_expect(
    ingest: Warehouse, read: Warehouse
) -> None:
    # Nine in the hour that is too long ago to learn from; then one an hour, and four of two variants.
    history = [
        *(received(1, minute) for minute in range(9)),
        received(1, 65),
        received(2, 125),
        received(1, 185),
    ]
    burst = [received(1, 241), received(2, 242), received(1, 250), received(1, 255)]
    insert(
        ingest,
        "errata_raw.error_events",
        [
            *history,
            *burst,
            # Twice as many as the hour before are none too many.
            *(received(3, minute) for minute in (181, 242, 243)),
            *(received(3, 244, project_id=8) for _ in range(9)),
        ],
    )
    # A copy, in another hour too, is no event of its own.
    insert(
        ingest,
        "errata_raw.error_events",
        [
            {**burst[0], "received_at": BEGIN + 243 * MINUTE},
            {**history[-1], "received_at": BEGIN + 244 * MINUTE},
        ],
    )
    since, until = BEGIN + 4 * HOUR, BEGIN + 5 * HOUR
    hour = int(since.timestamp()) // 3600
    passed = Sighting(101, BEGIN + 250 * MINUTE, 4, str(hour))
    assert escalations(events_of(read), JUDGEMENT, since, until) == [passed]
    # Told of once: with the span that the event came in.
    assert escalations(events_of(read), JUDGEMENT, BEGIN + 251 * MINUTE, until) == []
    assert escalations(events_of(read), JUDGEMENT, since, BEGIN + 250 * MINUTE) == []
    assert escalations(events_of(read, "level:fatal"), JUDGEMENT, since, until) == []
    at_least_five = Judgement(double_the_most, history_hours=3, least=5)
    assert escalations(events_of(read), at_least_five, since, until) == []

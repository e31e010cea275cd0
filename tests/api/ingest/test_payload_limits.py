"""Payloads of a variant are limited by minute, each variant and project for itself."""

from datetime import UTC, datetime, timedelta

from api.ingest.payload_limits import PayloadLimits

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)


def test_each_variant_has_its_payloads_in_each_minute() -> None:
    limits = PayloadLimits()

    def admitted(variant_hash: int, at: datetime, project_id: int = 1) -> int:
        return sum(limits.admits(project_id, variant_hash, 2, at) for _ in range(5))

    assert admitted(7, NOON) == 2
    assert admitted(7, NOON + timedelta(seconds=59)) == 0
    assert admitted(8, NOON + timedelta(seconds=59)) == 2
    assert admitted(7, NOON, project_id=2) == 2
    assert admitted(7, NOON + timedelta(seconds=60)) == 2
    # A batch received before another, and prepared after it, counts in the present minute.
    assert admitted(7, NOON) == 0

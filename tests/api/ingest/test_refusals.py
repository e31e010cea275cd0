"""Deliveries refused as a whole are known to pages and REST, also where nothing else arrives."""

from collections import Counter

import pytest

import api.ingest.accept
from api.ingest.rate import MOST_REFUSED, LineRate, Refused
from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_deliver import a_line
from tests.api.ingest.test_limits import limit, refused
from tests.api.ingest.test_services import organization


def test_a_replaced_api_key_is_recorded_for_the_project_at_once(node: IngestNode) -> None:
    node.store.keys.api.regenerate(organization(node), actor="x")
    assert node.deliver(a_line())[0] == 401
    assert refused(node) == [("", "invalid_api_key", 1)]
    # What repeats is counted, and recorded together with what comes later.
    assert node.deliver(a_line())[0] == 401
    assert refused(node) == [("", "invalid_api_key", 1)]


def test_a_key_that_was_never_ours_is_recorded_for_nobody(node: IngestNode) -> None:
    for key in ("errata_api_" + "x" * 40, "nonsense", "ключ"):
        assert node.deliver(a_line(), Authorization=f"Bearer {key}".encode().decode("latin-1"))[0] == 401
    assert refused(node) == []


def test_a_revoked_application_key_is_recorded_for_its_project(node: IngestNode) -> None:
    other = node.store.projects.create(organization(node), "Other", actor="x")
    key = node.store.keys.app.create(organization(node), other.project.slug, "worker", actor="x")
    node.store.keys.app.revoke(organization(node), other.project.slug, key.id, actor="x")
    assert node.deliver(a_line(), X_Errata_App_Key=key.key)[0] == 404
    found = node.admin.rows("select project_id, outcome, item_count from errata_raw.outcomes")
    assert [tuple(row.values()) for row in found] == [(other.project.id, "application_not_found", 1)]


def test_a_limit_that_lets_nothing_through_is_recorded(
    node: IngestNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api.ingest.accept, "REFUSALS_RECORDED_EVERY_SECONDS", 0.0)
    limit(node, "", 1)
    assert node.deliver(a_line() * 2)[0] == 200
    for _ in range(3):
        assert node.deliver(a_line() * 2, X_Errata_Source="host=web-1")[0] == 429
    assert refused(node) == [("", "project_rate_limited", 3)]
    assert node.admin.rows("select distinct host from errata_raw.outcomes") == [{"host": "web-1"}]


def test_refusals_of_very_many_hosts_are_counted_without_them(node: IngestNode) -> None:
    rate = LineRate(node.store.token_buckets, lines_per_minute=60)
    rate.give_back(
        1, Counter(Refused("rate_limited", host=str(number)) for number in range(MOST_REFUSED + 5))
    )
    found = rate.take_refused(1)
    assert len(found) == MOST_REFUSED + 1 and found[Refused("rate_limited")] == 5


def test_refusals_that_cannot_be_recorded_are_answered_as_such(
    node: IngestNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api.ingest.accept, "REFUSALS_RECORDED_EVERY_SECONDS", 0.0)
    assert node.deliver(a_line(), X_Errata_App_Key="errata_app_" + "x" * 40)[0] == 404
    node.admin.execute("rename table errata_raw.outcomes to errata_raw.outcomes_away")
    try:
        assert node.deliver(a_line(), X_Errata_App_Key="errata_app_" + "x" * 40)[0] == 404
    finally:
        node.admin.execute("rename table errata_raw.outcomes_away to errata_raw.outcomes")
    assert node.deliver(a_line())[0] == 200
    assert refused(node) == [("", "application_not_found", 2)]

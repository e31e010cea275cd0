"""Fingerprints of stored events, asked for only where an issue has them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from errata.importing.fingerprints import Fingerprints, custom
from errata.importing.sentry import Sentry, sentry_exchange
from tests.cases import each
from tests.sentry_server import ORGANIZATION, TOKEN, SentryServer, recorded_occurrences, running_sentry

UNTIL = datetime(2026, 11, 21, tzinfo=UTC)


@each(
    "stored, fingerprint",
    [
        ({}, []),
        ({"fingerprint": None}, []),
        ({"fingerprint": ["{{ default }}"]}, []),
        ({"fingerprint": ["{{default}}"]}, []),
        ({"fingerprint": ["{{ default }}", "eu"]}, ["{{ default }}", "eu"]),
        ({"fingerprint": ["checkout"]}, ["checkout"]),
        ({"fingerprint": "checkout"}, []),
        ({"fingerprint": [1, None]}, ["1"]),
    ],
)
def test_a_fingerprint_of_ones_own(stored: dict[str, Any], fingerprint: list[str]) -> None:
    assert custom(stored) == fingerprint


def test_an_issue_without_one_is_asked_about_once() -> None:
    shop = recorded_occurrences(["python_errors"], 6, UNTIL, timedelta(days=9))
    plain = [replace(one, group_id="1") for one in shop[:3]]
    own = [replace(one, payload={**one.payload, "fingerprint": ["eu"]}, group_id="2") for one in shop[3:]]
    server = SentryServer({"shop": [*plain, *own]})
    with running_sentry(server) as http:
        fingerprints = Fingerprints(Sentry(sentry_exchange(http.url, TOKEN), ORGANIZATION), "shop")
        found = [fingerprints.of(one.payload["event_id"], one.group_id) for one in server.occurrences["shop"]]
        assert fingerprints.of("f" * 32, "3") == []
    assert found == [[], [], [], ["eu"], ["eu"], ["eu"]]
    assert server.request_count == 1 + 3 + 1

"""Check-ins by an address alone, and by sentry-cli."""

import json

from tests.api.door.direct_node import DirectNode


def test_a_job_tells_by_its_address_that_it_ended(node: DirectNode) -> None:
    address = f"{node.path('cron/nightly-import/')}{node.account.public_key}"
    answer = node.client.get(f"{address}?status=ok&environment=production&duration=2.5")
    assert (answer.status_code, answer.json()) == (202, {"id": None})
    config = {"schedule": {"type": "crontab", "value": "0 3 * * *"}}
    body = json.dumps({"status": "error", "monitor_config": config}).encode()
    assert node.client.post(f"{address}/", content=body).status_code == 202
    assert [line["type"] for line in node.lines()] == ["check_in", "check_in"]
    rows = node.rows(
        "select monitor_slug, status, environment, duration_ms, config != '' as has_config, host "
        "from errata_raw.check_ins order by status",
        2,
    )
    common = {"monitor_slug": "nightly-import", "host": ""}
    assert [row | common for row in rows] == rows
    assert [(row["status"], bool(row["has_config"])) for row in rows] == [("error", True), ("ok", False)]
    assert (rows[1]["environment"], rows[1]["duration_ms"]) == ("production", 2500)


def test_a_check_in_that_says_too_little_is_refused(node: DirectNode) -> None:
    address = f"{node.path('cron/nightly/')}{node.account.public_key}"
    for query, said in (
        ("", "`status`"),
        ("?status=done", "`status`"),
        ("?status=ok&check_in_id=x", "`check_in_id`"),
        ("?status=ok&duration=long", "`duration`"),
        ("?status=ok&duration=inf", "finite"),
    ):
        answer = node.client.get(address + query)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_envelope"), query
        assert said in answer.json()["detail"]
    wrong = node.client.get(f"{node.path('cron/Not%20a%20slug/')}{node.account.public_key}?status=ok")
    assert wrong.status_code == 400
    assert node.client.get(f"{node.path('cron/nightly/')}errata_public_unknown?status=ok").status_code == 403
    assert node.client.get(f"{node.path('cron/nightly')}?status=ok").status_code == 403
    assert node.client.post(address, content=b"[]").status_code == 400
    assert node.lines() == []


def test_a_key_may_stand_elsewhere(node: DirectNode) -> None:
    for slash in ("", "/"):
        path = f"{node.path('cron/nightly')}{slash}?status=in_progress&sentry_key={node.account.public_key}"
        assert node.client.get(path).status_code == 202

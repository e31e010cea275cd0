"""The activity log over REST: where each entry came from, and its export."""

import csv
import io

import pytest

from api.rest import activity
from tests.api.conftest import CLIENT, Api


def test_an_entry_says_where_it_came_from(api: Api) -> None:
    csrf = api.sign_in()
    api.client.post("/api/api-key/regenerate", headers=csrf)
    told = api.client.get("/api/activity").json()["activity"]
    assert [(entry["action"], entry["address"]) for entry in told][:2] == [
        ("api_key.regenerated", CLIENT),
        ("user.signed_in", CLIENT),
    ]
    assert {entry["address"] for entry in told if entry["actor"] == "first start"} == {""}


def test_the_whole_log_is_exported_as_json_and_csv(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(activity, "ENTRIES_A_READ", 3)
    csrf = api.sign_in()
    for _ in range(5):
        api.client.post("/api/api-key/regenerate", headers=csrf)
    listed = api.client.get("/api/activity?limit=200").json()["activity"]
    answer = api.client.get("/api/activity/export")
    assert len(listed) > 6 and answer.json() == listed
    assert answer.headers["Content-Disposition"] == 'attachment; filename="activity.json"'
    keys = api.client.get("/api/activity/export?kind=api_key&format=csv")
    rows = list(csv.DictReader(io.StringIO(keys.text)))
    assert rows == [
        {name: str(value) for name, value in entry.items()}
        for entry in listed
        if entry["action"].startswith("api_key.")
    ]
    assert api.error(400, "GET", "/api/activity/export?format=xml") == "invalid_parameter"
    assert api.error(400, "GET", "/api/activity/export?kind=nothing") == "invalid_parameter"
    monkeypatch.undo()


def test_an_empty_export_is_a_list(api: Api) -> None:
    assert api.client.get("/api/activity/export?kind=budget", headers=api.key).json() == []
    text = api.client.get("/api/activity/export?kind=budget&format=csv", headers=api.key).text
    assert text == "id,at,action,actor,subject,key_prefix,address\r\n"

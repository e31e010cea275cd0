"""Usage, and setting limits, over REST; what limits do stands beside the tests of deliveries."""

import pytest

from tests.api.conftest import Api

PATH = "/api/projects/web-shop/limits"
NOTHING = {
    "project": "web-shop",
    "service": "",
    "lines_per_minute": None,
    "bytes_per_minute": None,
    "payloads_per_minute": None,
    "spike_protection": False,
    "spike_lines_per_minute": None,
}


def test_a_limit_is_set_and_removed(api: Api) -> None:
    for lines in (600, None):
        answer = api.client.put(PATH, json={"lines_per_minute": lines}, headers=api.key)
        assert answer.status_code == 200
        assert answer.json() == {**NOTHING, "lines_per_minute": lines}


def test_limits_that_are_left_out_stay(api: Api) -> None:
    def put(**sent: object) -> dict[str, object]:
        answer = api.client.put(PATH, json=sent, headers=api.key)
        assert answer.status_code == 200
        found: dict[str, object] = answer.json()
        return found

    put(lines_per_minute=600, bytes_per_minute=5_000_000, payloads_per_minute=10)
    found = put(spike_protection=True)
    said = {"lines_per_minute": 600, "bytes_per_minute": 5_000_000, "payloads_per_minute": 10}
    assert found == {**NOTHING, **said, "spike_protection": True}
    assert put() == found
    assert put(bytes_per_minute=None, spike_protection=False) == {**NOTHING, **said, "bytes_per_minute": None}


@pytest.mark.parametrize(
    "sent",
    [
        {"lines_per_minute": 0},
        {"lines_per_minute": 10**13},
        {"lines_per_minute": "5"},
        {"lines_per_minute": True},
        {"lines_per_minute": 5, "service": "other"},
        {"lines": 5},
        {"bytes_per_minute": 0},
        {"payloads_per_minute": -1},
        {"spike_protection": "maybe"},
    ],
)
def test_a_wrong_limit_is_a_400(api: Api, sent: dict[str, object]) -> None:
    assert api.error(400, "PUT", PATH, json=sent, headers=api.key) == "invalid_parameter"


def test_a_limit_needs_a_key_and_a_known_project(api: Api) -> None:
    sent = {"lines_per_minute": 5}
    assert api.error(401, "PUT", PATH, json=sent) == "invalid_api_key"
    other = api.error(404, "PUT", "/api/projects/other/limits", json=sent, headers=api.key)
    assert other == "project_not_found"

"""Setting limits over REST; what they do stands beside the tests of deliveries."""

import pytest

from tests.api.conftest import Api

PATH = "/api/projects/web-shop/limits"


def test_a_limit_is_set_and_removed(api: Api) -> None:
    for lines in (600, None):
        answer = api.client.put(PATH, json={"lines_per_minute": lines}, headers=api.key)
        assert answer.status_code == 200
        assert answer.json() == {"project": "web-shop", "service": "", "lines_per_minute": lines}


@pytest.mark.parametrize(
    "sent",
    [
        {"lines_per_minute": 0},
        {"lines_per_minute": 10**10},
        {"lines_per_minute": "5"},
        {"lines_per_minute": True},
        {"lines_per_minute": 5, "service": "other"},
        {"lines": 5},
    ],
)
def test_a_wrong_limit_is_a_400(api: Api, sent: dict[str, object]) -> None:
    assert api.error(400, "PUT", PATH, json=sent, headers=api.key) == "invalid_parameter"


def test_a_limit_needs_a_key_and_a_known_project(api: Api) -> None:
    sent = {"lines_per_minute": 5}
    assert api.error(401, "PUT", PATH, json=sent) == "invalid_api_key"
    other = api.error(404, "PUT", "/api/projects/other/limits", json=sent, headers=api.key)
    assert other == "project_not_found"

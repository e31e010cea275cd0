import pytest

from tests.api.conftest import Api


@pytest.mark.parametrize("token", ["ghp_token…", "tök", "two words", "a\x7f", " \t "])
@pytest.mark.parametrize("kind", ["github", "gitlab", "jira"])
def test_a_token_that_no_header_can_carry_is_refused_by_its_name(api: Api, kind: str, token: str) -> None:
    body = {"kind": kind, "base_url": "https://tracker.example", "target": "acme/shop", "token": token}
    path = f"/api/projects/{api.account.project}/integrations"
    answer = api.client.post(path, json=body, headers=api.key)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_parameter")
    assert answer.json()["message"].startswith("token: ") and token.strip() + "." not in answer.text

"""Pages of other origins send with a project's public key, as far as its settings let them."""

import pytest

from errata.errors import InvalidParameter
from tests.api.door.direct_node import DirectNode, envelope, event

PAGE = "https://shop.example.com"
BODY = envelope(event())


def test_a_page_of_any_origin_may_send_and_reads_the_limits(node: DirectNode) -> None:
    answer = node.send(BODY, Origin=PAGE)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == PAGE
    exposed = answer.headers["access-control-expose-headers"]
    assert exposed == "x-sentry-error, x-sentry-rate-limits, retry-after"


def test_a_browser_may_ask_first(node: DirectNode) -> None:
    asked = {"Origin": PAGE, "Access-Control-Request-Method": "POST"}
    for path in ("envelope/", "store"):
        answer = node.client.options(node.path(path), headers=asked)
        assert answer.status_code == 204
        assert answer.headers["access-control-allow-methods"] == "POST"
        assert answer.headers["access-control-max-age"] == "3600"
        assert "x-sentry-auth" in answer.headers["access-control-allow-headers"]


def test_a_project_names_the_origins_of_its_pages(node: DirectNode) -> None:
    origins = ("https://*.example.com", "https://shop.test")
    node.store.allowed_origins.replace(1, node.account.project, origins, actor="test")
    assert node.send(BODY, Origin=PAGE).status_code == 200
    assert node.send(BODY, Origin="https://shop.test").status_code == 200
    refused = node.send(BODY, Origin="https://shop.test.attacker.example")
    assert (refused.status_code, refused.json()["error"]) == (403, "key_refused")
    # A page reads why.
    assert refused.headers["access-control-allow-origin"] == "https://shop.test.attacker.example"
    # A program that is no browser names no origin.
    assert node.send(BODY).status_code == 200
    assert len(node.lines()) == 3


def test_origins_are_checked_and_every_one_is_the_default(node: DirectNode) -> None:
    origins, project = node.store.allowed_origins, node.account.project
    for wrong in (
        "shop.example.com",
        "https://a/b",
        "https://user@a",
        "javascript:1",
        "https://" + "a" * 300,
    ):
        with pytest.raises(InvalidParameter):
            origins.replace(1, project, [wrong], actor="test")
    assert origins.replace(1, project, ["https://a.example/"], actor="ann").origins == ("https://a.example",)
    assert origins.get(1, project).changed_by == "ann"
    assert origins.replace(1, project, ["https://a.example", "*"], actor="ann").origins == ("*",)
    assert origins.get(1, project).changed_at is None

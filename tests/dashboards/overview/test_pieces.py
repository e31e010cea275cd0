"""The overview shows each part as soon as it is known, and one that fails takes no other away."""

import threading
from collections.abc import Mapping
from typing import Any

import pytest
import urllib3
from starlette.testclient import TestClient

import api.overview
from api.slots import Slots
from errata.warehouse.client import NoAnswerInTime
from errata.warehouse.queries.performance.releases import releases
from tests.dashboards.conftest import Site
from tests.dashboards.overview.test_overview import delivered
from tests.processes import WarehouseProcess

PATH = "/projects/shop?period=14d"


def opened(
    client: TestClient, address: str, headers: Mapping[str, str] | None = None
) -> urllib3.BaseHTTPResponse:
    cookies = "; ".join(f"{one.name}={one.value}" for one in client.cookies.jar)
    sent = {"Cookie": cookies, **(headers or {})}
    return urllib3.request("GET", address + PATH, headers=sent, preload_content=False, timeout=30)


def read_up_to(answer: urllib3.BaseHTTPResponse, words: str) -> str:
    text = ""
    while words not in text:
        piece = answer.read1()
        assert piece, text
        text += piece.decode()
    return text


@pytest.mark.slow
def test_parts_are_shown_as_soon_as_they_are_known(
    live_site: Site, address: str, warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    delivered(live_site, warehouse)
    client = live_site.sign_in()
    known = threading.Event()

    def waiting(*asked: Any) -> Any:
        assert known.wait(20)
        return releases(*asked)

    monkeypatch.setattr(api.overview, "releases", waiting)
    released, release = list[bytes](), Slots.release

    def noting(slots: Slots, caller: bytes) -> None:
        released.append(caller)
        release(slots, caller)

    monkeypatch.setattr(Slots, "release", noting)
    answer = opened(client, address)
    text = read_up_to(answer, "Is data arriving?")
    assert 'class="tile-value"' in text and "New issues" in text
    assert "Newest release</h2>" not in text
    # Its place is taken until nothing is asked any more, however much of it was sent.
    assert released == []
    known.set()
    text += answer.read().decode()
    assert "Newest release</h2>" in text and text.rstrip().endswith("</html>")
    assert len(released) == 1
    assert "piece" not in text


@pytest.mark.slow
def test_a_refresh_tells_the_state_that_the_page_was_loaded_in(
    live_site: Site, address: str, warehouse: WarehouseProcess
) -> None:
    delivered(live_site, warehouse)
    client = live_site.sign_in()
    assert "<template data-state=" in opened(client, address).read().decode()
    refresh = {"X-Errata-Refresh": "1"}
    fresh = opened(client, address, refresh)
    state = fresh.headers["ETag"].removeprefix('W/"').removesuffix('"')
    assert f'<template data-state="{state}">' in fresh.read().decode()
    again = opened(client, address, {**refresh, "If-None-Match": fresh.headers["ETag"]})
    assert (again.status, again.read()) == (304, b"")


@pytest.mark.slow
def test_a_part_that_fails_says_so_after_those_that_did_not(
    live_site: Site, address: str, warehouse: WarehouseProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    delivered(live_site, warehouse)
    client = live_site.sign_in()

    def fails(*asked: Any) -> Any:
        raise NoAnswerInTime

    monkeypatch.setattr(api.overview, "shifts", fails)
    text = opened(client, address).read().decode()
    assert 'class="tile-value"' in text and "Is data arriving?" in text
    assert "The rest of this page couldn't be loaded" in text
    assert "The server is busy" in text and text.rstrip().endswith("</html>")
    assert "What to do next" not in text

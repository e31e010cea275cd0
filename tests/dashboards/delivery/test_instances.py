"""Two shippers on one host, with a row for each."""

import json
from pathlib import Path

import pytest
from errata_shipper.agent import Agent
from errata_shipper.client import ServerClient

from tests.dashboards.conftest import Site
from tests.shipper.hosts import HandClock, settings_for


def deliver(folder: Path, site: Site, address: str, name: str, lines: list[str]) -> int:
    """By a shipper of its own."""
    folder.mkdir()
    content = "".join(f"{line}\n" for line in lines)
    (folder / "errata-2026-11-21.log").write_text(content)
    account = site.account
    settings = settings_for(folder, address, api_key=account.api_key, app_key=account.app_key)
    client, clock = ServerClient(address, account.api_key, account.app_key, 30.0), HandClock()
    agent = Agent(settings, client, clock, host=name, is_watching=False)
    agent.load()
    agent.step()
    clock.pass_time(settings.flush_interval_seconds + 1)
    agent.step()
    agent.close()
    client.close()
    return len(content)


@pytest.mark.slow
def test_two_shippers_of_a_host_are_two_rows(live_site: Site, address: str, tmp_path: Path) -> None:
    line = json.dumps({"type": "event", "payload": {"message": "m", "server_name": "web-1"}})
    # Their files begin alike, so that nothing but the name tells them apart.
    sizes = {
        "web-1": deliver(tmp_path / "one", live_site, address, "web-1", [line] * 2),
        "web-1/shop": deliver(tmp_path / "two", live_site, address, "web-1/shop", [line] * 5),
    }
    client = live_site.sign_in()
    listed = client.get("/api/projects/shop/delivery/hosts", params={"period": "90d"}).json()["hosts"]
    assert {row["host"]: row["delivered_bytes"] for row in listed} == sizes
    assert all(row["repeated_bytes"] == row["missing_bytes"] == 0 for row in listed)
    page = client.get("/projects/shop/delivery", params={"period": "90d"}).text
    assert "host=web-1%2Fshop" in page and ">web-1/shop</a>" in page
    of_one = client.get("/api/projects/shop/delivery", params={"period": "90d", "host": "web-1/shop"}).json()
    assert [file["written_bytes"] for file in of_one["delivery"]] == [sizes["web-1/shop"]]


@pytest.mark.slow
def test_events_of_a_host_whose_shippers_all_have_names_come_with_files(
    live_site: Site, address: str, tmp_path: Path
) -> None:
    lines = [
        json.dumps({"type": "event", "payload": {"message": "m", "server_name": name}})
        for name in ("web-1", "web-2")
    ]
    deliver(tmp_path / "logs", live_site, address, "web-1/shop", lines)
    page = live_site.sign_in().get("/projects/shop/delivery", params={"period": "90d"}).text
    (note,) = [part for part in page.split("<li>") if "Only hosts that have reported" in part]
    assert "web-2" in note and "web-1" not in note

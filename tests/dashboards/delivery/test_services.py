"""The Delivery page narrowed to a service, and its tables with the same filter."""

import csv
import io
import re
from html import unescape

import msgspec
import pytest

from tests.dashboards.conftest import Site

FILE = "host=web-1; file=errata-today-{}.log; id=9f86d081884c7d6{}; from=0; to=100; size=100"


def deliver(site: Site, number: int, *app_keys: str, status: int = 200) -> None:
    lines = [
        msgspec.json.encode({"type": "event", "app_key": key, "payload": {"message": "late"}})
        for key in app_keys
    ]
    headers = {
        "Authorization": f"Bearer {site.account.api_key}",
        "X-Errata-App-Key": site.account.app_key,
        "X-Errata-Source": FILE.format(number, number),
    }
    answer = site.client.post("/api/ingest", content=b"\n".join(lines), headers=headers)
    assert answer.status_code == status


def listed(page: str) -> list[str]:
    return re.findall(r'class="route wide">(errata-today-\d)', page)


@pytest.mark.slow
def test_the_page_and_its_tables_are_narrowed_to_a_service(live_site: Site) -> None:
    client = live_site.sign_in()
    own = live_site.account.app_key
    deliver(live_site, 1, own)
    assert 'name="service"' not in client.get("/projects/shop/delivery").text

    owner = live_site.store.keys.api.owner(live_site.account.api_key)
    assert owner is not None
    worker = live_site.store.keys.app.create(owner.organization_id, "shop", "worker", actor="x").key
    deliver(live_site, 2, worker, worker)
    deliver(live_site, 3, worker, own)
    address = "/projects/shop/delivery"
    page = unescape(client.get(address).text)
    choices = re.findall(r'<option value="([^"]*)"[^>]*>([^<]*)', page[page.index('name="service"') :])[:4]
    assert choices == [
        ("", "All"),
        ("worker", "worker"),
        ("(none)", "No service"),
        ("(several)", "Several services"),
    ]
    assert sorted(listed(page)) == ["errata-today-1", "errata-today-2", "errata-today-3"]
    for service, name in (("(none)", 1), ("worker", 2), ("(several)", 3)):
        narrowed = unescape(client.get(address, params={"service": service}).text)
        assert listed(narrowed) == [f"errata-today-{name}"]
        assert f'value="{service}" selected' in narrowed
        (csv_address,) = set(re.findall(r'href="(/api/projects/shop/delivery\?[^"]*format=csv)"', narrowed))
        rows = list(csv.DictReader(io.StringIO(client.get(csv_address).text)))
        assert [row["file"] for row in rows] == [f"errata-today-{name}.log"]
    empty = client.get(address, params={"service": "other"}).text
    assert listed(empty) == [] and "Show last 90 days of all hosts" in empty

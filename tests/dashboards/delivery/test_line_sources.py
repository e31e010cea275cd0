"""Lines of the delivery page and of the page of usage add up, and its tables can be downloaded."""

import csv
import io
import re
from datetime import UTC, datetime, timedelta
from html import unescape

import msgspec
import pytest

from tests.dashboards.conftest import Site

NOW = datetime.now(UTC)


def source(days_ago: int, until: int) -> str:
    day = f"{NOW - timedelta(days=days_ago):%Y-%m-%d}"
    return f"host=web-1; file=errata-{day}.log; id=9f86d081884c7d65; from=0; to={until}; size={until}"


def deliver(site: Site, count: int, source: str = "", item_type: str = "event") -> None:
    payload = {"message": "late", "server_name": "web-7", "timestamp": NOW.timestamp()}
    line = msgspec.json.encode({"type": item_type, "payload": payload})
    headers = {
        "Authorization": f"Bearer {site.account.api_key}",
        "X-Errata-App-Key": site.account.app_key,
        **({"X-Errata-Source": source} if source else {}),
    }
    answer = site.client.post("/api/ingest", content=b"\n".join([line] * count), headers=headers)
    assert answer.status_code == 200


@pytest.mark.slow
def test_lines_by_file_and_by_time_of_receipt_add_up(live_site: Site) -> None:
    client = live_site.sign_in()
    deliver(live_site, 5, source(0, 500))
    deliver(live_site, 5, source(0, 500))
    deliver(live_site, 7, source(40, 700))
    deliver(live_site, 2)
    deliver(live_site, 3, source(1, 300), "profile")

    page = unescape(client.get("/projects/shop/delivery").text)
    parts = "8 from log files of this period + 7 from log files of other days"
    parts += " + 5 delivered again and not counted above + 2 sent directly, without a log file"
    assert f"22 lines were accepted in the last 24 hours: {parts}." in page
    assert re.search(r"<dt>Lines</dt><dd>8<", page)
    limits = client.get("/settings/usage").text
    cells = re.findall(r'data-label="[^"]+">(\d+)</td>', limits[limits.index('id="lines"') :])
    assert cells[:5] == ["8", "7", "5", "2", "22"]
    # A server that no host ships files for, and what was only counted.
    assert "web-7 sends events but ships no log files under this name" in page
    assert "3 profile (code profiles)" in page
    assert "a host that never reported can't be shown as missing." in page

    for table, first, column in (("hosts", "web-1", "host"), ("outcomes", "not_stored_yet", "outcome")):
        (address,) = set(re.findall(rf'href="(/api/projects/shop/delivery/{table}\?[^"]*format=csv)"', page))
        rows = list(csv.DictReader(io.StringIO(client.get(address).text)))
        assert [row[column] for row in rows] == [first]
    assert rows[0]["item_types"] == "profile=3"
    assert client.get("/api/projects/shop/delivery?files=missing").json()["delivery"] == []

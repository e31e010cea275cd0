"""The tabs of an issue's page over the real warehouse, fed with captured events."""

import re

import pytest
from starlette.testclient import TestClient

from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, first_issue, rows, since_capture


def shown(client: TestClient, address: str) -> str:
    answer = client.get(address.replace("&amp;", "&"))
    assert answer.status_code == 200
    return answer.text


def steps(html: str) -> dict[str, str]:
    return {
        name: address
        for address, name in re.findall(r'<a class="button small" href="([^"]+)"[^>]*>([^<]+)</a>', html)
    }


@pytest.mark.slow
def test_events_are_walked_filtered_and_compared(live_site: Site) -> None:
    client = live_site.sign_in()
    live_site.deliver(event_lines("python_errors", since_capture()))
    address = first_issue(client)

    html = shown(client, address)
    walk = steps(html)
    assert {"First", "Older"} <= set(walk)
    assert 'data-key="p"' in html
    oldest = shown(client, walk["First"])
    assert "Older" not in steps(oldest)
    assert {"Newer", "Latest"} <= set(steps(oldest))

    listed = shown(client, f"{address}?tab=events")
    assert len(rows(listed)) == 50
    assert 'class="particulars"' in listed
    (person,) = set(re.findall(r'data-label="User"><[^>]+ class="cut"[^>]*>([^<]+)<', listed)[:1])
    own = shown(client, f"{address}?tab=events&user={person}")
    assert 0 < len(rows(own)) < 50
    assert "No matching events" in shown(client, f"{address}?tab=events&words=nowhere-to-be-found")
    second = shown(client, re.findall(r'rel="next" href="([^"]+)"', listed)[0])
    assert not set(rows(listed)) & set(rows(second))

    compared = shown(client, walk["Compare"])
    assert "Local variables" in compared
    assert (
        compared.count('class="differs"')
        == compared.count('<span class="visually-hidden">differs: </span>')
        > 5
    )
    whole = shown(client, re.findall(r'href="([^"]+)" role="switch" aria-checked="true"', compared)[0])
    assert whole.count("<tr") > compared.count("<tr")
    swapped = shown(client, re.findall(r'href="([^"]+)">Swap A and B', compared)[0])
    assert swapped.count('class="differs"') == compared.count('class="differs"')
    assert client.get(f"{address}?tab=compare&left={'0' * 32}").status_code == 404

    related = shown(client, f"{address}?tab=related")
    for axis in ("Same users", "Same time", "Similar stack", "Same release"):
        assert re.search(rf'<h2 id="related-[a-z_]+">{axis}</h2>', related)
    assert re.search(r'class="reason">\d+ of \d+ users also hit this', related)

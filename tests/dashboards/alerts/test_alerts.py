import re

from tests.dashboards.conftest import Site


def token(text: str) -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', text)
    assert found
    return found[1]


def test_rules_and_channels_are_made_without_a_script(site: Site) -> None:
    client = site.sign_in()
    here = f"/projects/{site.account.project}/alerts"
    page = client.get(here)
    assert page.status_code == 200 and "No rules yet" in page.text
    csrf = token(page.text)
    hook = {"csrf_token": csrf, "kind": "webhook", "name": "Ops", "url": "https://example.org/hook"}
    made = client.post(f"{here}/channels/new", data=hook)
    key = re.search(r"whsec_[A-Za-z0-9+/=]{40,}", made.text)
    assert key and key[0] not in client.get(here).text
    form = client.get(f"{here}/new").text
    channel = re.search(r'name="channel" value="([0-9a-f]{32})" checked', form)
    assert channel
    rule = {
        "csrf_token": csrf,
        "action": "save",
        "name": "Many <b>users</b>",
        "kind": "users",
        "over": "25",
        "window_minutes": "15",
        "scope": "issue",
        "query": "environment:production",
        "cap_minutes": "60",
        "is_on": "yes",
        "channel": channel[1],
    }
    saved = client.post(f"{here}/new", data=rule)
    assert saved.url.path == here
    assert "Many &lt;b&gt;users&lt;/b&gt;" in saved.text and "more than 25 users in 15 minutes" in saved.text
    rule_id = re.search(rf'href="{here}/([0-9a-f]{{32}})"', saved.text)
    assert rule_id
    off = client.post(f"{here}/{rule_id[1]}", data={"csrf_token": csrf, "action": "switch"})
    assert "Turn on" in off.text
    gone = client.post(f"{here}/{rule_id[1]}", data={"csrf_token": csrf, "action": "delete"})
    assert "No rules yet" in gone.text


def test_what_was_typed_stays_where_it_cannot_be_kept(site: Site) -> None:
    client = site.sign_in()
    here = f"/projects/{site.account.project}/alerts"
    csrf = token(client.get(here).text)
    wrong = {"csrf_token": csrf, "action": "save", "name": "Mine", "kind": "new", "query": "is:resolved"}
    answer = client.post(f"{here}/new", data={**wrong, "cap_minutes": "60"})
    assert (
        answer.status_code == 400 and "alerts filter events" in answer.text and 'value="Mine"' in answer.text
    )
    inside = {"csrf_token": csrf, "kind": "webhook", "name": "Inside", "url": "https://10.0.0.1/"}
    answer = client.post(f"{here}/channels/new", data=inside)
    assert answer.status_code == 400 and "ERRATA_OUTGOING_NETWORKS" in answer.text
    assert 'value="Inside"' in answer.text


def test_a_form_of_another_site_changes_nothing(site: Site) -> None:
    client = site.sign_in()
    here = f"/projects/{site.account.project}/alerts"
    hook = {"kind": "webhook", "name": "Ops", "url": "https://example.org/hook"}
    assert client.post(f"{here}/channels/new", data={**hook, "csrf_token": "x"}).status_code == 403
    assert client.post(f"{here}/channels/new", data=hook).status_code == 403
    assert "No channels yet" in client.get(here).text

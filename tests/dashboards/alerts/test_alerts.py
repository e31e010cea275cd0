import json
import re
from dataclasses import replace
from html import unescape

import pytest
from pydantic import SecretStr

from errata.alerts.mail import MailServer
from errata.budgets.limit import Limit
from errata.state import Store
from errata.warehouse.client import Warehouse
from tests.dashboards.conftest import NOWHERE, Site, site_of
from tests.dashboards.monitors.test_monitors import HOURLY, hours, run


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


MAIL = MailServer("mail.example", 587, "starttls", "", SecretStr(""), "errata@shop.example", True)


def test_the_form_says_where_channels_lead_and_offers_to_mail_its_reader(store: Store) -> None:
    away = Warehouse(NOWHERE)
    with site_of(store, away, away, MAIL) as site:
        client = site.sign_in()
        here = f"/projects/{site.account.project}/alerts"
        form = client.get(f"{here}/new").text
        assert re.search(r'name="mail_me".*owner@shop.example', form)
        of_issue = f"{here}/new?query=issue:00000000000000ab&kind=events"
        assert re.search(r'name="mail_me" value="yes" checked', client.get(of_issue).text)
        assert 'value="Issue 00000000"' in client.get(of_issue).text
        csrf = token(form)
        rule = {"csrf_token": csrf, "name": "Mine", "kind": "new", "is_on": "yes", "mail_me": "yes"}
        for _ in range(2):
            assert client.post(f"{here}/new", data={**rule, "action": "save"}).url.path == here
        # One channel for both rules, which the form then shows with its address.
        owner = store.users.find(site.account.email)
        assert owner
        [channel] = store.alerts.channels.of_organization(owner.organization_id)
        assert channel.settings["to"] == ["owner@shop.example"]
        rules = store.alerts.rules.of_project(owner.organization_id, site.account.project)
        assert [each.channel_ids for each in rules] == [(channel.id,), (channel.id,)]
        form = client.get(f"{here}/new").text
        assert 'name="mail_me"' not in form and "owner@shop.example</span>" in form
        told = re.findall(
            r'name="channel" value="\w+" checked> <span>([^<]+)<.*?owner@', client.get(of_issue).text
        )
        assert len(told) == 1


def test_a_channel_added_from_the_form_of_a_rule_comes_back_to_it(site: Site) -> None:
    client = site.sign_in()
    here = f"/projects/{site.account.project}/alerts"
    csrf = token(client.get(f"{here}/new").text)
    typed = {"csrf_token": csrf, "name": "Half typed", "kind": "users", "over": "25", "action": "channel"}
    channels = client.post(f"{here}/new", data=typed)
    back = re.search(r'name="back" value="([^"]+)"', channels.text)
    assert channels.url.path == here and back
    slack = {"csrf_token": csrf, "kind": "slack", "name": "#errors", "back": unescape(back[1])}
    form = client.post(f"{here}/channels/new", data={**slack, "secret": "https://example.org/hook/abcdefgh"})
    assert form.url.path == f"{here}/new"
    assert 'value="Half typed"' in form.text and 'name="over" value="25"' in form.text
    assert re.search(r'name="channel" value="[0-9a-f]{32}" checked', form.text)
    elsewhere = client.post(
        f"{here}/channels/new",
        data={**slack, "secret": "https://example.org/hook/abcdefgh", "back": "https://evil.example/new"},
    )
    assert elsewhere.url.path == here


def test_a_rule_made_beside_a_budget_follows_it(site: Site) -> None:
    client, account = site.sign_in(), site.account
    here = f"/projects/{account.project}/alerts"
    owner = site.store.users.find(account.email)
    assert owner
    limit = Limit("load_ms", "p75", 1500.0)
    budget = site.store.budgets.create(owner.organization_id, account.project, "Fast", limit, actor="")
    form = client.get(f"{here}/new?kind=budget&budget={budget.id}").text
    assert f'<option value="{budget.id}" selected>Fast: Total load time p75 at most 1,500 ms' in form
    rule = {"csrf_token": token(form), "action": "save", "name": "Fast", "kind": "budget", "is_on": "yes"}
    listed = client.post(f"{here}/new", data={**rule, "budget_id": budget.id, "threshold": ""})
    assert "Follows budget" in listed.text and "at most 1,500 ms" in listed.text
    wider = replace(limit, threshold=2000.0)
    site.store.budgets.change(owner.organization_id, account.project, budget.id, "Fast", wider, actor="")
    assert "at most 2,000 ms" in client.get(here).text
    own = client.post(f"{here}/new", data={**rule, "metric": "load_ms", "threshold": "1.5 kg"})
    assert own.status_code == 400 and 'id="threshold-error">Limit: enter a time' in own.text


def test_what_was_typed_stays_where_it_cannot_be_kept(site: Site) -> None:
    client = site.sign_in()
    here = f"/projects/{site.account.project}/alerts"
    csrf = token(client.get(here).text)
    wrong = {"csrf_token": csrf, "action": "save", "name": "Mine", "kind": "new", "query": "is:resolved"}
    answer = client.post(f"{here}/new", data={**wrong, "cap_minutes": "60"})
    assert (
        answer.status_code == 400
        and "alerts filter individual events" in answer.text
        and 'value="Mine"' in answer.text
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


@pytest.mark.slow
def test_the_test_of_a_rule_says_what_chance_alone_explains(live_site: Site) -> None:
    client = live_site.sign_in()
    event = {"platform": "python", "exception": {"values": [{"type": "KeyError", "value": "failed"}]}}
    live_site.deliver([json.dumps({"type": "event", "payload": event}).encode() for _ in range(11)])
    rule = {"action": "preview", "kind": "escalating", "name": "Escalates", "cap_minutes": "60"}
    page = client.get(f"/projects/{live_site.account.project}/alerts/new", params=rule)
    assert "In the last 90 days, this rule would not have fired." in page.text
    assert "Chance alone would explain none: 1 issue had more than 10 events in an hour" in page.text


def test_a_rule_is_tested_before_it_is_named(live_site: Site) -> None:
    client = live_site.sign_in()
    here = f"/projects/{live_site.account.project}/alerts"
    form = client.get(f"{here}/new").text
    assert form.index('value="preview" formaction') < form.index('id="name"') < form.index('value="save"')
    events = [
        {"platform": "python", "exception": {"values": [{"type": kind, "value": "failed"}]}}
        for kind in ("KeyError", "TypeError")
    ]
    live_site.deliver([json.dumps({"type": "event", "payload": event}).encode() for event in events])
    rule = {"csrf_token": token(form), "action": "preview", "kind": "new", "cap_minutes": "60", "name": ""}
    tested = client.post(f"{here}/new", data=rule)
    assert tested.status_code == 200
    assert "In the last 90 days, this rule would have fired 2 times for 2 issues." in tested.text
    assert "In the last 7 days: 2 times, for 2 issues." in tested.text
    assert tested.text.index("In the last 7 days") < tested.text.index('id="name"')
    unnamed = client.post(f"{here}/new", data={**rule, "action": "save"})
    assert unnamed.status_code == 400 and 'id="name-error"' in unnamed.text


def test_a_rule_of_a_monitor_names_it_and_leads_to_its_page(live_site: Site) -> None:
    client = live_site.sign_in()
    here = f"/projects/{live_site.account.project}/alerts"
    check_ins = [
        *run("nightly", hours(5), "ok", monitor_config=HOURLY),
        *run("nightly", hours(4), "in_progress", "error", environment="", monitor_config=HOURLY),
        *run("nightly", hours(0.5), "in_progress", "ok", monitor_config=HOURLY),
    ]
    live_site.deliver(check_ins)
    page = client.get(f"/projects/{live_site.account.project}/monitors/nightly").text
    offered = re.search(r'href="([^"]+)">Create alert', page)
    assert offered
    form = client.get(unescape(offered[1])).text
    assert '<option value="monitor" data-group="monitor" selected>' in form
    assert '<option value="nightly" selected>nightly' in form and "All monitors" in form
    rule = {
        "csrf_token": token(form),
        "name": "Jobs",
        "kind": "monitor",
        "monitor_slug": "nightly",
        "fires_on": "failing_or_missed",
        "is_on": "yes",
    }
    tested = client.post(f"{here}/new", data={**rule, "action": "preview"}).text
    assert "this rule would have fired 2 times" in tested
    assert f'href="/projects/{live_site.account.project}/monitors/nightly">nightly</a>' in tested
    assert "Monitor failing" in tested and "Monitor recovered" in tested
    listed = client.post(f"{here}/new", data={**rule, "action": "save"})
    assert listed.url.path == here
    assert "When monitor nightly fails or misses a run, and when it recovers" in listed.text
    assert f'href="/projects/{live_site.account.project}/monitors/nightly">nightly</a>' in listed.text
    wrong = client.post(f"{here}/new", data={**rule, "action": "save", "monitor_slug": "A job"})
    assert wrong.status_code == 400 and 'id="monitor_slug-error">Monitor: the name of a monitor' in wrong.text

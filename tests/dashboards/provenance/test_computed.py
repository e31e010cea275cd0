"""From the numbers of every page to the statement that they come from, and from its text back to them."""

import json
import re
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from dashboards.app import ROUTERS
from errata.reports import formats
from errata.state import Store
from errata.warehouse.roles import Role
from pipelines.marts.registry import MARTS
from pipelines.marts.release_impact import judge_releases
from tests.captured_replays import captured_replays
from tests.cases import each
from tests.dashboards.alerts.test_alerts import token
from tests.dashboards.conftest import Site, site_of
from tests.dashboards.test_live_pages import event_lines, performance_lines, since_capture
from tests.mart_builds import build_marts, let_bound_take_hold
from tests.processes import WarehouseProcess

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

HERE = "/projects/shop"
LOADS = f"{HERE}/performance"
LINK = re.compile(r'href="(/computed/[^"]+)"')
FOR_ANALYSTS = re.compile(r'<pre id="for-analysts"[^>]*>(.*?)</pre>', re.S)
STATEMENT = re.compile(r'<pre id="(statement-\d+)"[^>]*>(.*?)</pre>', re.S)
CONTROL = re.compile(r'<(?:select|input) (?:[^>]* )?name="(\w+)"')
NOT_IN_QUERY = re.compile(r'<p id="not-in-query">(.*?)</p>')
FILTERS = {"period": "30d", "environment": "production"}
# A value of each filter, and the words that a sentence has for it.
NARROWED = {
    "environment": ("production", "environments"),
    "release": ("shop-web@1.1.0", "releases"),
    "page": ("/checkout", "pages"),
    "device": ("mobile", "devices"),
    "browser": ("Firefox", "browsers"),
    "country": ("DE", "countries"),
    "status": ("resolved", "statuses"),
    "host": ("web-1", "hosts"),
    "service": ("web", "services"),
    "query": ("level:error", "the search"),
}
BUDGET = {
    "metric": "load_ms",
    "statistic": "p75",
    "threshold": "900",
    "window_hours": "24",
    "least_samples": "1",
}
TABS = ("event", "events", "different", "related", "grouping", "activity", "compare")
# By route, the pages with numbers; `{issue}` and the like are filled in.
PAGES = {
    "/projects": ["/projects"],
    "/projects/{slug}": [f"{HERE}?{urlencode(FILTERS)}"],
    "/projects/{slug}/issues": [f"{HERE}/issues?query=has:user&sort=events&{urlencode(FILTERS)}"],
    "/projects/{slug}/issue-events": [f"{HERE}/issue-events?period=14d"],
    "/projects/{slug}/issue-facets": [f"{HERE}/issue-facets?{urlencode(FILTERS)}"],
    "/projects/{slug}/issues/{issue_id}": [
        *(
            f"{{issue}}?tab={tab}&period=30d"
            for tab in ("event", "events", "different", "related", "grouping")
        ),
        *(f"{{issue}}?tab={tab}&period=30d" for tab in ("activity", "compare")),
        "{issue}?tab=range&since=2026-01-01&until=2027-01-01",
    ],
    "/projects/{slug}/users": [f"{HERE}/users?sort=events&{urlencode(FILTERS)}"],
    "/projects/{slug}/users/{user_key}": [
        f"{{user}}&tab={tab}" for tab in ("timeline", "issues", "loads", "sessions", "events")
    ],
    "/projects/{slug}/feedback": [f"{HERE}/feedback"],
    "/projects/{slug}/monitors": [f"{HERE}/monitors"],
    "/projects/{slug}/monitors/{monitor_slug}": [f"{HERE}/monitors/nightly"],
    "/projects/{slug}/replays": [f"{HERE}/replays?{urlencode(FILTERS)}"],
    "/projects/{slug}/performance": [
        f"{HERE}/performance?{urlencode(FILTERS)}",
        f"{HERE}/performance?tab=endpoints&{urlencode(FILTERS)}",
    ],
    "/projects/{slug}/performance/page": [
        f"{HERE}/performance/page?page=/checkout&tab={tab}&{urlencode(FILTERS)}"
        for tab in ("overview", "loads", "causes", "resources", "images", "calls")
    ],
    "/projects/{slug}/performance/endpoint": [
        f"{HERE}/performance/endpoint?method=GET&path=/api/stock/{{{{id}}}}&{urlencode(FILTERS)}",
        f"{HERE}/performance/endpoint?method=POST&path=/api/list/{{{{ref}}}}&period=30d",
    ],
    "/projects/{slug}/performance/resources": [f"{HERE}/performance/resources?{urlencode(FILTERS)}"],
    "/projects/{slug}/performance/recommendations": [
        f"{HERE}/performance/recommendations?{urlencode(FILTERS)}"
    ],
    "/projects/{slug}/performance/waterfall/{view_id}": ["{load}"],
    "/projects/{slug}/performance/budgets": [f"{HERE}/performance/budgets"],
    "/projects/{slug}/performance/budgets/new": [
        f"{HERE}/performance/budgets/new?action=preview&{urlencode(BUDGET)}"
    ],
    "/projects/{slug}/performance/budgets/{budget_id}": ["{budget}"],
    "/projects/{slug}/performance/trends": [f"{HERE}/performance/trends?{urlencode(FILTERS)}"],
    "/projects/{slug}/performance/releases": [f"{HERE}/performance/releases?{urlencode(FILTERS)}"],
    "/projects/{slug}/performance/release": ["{release}"],
    "/projects/{slug}/delivery": [f"{HERE}/delivery?period=30d&host=web-1"],
    "/projects/{slug}/alerts": [f"{HERE}/alerts"],
    "/projects/{slug}/alerts/new": [f"{HERE}/alerts/new?action=preview&name=x&kind=new&query=level:error"],
    "/projects/{slug}/alerts/{rule_id}": ["{rule}?action=preview"],
    "/projects/{slug}/settings/grouping": [f"{HERE}/settings/grouping?preview=1"],
    "/projects/{slug}/settings/source-maps": [f"{HERE}/settings/source-maps?release=shop-web@1.1.0"],
}
# Without numbers of the warehouse: settings, forms, downloads, what leads elsewhere.
WITHOUT_NUMBERS = {
    "/projects/{slug}/issues/{issue_id}/suspect-commits",
    "/",
    "/sign-in",
    "/sign-in/code",
    "/sign-in/two-steps",
    "/find",
    "/projects/{slug}/find",
    "/account/notifications",
    "/account/notifications/{notification_id}",
    "/issues/{issue_id}",
    "/projects/{slug}/issues/{issue_id}/decide",
    "/docs",
    "/docs/{document}",
    "/docs/decisions/{document}",
    "/docs/images/{image}",
    "/install",
    "/install/{file}",
    "/computed/{question}",
    "/shared/{token}",
    "/shared/{token}/segments/{segment_id}",
    "/replay-player",
    "/projects/{slug}/replays/{replay_id}",
    "/link/{token}",
    "/settings",
    "/settings/account",
    "/settings/activity",
    "/settings/api-keys",
    "/settings/api-tokens",
    "/settings/limits",
    "/settings/people",
    "/settings/usage",
    "/projects/{slug}/annotations",
    "/projects/{slug}/settings",
    "/projects/{slug}/settings/integrations",
    "/projects/{slug}/settings/filtering",
    "/projects/{slug}/settings/inbound-filters",
    "/projects/{slug}/settings/retention",
    "/projects/{slug}/settings/erasure",
    "/projects/{slug}/performance/reports",
    "/projects/{slug}/performance/views",
    "/projects/{slug}/performance/reports/file",
    "/projects/{slug}/performance/reports/schedules/new",
    "/projects/{slug}/performance/reports/schedules/{schedule_id}",
}


@dataclass(frozen=True)
class Filled:
    """A site with something on every page, and the addresses of those that are named by an id."""

    site: Site
    warehouse: WarehouseProcess
    addresses: dict[str, str]

    @property
    def client(self) -> TestClient:
        return self.site.client

    def html(self, address: str) -> str:
        answer = self.client.get(address.format_map(self.addresses))
        assert answer.status_code == 200, answer.text
        return answer.text

    def links(self, address: str) -> list[str]:
        return [unescape(link) for link in LINK.findall(self.html(address))]

    def rows(self, address: str, question: str) -> list[dict[str, Any]]:
        """What the statements give that the link of this page shows, run over HTTP as the user who reads."""
        (link, *_) = [link for link in self.links(address) if link.startswith(f"/computed/{question}?")]
        shown = [text for _, text in STATEMENT.findall(self.client.get(link).text)]
        assert shown, link
        return [row for text in shown for row in self.run(unescape(re.sub(r"</?mark[^>]*>", "", text)))]

    def for_analysts(self, address: str, question: str) -> list[dict[str, Any]]:
        """What the short statement gives that stands first, run by an analyst."""
        found = FOR_ANALYSTS.search(self.html(f"/computed/{question}?{urlencode({'of': address})}"))
        assert found, address
        return self.run(unescape(re.sub(r"</?mark[^>]*>", "", found[1])), Role.ANALYST)

    def analyst_query(self, address: str, question: str) -> tuple[str, str]:
        """The short statement and the sentence below it; both empty where there is none."""
        html = self.client.get(f"/computed/{question}?{urlencode({'of': address})}").text
        found, note = FOR_ANALYSTS.search(html), NOT_IN_QUERY.search(html)
        statement = re.sub(r"</?mark[^>]*>", "", found[1]) if found else ""
        return unescape(statement), unescape(note[1]) if note else ""

    def run(self, statement: str, role: Role = Role.READ) -> list[dict[str, Any]]:
        parts = urlsplit(self.warehouse.url(role))
        given = {"default_format": "JSON", "output_format_json_quote_64bit_integers": "0"}
        request = urllib.request.Request(
            f"http://{parts.hostname}:{parts.port}/?{urlencode(given)}",
            statement.encode(),
            {"X-ClickHouse-User": parts.username or "", "X-ClickHouse-Key": parts.password or ""},
        )
        with urllib.request.urlopen(request) as answer:
            data: list[dict[str, Any]] = json.load(answer)["data"]
        return data


@pytest.fixture(scope="module")
def filled(
    tmp_path_factory: pytest.TempPathFactory, warehouse_of_module: WarehouseProcess
) -> Iterator[Filled]:
    warehouse = warehouse_of_module
    store = Store.open(f"sqlite:///{tmp_path_factory.mktemp('state')}/state.db", b"s" * 32)
    store.migrate()
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    with site_of(store, ingest, read) as site:
        client, by = site.sign_in(), since_capture()
        # The window of a budget may end some hours ago.
        lines = performance_lines(by - timedelta(days=1))
        site.deliver([*event_lines("python_errors", by)[:60], *lines[:160], *lines[-60:]])
        site.deliver(a_replay())
        run = {"monitor_slug": "nightly", "status": "ok"}
        site.deliver([json.dumps({"type": "check_in", "payload": run}).encode()])
        message = {"contexts": {"feedback": {"message": "It is slow"}}}
        site.deliver([json.dumps({"type": "feedback", "payload": message}).encode()])
        site.tell("host=web-1; file=errata-2026-11-21.log; from=50; to=90; size=99")
        build_marts(warehouse, *(mart.name for mart in MARTS))
        builder = warehouse.client(Role.BUILD)
        judge_releases(builder, timedelta(0))
        builder.close()
        # Some of it is not in any build.
        site.deliver(event_lines("python_errors", by)[60:90])
        csrf = token(client.get(f"{HERE}/alerts").text)
        common = {"csrf_token": csrf, "action": "save", "is_on": "yes", "name": "Mine"}
        client.post(f"{HERE}/performance/budgets/new", data=common | BUDGET)
        client.post(f"{HERE}/alerts/new", data=common | {"kind": "new"})
        addresses = {
            "issue": first(client, f"{HERE}/issues?sort=events", rf"{HERE}/issues/[0-9a-f]{{16}}"),
            "user": first(client, f"{HERE}/users?period=30d", rf"{HERE}/users/[0-9a-f]{{16}}\?[^\"]+"),
            "load": first(client, f"{LOADS}/page?page=/checkout&tab=loads", rf"{LOADS}/waterfall/[^\"]+"),
            "budget": first(client, f"{HERE}/performance/budgets", rf"{LOADS}/budgets/[0-9a-f]{{32}}"),
            "release": first(client, f"{HERE}/performance/releases", rf"{HERE}/performance/release\?[^\"]+"),
            "rule": first(client, f"{HERE}/alerts", rf"{HERE}/alerts/[0-9a-f]{{32}}"),
        }
        yield Filled(site, warehouse, addresses)
    ingest.close()
    read.close()
    store.close()


def a_replay() -> list[bytes]:
    """Without its errors."""
    replays = captured_replays(datetime.now(UTC))
    replay = next(one for one in replays if one.descriptions[0]["environment"] == FILTERS["environment"])
    return replay.lines()[len(replay.errors) :]


def first(client: TestClient, address: str, pattern: str) -> str:
    found = re.search(rf'href="({pattern})["?]', client.get(address).text)
    assert found, address
    return unescape(found[1])


def test_a_short_statement_gives_an_analyst_the_figures_of_the_page(filled: Filled) -> None:
    # Analysts read a build when its rows are visible for sure.
    let_bound_take_hold(filled.warehouse)
    period, rest = "period=30d", "/api/projects/shop"
    pages = filled.client.get(f"{rest}/performance/pages?{period}").json()["pages"]
    assert {
        row["page"]: (row["loads"], round(row["p75"]))
        for row in filled.for_analysts(f"{LOADS}?{period}", "page_metrics")
    } == {
        row["page"]: (row["view_count"], round(row["load_ms_p75"]))
        for row in pages
        if row["navigation_type"] == "navigate"
    }
    endpoints = filled.client.get(f"{rest}/performance/endpoints?{period}&side=server").json()["endpoints"]
    assert {
        (row["method"], row["route"]): (row["calls"], row["p95_ms"])
        for row in filled.for_analysts(f"{LOADS}?tab=endpoints&{period}", "endpoint_metrics")
    } == {(row["method"], row["route"]): (row["call_count"], round(row["p95_ms"])) for row in endpoints}
    # Later events are in no build.
    listed = filled.client.get(f"{rest}/issues?{period}").json()["issues"]
    counted = {
        row["issue_id"]: (row["events"], row["distinct_users"])
        for row in filled.for_analysts(f"{HERE}/issues?{period}", "issues_listed")
    }
    assert counted and counted.keys() <= {issue["id"] for issue in listed}
    for issue in listed:
        events, users = counted.get(issue["id"], (0, 0))
        assert events <= issue["event_count"] and users <= issue["user_count"]
    assert sum(events for events, _ in counted.values()) == 60
    (host,) = filled.for_analysts(f"{HERE}/delivery?{period}", "hosts_of_delivery")
    assert host["host"] == "web-1"


@each("address", [address for pages in PAGES.values() for address in pages])
def test_a_short_statement_has_every_filter_of_the_page(filled: Filled, address: str) -> None:
    """Or the sentence below it names the filter."""
    html = filled.html(address)
    parts = urlsplit(address.format_map(filled.addresses))
    chosen = {name: NARROWED[name][0] for name in set(CONTROL.findall(html)) & NARROWED.keys()}
    narrowed = f"{parts.path}?{urlencode(dict(parse_qsl(parts.query)) | chosen)}"
    asked = [urlsplit(unescape(link)).path for link in LINK.findall(html)]
    for question in {path.rpartition("/")[2] for path in asked if "-" not in path}:
        statement, note = filled.analyst_query(narrowed, question)
        if not statement:
            continue
        for name, value in chosen.items():
            assert f"'{value}'" in statement or NARROWED[name][1] in note, (question, name)
        if "/users/" in parts.path:
            assert "users" in note


def test_a_short_statement_of_a_release_gives_the_figures_of_the_release(filled: Filled) -> None:
    let_bound_take_hold(filled.warehouse)
    period, rest = "period=30d&environment=production", "/api/projects/shop"
    address = f"{rest}/performance/pages?{period}"
    told = set[tuple[int, ...]]()
    for release in ("", "shop-web@1.1.0", "shop-web@1.0.0"):
        given = urlencode({"release": release})
        pages = filled.client.get(f"{address}&{given}").json()["pages"]
        shown = {row["page"]: row["view_count"] for row in pages if row["navigation_type"] == "navigate"}
        asked = filled.for_analysts(f"{LOADS}?{period}&{given}", "page_metrics")
        assert {row["page"]: row["loads"] for row in asked} == shown
        told.add(tuple(sorted(shown.values())))
    assert len(told) > 1, "the release makes no difference"
    lcp = filled.client.get(f"{rest}/performance/pages?{period}").json()["pages"]
    asked = filled.for_analysts(f"{LOADS}?{period}&metric=lcp_ms&page=/checkout", "page_metrics")
    assert [round(row["p75"]) for row in asked] == [
        round(row["lcp_ms_p75"])
        for row in lcp
        if (row["page"], row["navigation_type"]) == ("/checkout", "navigate")
    ]


def test_every_page_is_listed() -> None:
    routes = {
        route.path
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and "GET" in (route.methods or ())
    }
    assert routes == PAGES.keys() | WITHOUT_NUMBERS
    assert not PAGES.keys() & WITHOUT_NUMBERS


@each("address", [address for pages in PAGES.values() for address in pages])
def test_the_numbers_of_a_page_lead_to_their_statement(filled: Filled, address: str) -> None:
    """Its values are those of the page: the period, the filters and the project."""
    links = filled.links(address)
    # Nothing to recommend has no numbers.
    if not links:
        assert "No recommendations" in filled.html(address)
        links = [f"/computed/sampled_loads?{urlencode({'of': address})}"]
    asked = dict(parse_qsl(urlsplit(address.format_map(filled.addresses)).query))
    for link in dict.fromkeys(links):
        answer = filled.client.get(link)
        assert answer.status_code == 200, link
        of = urlsplit(dict(parse_qsl(urlsplit(link).query))["of"])
        if of.path == urlsplit(address.format_map(filled.addresses)).path:
            assert asked.items() <= dict(parse_qsl(of.query)).items()
            for value in asked.values():
                assert f"<dd>{value}</dd>".replace("&", "&amp;") in answer.text, value
        statements = STATEMENT.findall(answer.text)
        assert statements, f"{link} shows a statement that its page does not ask"
        project_id = str(filled.site.store.projects.ids()[0])
        assert "as the warehouse user <code>errata_read</code>" in answer.text
        assert '<p class="definition">' in answer.text, f"{link} doesn't say what its numbers are"
        assert '<span><a href="#errata_' in answer.text, f"{link} names no table that it reads"
        for _, statement in statements:
            assert project_id in statement
            assert not re.search(r"\{\w+:[A-Z]", statement)


def cells(html: str, label: str) -> list[str]:
    """The values of a column of the page's tables, as shown."""
    found = re.findall(rf'<td class="number" data-label="{label}"[^>]*>(.*?)</td>', html)
    return [unescape(re.sub("<[^>]*>", "", each.partition('<span class="under"')[0])) for each in found]


def titles(html: str, label: str) -> list[int]:
    found = re.findall(rf'data-label="{label}"><span title="([\d,]+)"', html)
    return [int(each.replace(",", "")) for each in found]


def values_of_cells(html: str, label: str) -> list[int]:
    found = re.findall(rf'data-label="{label}" data-value="(\d+)"', html)
    return [int(each) for each in found]


def figures(html: str) -> list[dict[str, Any]]:
    found = re.findall(r'<script type="application/json" data-figure>(.*?)</script>', html, re.S)
    return [json.loads(each) for each in found]


def issue_list_by_events(filled: Filled) -> tuple[object, object]:
    address = f"{HERE}/issues?sort=events&period=30d"
    rows = filled.rows(address, "issues_listed")
    return [row["event_count"] for row in rows], titles(filled.html(address), "Events")


def users_by_events(filled: Filled) -> tuple[object, object]:
    address = f"{HERE}/users?sort=events&period=30d"
    rows = filled.rows(address, "users_listed")
    # One more than a page holds tells whether there is another.
    return [row["event_count"] for row in rows[:50]], values_of_cells(filled.html(address), "Events")


def issue_list_of_a_search(filled: Filled) -> tuple[object, object]:
    """Whose events are read one by one."""
    address = f"{HERE}/issues?sort=users&query=server_name:*&environment=production&period=30d"
    rows = filled.rows(address, "issues_listed")
    return [row["counted_users"] for row in rows], titles(filled.html(address), "Users")


def projects(filled: Filled) -> tuple[object, object]:
    (issues,) = filled.rows("/projects", "open_issues_of_projects")
    (events,) = filled.rows("/projects", "events_of_projects")
    row = issues | events
    html = filled.html("/projects")
    names = ("Open issues", "Events, 24 h", "Users, 24 h")
    return [[row[f"{name}_count"]] for name in ("open_issue", "event", "user")], [
        titles(html, n) for n in names
    ]


def issue_counts(filled: Filled) -> tuple[object, object]:
    address = "{issue}?period=30d"
    rows = filled.rows(address, "counts_of_issues")
    (row,) = [row for row in rows if row["span"] == "30d" and row["is_whole"]]
    found = re.findall(
        r"<dt>(?:Events|Users) in 30 days</dt><dd><span title=\"([\d,]+)\"", filled.html(address)
    )
    return [f"{row['event_count']:,}", f"{row['user_count']:,}"], found


def pages_table(filled: Filled) -> tuple[object, object]:
    address = f"{HERE}/performance?period=30d&sort=page"
    rows = filled.rows(address, "page_metrics")
    views = {
        row["page_name"]: formats.compact(row["sample_count"])
        for row in rows
        if row["metric"] == "view" and row["navigation_type"] == "navigate" and not row["is_whole"]
    }
    table = re.findall(
        r'title="Open page details">([^<]*)</a>\s*</th>\s*<td class="number" data-label="Views">([^<]*)<',
        filled.html(address),
    )
    return views, dict(table)


def trend_of_a_page(filled: Filled) -> tuple[object, object]:
    address = f"{HERE}/performance/page?page=/checkout&period=30d"
    rows = filled.rows(address, "page_metrics")
    drawn = {round(y, 3) for y in figures(filled.html(address))[-1]["data"][1]["y"] if y is not None}
    told = {
        round(row["percentiles"][1], 3)
        for row in rows
        if row["metric"] == "load_ms" and row["navigation_type"] == "navigate"
    }
    return bool(drawn) and drawn <= told, True


def endpoints(filled: Filled) -> tuple[object, object]:
    address = f"{HERE}/performance?tab=endpoints&period=30d&sort=-call_count"
    rows = filled.rows(address, "endpoint_metrics")
    # Those of browsers are listed only where no server reports the same endpoint.
    told = Counter(formats.compact(row["calls"]) for row in rows if row["called_route"])
    shown = Counter(cells(filled.html(address), "Calls"))
    return bool(shown) and shown <= told, True


def resources(filled: Filled) -> tuple[object, object]:
    address = f"{HERE}/performance/resources?period=30d"
    rows = [row for row in filled.rows(address, "resource_metrics_built") if not row["resource_url"]]
    types = filled.html(address).partition('id="types"')[2].partition("</table>")[0]
    return sorted(str(row["loads"]) for row in rows), sorted(re.findall(r'"Count" data-value="(\d+)"', types))


def releases(filled: Filled) -> tuple[object, object]:
    address = f"{HERE}/performance/releases?environment=production"
    rows = filled.rows(address, "releases_judged")
    return [formats.compact(row["view_count"]) for row in rows], cells(filled.html(address), "Loads")


def delivery(filled: Filled) -> tuple[object, object]:
    rows = filled.rows(f"{HERE}/delivery", "hosts_of_delivery")
    html = filled.html(f"{HERE}/delivery").partition('id="hosts-title"')[2].partition("</table>")[0]
    told = sorted((formats.size(row["written_bytes"]), formats.size(row["delivered_bytes"])) for row in rows)
    return told, sorted(zip(cells(html, "Written"), cells(html, "Delivered"), strict=True))


def budget_history(filled: Filled) -> tuple[object, object]:
    html = filled.html("{budget}")
    rows = filled.rows("{budget}", "page_metric_over_time")
    latest = re.search(r"<dt>Latest window</dt><dd>(.*?), [\d,]+ independent, budget", html)
    assert latest
    told = {
        f"{formats.duration(row['percentiles'][0])} of {formats.plural(row['sample_count'], 'sample')}"
        for row in rows
        if row["sample_count"]
    }
    return latest[1] in told, True


def alert_tested(filled: Filled) -> tuple[object, object]:
    address = "{rule}?action=preview"
    seen = {row["variant_hash"] for row in filled.rows(address, "alert_arrivals")}
    found = re.search(r"would have fired (once|[\d,]+ times)", filled.html(address))
    assert found
    return 0 < int(found[1].split()[0].replace("once", "1").replace(",", "")) <= len(seen), True


def values_to_filter_by(filled: Filled) -> tuple[object, object]:
    address = f"{HERE}/issue-facets?period=30d"
    rows = filled.rows(address, "facets_of_search")
    told = {formats.compact(value[1]) for row in rows for value in row["top_values"]}
    shown = set(re.findall(r'<span class="visually-hidden">, </span>([^<]+)<', filled.html(address)))
    return bool(shown) and shown <= told, True


SHOWN: Sequence[Callable[[Filled], tuple[object, object]]] = (
    issue_list_by_events,
    issue_list_of_a_search,
    users_by_events,
    projects,
    issue_counts,
    pages_table,
    trend_of_a_page,
    endpoints,
    resources,
    releases,
    delivery,
    budget_history,
    alert_tested,
    values_to_filter_by,
)


@each("question", SHOWN, ids=lambda question: question.__name__)
def test_the_statement_shown_gives_the_numbers_of_the_page(
    filled: Filled, question: Callable[[Filled], tuple[object, object]]
) -> None:
    told, shown = question(filled)
    assert shown, "the page shows no numbers"
    assert told == shown


def test_who_may_not_see_a_page_sees_no_values_of_it(filled: Filled) -> None:
    """Nor does anything but a page run: no API, no redirect, no page of this kind, no other host."""
    client = filled.client
    for address, status in (
        ("/projects/other/performance", 404),
        ("/projects/shop/issues/zz", 404),
        ("/projects/shop/issues?cursor=%21", 400),
        ("/projects/shop/nothing", 404),
        ("/api/projects/shop/issues", 400),
        ("/projects/../api/projects", 404),
        ("/computed/page_metrics?of=/projects", 400),
        ("/projects/shop/performance/page", 400),
        ("//evil.example/projects", 400),
        ("https://evil.example/projects", 400),
        ("http://[", 400),
        ("projects", 400),
        ("/projectsx", 400),
        ("/", 400),
    ):
        answer = client.get(f"/computed/page_metrics?{urlencode({'of': address})}", follow_redirects=False)
        assert answer.status_code == status, address
        assert "log_comment" not in answer.text
    cookies = dict(client.cookies)
    client.cookies.clear()
    answer = client.get(f"/computed/issues_listed?of={HERE}/issues", follow_redirects=False)
    assert answer.status_code == 303 and answer.headers["location"].startswith("/sign-in?next=")
    client.cookies.update(cookies)

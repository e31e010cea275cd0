"""From the list of releases to what one changed, and the weeks around it, out of a real warehouse."""

import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from urllib.parse import quote

import pytest

from errata.reports import formats
from errata.warehouse.queries.performance.release_distribution import LEVELS
from errata.warehouse.roles import Role
from pipelines.marts.release_impact import judge_releases
from tests.dashboards.conftest import Site
from tests.dashboards.test_live_pages import event_lines, performance_lines, since_capture
from tests.dashboards.uploads import uploading_to
from tests.page_loads import RELEASED, deliver, loads
from tests.processes import WarehouseProcess
from tests.sessions_and_errors import deliver_sessions_and_errors

BASE = "/projects/shop/performance"
A_FILE = {"path": "src/cart.js", "type": "M"}


@pytest.mark.slow
def test_a_release_leads_to_what_it_changed_and_stands_on_the_trend(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    assert "No page loads yet" in client.get(f"{BASE}/releases").text
    assert "No data in" in client.get(f"{BASE}/trends").text
    (project_id,) = live_site.store.projects.ids()
    before = RELEASED - timedelta(days=7)
    deliver(
        warehouse,
        loads("shop@1.0", before, 250, project_id=project_id),
        loads("shop@1.1", RELEASED, 250, factor=1.5, seed=2, project_id=project_id),
    )
    builder = warehouse.client(Role.BUILD)
    judge_releases(builder, timedelta(0))
    builder.close()

    listed = client.get(f"{BASE}/releases").text
    assert re.search(r"from \d+ loads, \d+ before", listed)
    nowhere = client.get(f"{BASE}/releases?environment=nowhere").text
    assert "No releases match these filters" in nowhere and "Sentry.init" not in nowhere
    assert f'href="{BASE}/release?version=shop%401.1"' in listed
    assert "verdict-worse" in listed and "no previous release" in listed
    detail = client.get(f"{BASE}/release?version=shop%401.1").text
    assert "longer than with shop@1.0" in detail and "<svg" in detail and "/cart" in detail
    assert "/api/projects/shop/performance/releases/shop%401.1/verdict?environment=production" in detail
    by_page = client.get(f"{BASE}/release?version=shop%401.1&tab=pages").text
    assert 'id="by-page"' not in detail and 'id="together"' not in by_page
    pictures_show_the_figures_of_the_tables(detail, by_page)
    chosen = client.get(f"{BASE}/release?version=shop%401.1&page=%2Fcart&metric=lcp_ms&columns=all").text
    pictures_show_the_figures_of_the_tables(chosen, by_page)
    assert "LCP · /cart, before and after" in chosen and "Hide statistics" in chosen
    all_columns = client.get(f"{BASE}/release?version=shop%401.1&tab=pages&columns=all").text
    assert 'data-label="p"' not in detail and 'data-label="p"' in chosen
    assert 'data-label="q"' not in by_page and 'data-label="q"' in all_columns
    assert client.get(f"{BASE}/release?version=other").status_code == 404
    own_rows = client.get(f"{BASE}/release?version=shop%401.1&tab=pages&page=%2Fcart").text
    assert "Show all pages" in own_rows and "Show all pages" not in by_page
    assert set(re.findall(r'class="route wide">([^<]+)<', own_rows)) == {"/cart"}
    # The page itself names the release, whatever its period, with the same interval.
    of_page = client.get(f"{BASE}/page?page=%2Fcart&period=24h").text.partition('id="changes"')[2]
    (row,) = of_page.partition("</table>")[0].split("<tr>")[2:]
    assert "shop@1.1" in row and "worse" in row and "page=%2Fcart&amp;metric=load_ms#distribution" in row
    interval = unescape(row.partition('data-label="95% interval">')[2].partition("<")[0])
    assert interval in unescape(own_rows)
    assert 'id="changes"' not in client.get(f"{BASE}/page?page=%2Fcart&metric=cls").text
    changes = f"{BASE}/release?version=shop%401.1&tab=changes"
    without = client.get(changes).text
    assert "No new issues in this release" in without
    assert 'id="commits"' not in without and 'id="deploys"' not in without
    send_commits_and_a_deploy(live_site)
    parts = client.get(changes).text.split('id="deploys"')[1].split('id="commits"')
    deploys, commits = (re.findall("<li>(.*?)</li>", part) for part in parts)
    assert len(deploys) == 1 and deploys[0].startswith("production")
    assert [re.sub("<[^>]*>", " ", commit).split() for commit in commits] == [
        "Charge once abcdef012345 · Ada · 2 changed files".split(),
        "Add the &lt;cart&gt; fedcba · Ada · 1 changed file".split(),
    ]
    reports = client.get(f"{BASE}/reports").text
    assert "shop@1.0" in reports and "No weekly reports yet" in reports and "ERRATA_MAIL_HOST" in reports
    printed = client.get(f"/api{BASE}/releases/shop%401.1/report?format=html")

    assert "release shop@1.1" in printed.text and "Pages that changed" in printed.text
    assert re.search(r"Computed from \d+ loads of shop@1.1 and \d+ before", printed.text)
    trends = client.get(f"{BASE}/trends?metric=lcp_ms&page=/cart").text
    assert "shop@1.1" in trends and "LCP of /cart" in trends
    assert re.search(r'data-label="Week over week">[+−]?\d+(\.\d)?%', trends)
    assert "Not analyzed yet" in trends

    # Issues too: what began with a release stands behind its line.
    live_site.deliver(event_lines("python_errors", since_capture())[:1])
    issue = re.findall(r'class="issue-title" href="([^"?]+)', client.get("/projects/shop/issues").text)[0]
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    ways = {
        "": ["shop@1.1"],
        "?period=30d": ["shop@1.0", "shop@1.1"],
        "?period=24h": [],
        f"?tab=range&since={RELEASED.isoformat()}&until={until}".replace("+", "%2B"): ["shop@1.1"],
    }
    for query, named in ways.items():
        html = client.get(f"{issue}{query}").text
        drawn = re.findall(r'<script type="application/json" data-figure>(.*?)</script>', html, re.S)[-1]
        marks = json.loads(drawn)["layout"].get("meta", {}).get("marks", [])
        assert [mark["label"] for mark in marks] == [label.replace("@", " ") for label in named]
        assert [mark["words"].partition(",")[0] for mark in marks] == named


@pytest.mark.slow
def test_a_release_with_more_errors_is_worse_wherever_its_verdict_is_seen(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    (project_id,) = live_site.store.projects.ids()
    before = RELEASED - timedelta(days=7)
    deliver(
        warehouse,
        loads("shop@1.0", before, 250, project_id=project_id),
        loads("shop@1.1", RELEASED, 250, seed=2, project_id=project_id),
    )
    deliver_sessions_and_errors(warehouse, 90, 200, project_id)
    builder = warehouse.client(Role.BUILD)
    judge_releases(builder, timedelta(0))
    builder.close()

    address = "/api/projects/shop/performance/releases"
    key = {"Authorization": f"Bearer {live_site.account.api_key}"}
    found = client.get(f"{address}/shop%401.1/verdict", headers=key).json()
    assert found["verdict"] != "worse"
    assert (found["error_verdict"], found["overall_verdict"], found["errors_per"]) == (
        "worse",
        "worse",
        "session",
    )
    assert found["headline"].startswith("Worse: errors per session 2.")
    detail = client.get(f"{BASE}/release?version=shop%401.1").text
    assert "Errors per session 2." in detail
    assert re.search(r"\d{3} errors, 1[23]\d per 1,000 sessions", detail)
    assert "Errors per session: 2." in detail and "times (" in detail and "those of shop@1.0" in detail
    listed = client.get(f"{BASE}/releases").text
    assert "verdict-worse" in listed and "per session" in listed
    overview = client.get("/projects/shop?period=14d").text
    assert 'verdict-worse">Worse' in overview and "Errors per session 2." in overview
    assert "See what the newest release made worse" in overview
    printed = client.get(f"/api{BASE}/releases/shop%401.1/report?format=html").text
    assert "errors per session 2." in printed


def pictures_show_the_figures_of_the_tables(html: str, by_page: str) -> None:
    rows = cells_of(html, "together") | cells_of(by_page, "by-page")
    effects, spread = (
        json.loads(found)
        for found in re.findall(r'<script type="application/json" data-figure>(.*?)</script>', html, re.S)
    )
    drawn = [words.replace("％", "%") for trace in effects["data"] for words in trace["hovertext"]]
    assert len(drawn) == len(rows) and effects["data"][0]["name"] == "Worse"
    for words in drawn:
        name, _, told = words.partition(": ")
        row = rows[name]
        assert row["Verdict"].lower().endswith(told.rpartition(", ")[2])
        assert all(
            part in told for part in re.findall(r"[+−\d.]+%", row["Effect"].partition("95% interval")[2])
        )
    name = re.findall(r'id="distribution-title">(.*?), before and after<', html)[0]
    after, before = spread["data"]
    p75 = f"{before['text'][-1]} → {after['text'][-1]}".replace("p75 ", "")
    assert rows[name]["p75"] == p75 and f"p75 {p75}" in html
    # Of few loads the curve is of the very loads that were compared.
    middle, upper = (LEVELS.index(level) for level in (0.5, 0.75))
    medians = [formats.duration(side["x"][middle]) for side in (before, after)]
    assert rows[name]["Median"] == " → ".join(medians)
    assert [formats.duration(side["x"][upper]) for side in (before, after)] == p75.split(" → ")


def cells_of(html: str, table: str) -> dict[str, dict[str, str]]:
    """The cells of each row by their labels; the row by metric and page, as the picture names it."""
    body = html.partition(f'id="{table}"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
    rows = {}
    for row in body.split("</tr>")[:-1]:
        head = words_of(re.findall(r"<th [^>]*>(.*?)</th>", row, re.S)[0])
        cells = re.findall(r'<td[^>]*data-label="([^"]+)"[^>]*>(.*?)</td>', row, re.S)
        told = {label: words_of(cell) for label, cell in cells}
        rows[f"{told['Metric']} · {head}" if table == "by-page" else f"{head} · all pages"] = told
    return rows


def words_of(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


@pytest.mark.slow
def test_a_release_that_no_build_has_counted_is_no_missing_page(
    live_site: Site, warehouse: WarehouseProcess
) -> None:
    client = live_site.sign_in()
    release = f"{BASE}/release?version="
    assert client.get(f"{release}shop-web@1.1.0").status_code == 404
    by = since_capture()
    live_site.deliver([*event_lines("python_errors", by)[:20], *performance_lines(by)[:60]])
    loaded = client.get(f"{release}shop-web@1.1.0")
    assert loaded.status_code == 200 and "Its figures come with the next build" in loaded.text
    assert "Being built" in client.get(f"{BASE}/trends?period=8w").text
    failing = json.loads(event_lines("python_errors", by)[0])["payload"]["release"]
    without_loads = client.get(f"{release}{quote(failing)}").text
    assert (
        "no page load does" in without_loads and f"/issues?release={quote(failing, safe='')}" in without_loads
    )
    assert client.get(f"{release}shop-web@1.1.0&environment=nowhere").status_code == 404
    assert client.get(f"{release}none").status_code == 404


@pytest.mark.slow
def test_a_release_of_another_environment_leads_there(live_site: Site, warehouse: WarehouseProcess) -> None:
    client = live_site.sign_in()
    (project_id,) = live_site.store.projects.ids()
    few = loads("shop@2.0", RELEASED, 20, seed=2, project_id=project_id)
    of_staging = [{**row, "environment": "staging"} for row in few]
    deliver(warehouse, loads("shop@1.0", RELEASED, 250, project_id=project_id), of_staging)
    builder = warehouse.client(Role.BUILD)
    judge_releases(builder, timedelta(0))
    builder.close()
    answer = client.get(f"{BASE}/release?version=shop%402.0", follow_redirects=False)
    assert answer.headers["location"] == f"{BASE}/release?environment=staging&version=shop%402.0"


def send_commits_and_a_deploy(site: Site) -> None:
    """As a build's tool does, which sends some of them again."""
    headers = {"Authorization": f"Bearer {uploading_to(site).token()}"}
    releases = "/api/0/organizations/errata/releases/"
    first = {"id": "fedcba", "message": "Add the <cart>\n\nAt last.", "patch_set": [A_FILE]}
    latest = {"id": "abcdef0123456789", "message": "Charge once", "patch_set": [A_FILE] * 2}
    for version, commits in (("shop@1.1", [first]), ("shop@1.0", [first]), ("shop@1.1", [latest, first])):
        sent = {
            "version": version,
            "projects": ["shop"],
            "commits": [{**one, "author_name": "Ada"} for one in commits],
        }
        assert site.client.post(releases, json=sent, headers=headers).status_code == 201
    deploy = site.client.post(
        f"{releases}shop@1.1/deploys/", json={"environment": "production"}, headers=headers
    )
    assert deploy.status_code == 201

"""Every page in a real browser: at every width, in both themes, by keyboard alone."""

import re
from collections.abc import Iterator, Mapping

import pytest

from api.authentication import STEP_COOKIE
from errata.documentation.documents import documents
from errata.reports.schedule import Schedule
from errata.state.half_sign_ins import HalfSignIns
from errata.state.share_links import Shared
from errata.state.users import Role
from tests.authorization_table import LEVEL_OF, Level
from tests.dashboards import page_checks
from tests.dashboards.browser import CHROMIUM, Watched, weight
from tests.dashboards.conftest import served
from tests.dashboards.provenance.test_computed import HERE, PAGES, Filled, first
from tests.dashboards.provenance.test_computed import filled as filled

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
]

SCHEDULE = Schedule("Board", "friday", 16, "Asia/Tokyo", "production", ("ada@example.org",))
# What is no page of its own: fragments, files, ways elsewhere, and the empty frame that plays replays.
NO_PAGES = {
    *("/", "/issues/{issue_id}", "/account/notifications/{notification_id}"),
    *("/settings", "/settings/api-tokens", "/settings/limits"),
    *("/projects/{slug}/issue-events", "/projects/{slug}/issue-facets"),
    "/projects/{slug}/issues/{issue_id}/suspect-commits",
    *("/docs/images/{image}", "/install/{file}", "/projects/{slug}/performance/reports/file"),
    *("/replay-player", "/shared/{token}/segments/{segment_id}", "/metrics", "/mcp"),
}
FAILING = (f"{HERE}/nothing", f"{HERE}/issues?cursor=!", "/api/projects/none/performance/report")
# Only who lacks a required second step is led there.
TWO_STEPS = "/sign-in/two-steps"
# Long by nature.
MAY_BE_TALL = re.compile(r"^/(docs|api/docs)\b")


def routes(*levels: Level) -> list[str]:
    listed = [line.split() for line, level in LEVEL_OF.items() if level in levels]
    return [
        path
        for method, path in listed
        if method == "GET"
        and path not in {*NO_PAGES, TWO_STEPS}
        and (not path.startswith("/api/") or path == "/api/docs")
    ]


def named(filled: Filled) -> Mapping[str, list[str]]:
    """Addresses of routes with parameters that `PAGES` does not have."""
    client, store = filled.client, filled.site.store
    project = store.projects.ids()[0]
    issue = filled.addresses["issue"]
    replay = first(client, f"{HERE}/replays?period=30d", rf"{HERE}/replays/[0-9a-f]{{32}}")
    schedule = store.reports.schedules.create(1, "shop", SCHEDULE, actor=filled.site.account.email)
    shared = [Shared(issue_id=issue.rpartition("/")[2]), Shared(replay_id=replay.rpartition("/")[2])]
    shares = [
        store.share_links.create(1, project, what, None, actor=filled.site.account.email) for what in shared
    ]
    invited = store.one_time_links.invite(1, "new@shop.example", Role.VIEWER, actor=filled.site.account.email)
    documented = [document.address for document in documents().values()]
    return {
        "/computed/{question}": [
            "/computed/resource_metrics",
            f"/computed/issues_listed?of={HERE}/issues",
            f"/computed/page_metrics?of={HERE}/performance",
        ],
        "/docs/{document}": [address for address in documented if address.count("/") == 2],
        "/docs/decisions/{document}": [address for address in documented if address.count("/") == 3],
        "/link/{token}": [f"/link/{invited.token}", "/link/ended"],
        "/projects/{slug}/issues/{issue_id}/decide": [f"{issue}/decide?action=ignore"],
        "/projects/{slug}/performance/reports/schedules/{schedule_id}": [
            f"{HERE}/performance/reports/schedules/{schedule.id}"
        ],
        "/projects/{slug}/replays/{replay_id}": [replay],
        "/shared/{token}": [f"/shared/{share.token}" for share in shares],
    }


def addresses(filled: Filled, *levels: Level) -> Iterator[str]:
    special = named(filled)
    for route in routes(*levels):
        written = [route.replace("{slug}", "shop")]
        for address in special.get(route) or PAGES.get(route) or written:
            yield address.format_map(filled.addresses)


@pytest.fixture(scope="module")
def address(filled: Filled) -> Iterator[str]:
    with served(filled.site) as address:
        yield address


def sign_in(filled: Filled, watched: Watched) -> None:
    for cookie in filled.client.cookies.jar:
        watched.page.context.add_cookies(
            [{"name": cookie.name, "value": cookie.value or "", "url": watched.address}]
        )


def test_a_first_visit_is_light(filled: Filled, watched: Watched) -> None:
    browser = watched.page.context.browser
    assert browser
    sign_in(filled, watched)
    signed_in = watched.page.context.storage_state()
    for path, state in (("/sign-in", None), (f"{HERE}/issues", signed_in), (HERE, signed_in)):
        found = weight(browser.new_context(storage_state=state), watched.address + path)
        assert 0 < found.without_charts <= 150_000, (path, found)
        assert found.without_charts + found.charts <= 700_000, (path, found)


def test_every_page_is_right_at_every_width_in_both_themes_and_by_keyboard(
    filled: Filled, watched: Watched
) -> None:
    store, context = filled.site.store, watched.page.context
    wrong: dict[str, list[str]] = {}
    opened: list[str] = []

    def look(*paths: str) -> None:
        for path in paths:
            if found := list(everything_wrong(watched, path, opened)):
                wrong[path] = found

    context.add_init_script(page_checks.STILL)
    user = store.users.find(filled.site.account.email)
    assert user
    half = HalfSignIns(store.database, b"s" * 32).begin(user, None)
    context.add_cookies([{"name": STEP_COOKIE, "value": half, "url": watched.address}])
    look(*addresses(filled, Level.PUBLIC), "/sign-in?error=invalid_credentials", "/docs?q=issue", "/docs/no")
    sign_in(filled, watched)
    look(*addresses(filled, *(set(Level) - {Level.PUBLIC})), "/docs", "/api/docs", *FAILING)
    store.two_steps.require(1, is_required=True, actor="test")
    look(TWO_STEPS)
    assert wrong == {}
    assert {"find", "help", "sections", "Choose a start and an end"} <= set(opened)


def everything_wrong(watched: Watched, path: str, opened: list[str]) -> Iterator[str]:
    page = watched.page
    watched.complaints.clear()
    answer = page.goto(watched.address + path)
    assert answer and answer.headers["content-type"].startswith("text/html"), path
    if page.url != watched.address + path:
        yield f"leads to {page.url}"
    # A failure is a page, which the browser says to have failed.
    yield from (said for said in watched.complaints if answer.ok or str(answer.status) not in said)
    yield from page_checks.at_widths(page)
    tall = page.evaluate("document.documentElement.scrollHeight")
    if tall > page_checks.TALLEST and not MAY_BE_TALL.match(path):
        yield f"{tall} px tall"
    yield from page_checks.in_themes(page)
    yield from page_checks.by_keyboard(page)
    yield from page_checks.what_opens(page, opened)

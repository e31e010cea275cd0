"""The assembled pages with a real account store, and without a warehouse: what it takes to see a failure."""

import hashlib
import re

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from dashboards.shared.envelope import CONTENT_SECURITY_POLICY
from dashboards.shared.failures import logged_path
from dashboards.shared.rendering import STATIC
from tests.dashboards.conftest import Site


@pytest.fixture
def browser(site: Site) -> TestClient:
    return site.client


@pytest.fixture
def signed_in(site: Site) -> TestClient:
    return site.sign_in()


def test_a_visitor_is_sent_to_sign_in_and_back_to_the_page_he_wanted(browser: TestClient) -> None:
    answer = browser.get("/projects?x=1", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/projects%3Fx%3D1")
    assert 'value="/projects?x=1"' in browser.get(answer.headers["location"]).text


def test_the_sign_in_page_leads_to_no_other_host(browser: TestClient) -> None:
    assert 'name="next" value="/"' in browser.get("/sign-in?next=//evil.example/").text


def test_a_wrong_password_is_said_on_the_page(browser: TestClient) -> None:
    answer = browser.post("/api/auth/sign-in", data={"email": "owner@shop.example", "password": "no"})
    assert "Wrong email address or password." in answer.text
    assert answer.url.path == "/sign-in"


def test_a_wrong_password_leaves_the_email_in_its_field_and_the_cursor_in_the_password(
    browser: TestClient,
) -> None:
    given = {"email": "o'neil+é@shop.example", "password": "no"}
    answer = browser.post("/api/auth/sign-in", data=given)
    assert "shop.example" not in str(answer.url)
    assert 'value="o&#39;neil+é@shop.example"' in answer.text
    assert re.search(r'<input id="password"[^>]* autofocus>', answer.text)
    again = browser.get("/sign-in?error=invalid_credentials").text
    assert "shop.example" not in again
    assert re.search(r'<input id="email"[^>]* autofocus', again)


def test_signing_out_ends_the_session(signed_in: TestClient) -> None:
    found = re.search(r'name="csrf_token" value="([^"]+)"', signed_in.get("/projects").text)
    assert found
    signed_in.post("/api/auth/sign-out", data={"csrf_token": found[1]})
    assert signed_in.get("/projects").url.path == "/sign-in"


def test_projects_are_listed_with_the_beginning_of_their_key(signed_in: TestClient, site: Site) -> None:
    html = signed_in.get("/projects").text
    assert ">Shop</a>" in html
    assert "errata_app_" in html
    assert site.account.app_key not in html


@pytest.mark.parametrize("path", ["/sign-in", "/projects", "/nowhere", "/static/errata.css", "/api/health"])
def test_every_answer_is_strict_with_browsers(signed_in: TestClient, path: str) -> None:
    headers = signed_in.get(path).headers
    assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_an_unknown_page_is_told_in_the_same_dress_with_a_request_id(signed_in: TestClient) -> None:
    answer = signed_in.get("/nowhere")
    assert answer.status_code == 404
    assert answer.headers["x-request-id"] in answer.text
    assert "owner@shop.example" in answer.text


@pytest.mark.parametrize(
    ("path", "section"),
    [
        ("issues/zz", "Issues"),
        ("nowhere", ""),
        ("performance/nowhere", "Performance"),
        ("performance/budgets/zz", "Performance"),
        (f"performance/budgets/{0:032x}", "Performance"),
        ("alerts/zz", "Alerts"),
        (f"alerts/{0:032x}", "Alerts"),
    ],
)
def test_what_a_project_lacks_is_told_below_the_bar_of_the_project(
    signed_in: TestClient, path: str, section: str
) -> None:
    answer = signed_in.get(f"/projects/shop/{path}")
    assert answer.status_code in (400, 404)
    assert 'href="/projects/shop/delivery"' in answer.text
    current = re.search(r'aria-current="page">(\w+)', answer.text)
    assert (current[1] if current else "") == section


def test_a_project_of_others_has_no_bar(signed_in: TestClient) -> None:
    answer = signed_in.get("/projects/theirs/alerts/zz")
    assert "/projects/theirs/issues" not in answer.text


def test_an_unknown_path_below_api_is_answered_by_the_api(signed_in: TestClient) -> None:
    for address in ("/api/nowhere", "/api/no%0Awhere", "/api/%0A/where"):
        assert signed_in.get(address).json()["error"] == "not_found"


def test_the_theme_of_the_cookie_is_there_from_the_first_byte(browser: TestClient) -> None:
    browser.cookies.set("errata_theme", "dark")
    assert '<html lang="en" data-theme="dark">' in browser.get("/sign-in").text
    browser.cookies.set("errata_theme", '"><script>')
    assert "<script>" not in browser.get("/sign-in").text.split("</head>")[1]


def test_static_files_with_a_hash_may_be_kept_for_ever(browser: TestClient) -> None:
    (address,) = re.findall(r'href="(/static/errata.css[^"]+)"', browser.get("/sign-in").text)
    assert "immutable" in browser.get(address).headers["cache-control"]
    assert "immutable" not in browser.get("/static/errata.css").headers["cache-control"]


def test_the_font_is_ours_preloaded_once_and_kept_for_ever(browser: TestClient) -> None:
    page = browser.get("/sign-in")
    (address,) = re.findall(r'rel="preload" href="([^"]+)" as="font"', page.text)
    named = re.findall(r'url\("([^"]+)"\)', (STATIC / "errata.css").read_text())
    assert [f"/static/{each}" for each in named] == [address]
    font = browser.get(address)
    assert font.headers["content-type"] == "font/woff2"
    assert "immutable" in font.headers["cache-control"]
    assert "font-src 'self'" in page.headers["content-security-policy"]
    assert hashlib.sha256(font.content).hexdigest() in (STATIC / "vendor/inter/README.md").read_text()


def test_no_file_of_ours_names_another_host() -> None:
    static = [path for path in STATIC.rglob("*") if path.is_file() and "vendor" not in path.parts]
    templates = list(STATIC.parent.rglob("*.html"))
    ours = static + templates
    assert len(static) > 8 and len(templates) > 50
    for path in ours:
        addresses = set(re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^\s\"')]*", path.read_text()))
        assert addresses <= {"http://www.w3.org/2000/svg"}, path


def test_charts_are_drawn_without_the_cloud_and_without_styles_written_into_the_page() -> None:
    script = (STATIC / "charts.js").read_text()
    for wanted in ("showSendToCloud: false", 'plotlyServerURL: ""', "displaylogo: false"):
        assert wanted in script
    issue_page = (STATIC.parent / "issue" / "issue.html").read_text()
    assert 'id="plotly.js-style-global" class="no-inline-styles"' in issue_page


def test_the_vendored_script_keeps_its_licence_beside_it() -> None:
    folder = STATIC / "vendor" / "plotly"
    assert (
        "MIT License" in (folder / "LICENSE").read_text()[:200] or "MIT" in (folder / "LICENSE").read_text()
    )
    assert (folder / "plotly-cartesian.min.js").stat().st_size > 1_000_000


@pytest.mark.parametrize("page", ["performance", "performance?tab=endpoints", "performance/resources"])
def test_a_page_that_takes_too_much_keeps_its_frame_and_says_what_to_do(narrow_site: Site, page: str) -> None:
    answer = narrow_site.sign_in().get(f"/projects/shop/{page}")
    assert answer.status_code == 422
    assert 'aria-current="page">Performance' in answer.text
    assert "choose a shorter period" in answer.text
    assert answer.headers["x-request-id"] in answer.text
    key = {"Authorization": f"Bearer {narrow_site.account.api_key}"}
    told = narrow_site.client.get("/api/projects/shop/performance/pages", headers=key)
    assert (told.status_code, told.json()["error"]) == (422, "too_much_to_read")
    assert (
        "choose a shorter period or set environment, release, device, browser or country"
        in told.json()["message"]
    )
    at_one = "/api/projects/shop/performance/endpoints?environment=production"
    assert (
        "choose a shorter period or set release."
        in narrow_site.client.get(at_one, headers=key).json()["message"]
    )


@pytest.mark.parametrize("page", ["issues", "performance", "performance?tab=endpoints"])
def test_a_page_whose_warehouse_is_away_keeps_its_frame_and_says_what_to_do(
    signed_in: TestClient, page: str
) -> None:
    answer = signed_in.get(f"/projects/shop/{page}")
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert 'aria-current="page">Issues' in answer.text or 'aria-current="page">Performance' in answer.text
    assert "errata doctor" in answer.text
    assert answer.headers["x-request-id"] in answer.text


def test_a_project_of_nobody_is_unknown(signed_in: TestClient) -> None:
    answer = signed_in.get("/projects/theirs/issues")
    assert answer.status_code == 404
    assert "Page not found" in answer.text


def test_projects_are_listed_even_while_the_warehouse_is_away(signed_in: TestClient) -> None:
    answer = signed_in.get("/projects")
    assert answer.status_code == 200
    assert "Figures are temporarily unavailable" in answer.text


def test_what_nobody_foresaw_is_a_page_with_the_id_that_the_log_has(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    def fails() -> None:
        raise ZeroDivisionError("a secret of the code")

    app = site.client.app
    assert isinstance(app, FastAPI)
    app.add_api_route("/fails", fails)
    answer = site.client.get("/fails")
    assert answer.status_code == 500
    assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert "a secret of the code" not in answer.text
    assert answer.headers["x-request-id"] in answer.text
    (record,) = [one for one in caplog.records if one.name == "dashboards"]
    assert answer.headers["x-request-id"] in record.getMessage()


def test_a_button_without_its_token_changes_nothing(signed_in: TestClient) -> None:
    answer = signed_in.post("/api/issues/0000000000000001/resolve")
    assert (answer.status_code, answer.json()["error"]) == (403, "csrf_failed")


def test_the_token_of_a_public_link_stays_out_of_the_log() -> None:
    assert logged_path("/shared/secret-token") == "/shared/…"
    assert logged_path("/projects/shop/issues") == "/projects/shop/issues"


def test_pages_are_compressed_unless_another_site_may_have_asked(browser: TestClient) -> None:
    def asked(by: str | None, path: str = "/docs/pages") -> tuple[str, str]:
        headers = {"Accept-Encoding": "gzip", **({"Sec-Fetch-Site": by} if by else {})}
        answer = browser.get(path, headers=headers)
        return answer.headers.get("Content-Encoding", ""), answer.text

    _, whole = asked(None)
    for by, encoding in (
        *(("same-origin", "gzip"), ("none", "gzip")),
        *(("cross-site", ""), ("same-site", ""), (None, "")),
    ):
        assert asked(by) == (encoding, whole), by
    assert asked("none", "/api/health")[0] == ""

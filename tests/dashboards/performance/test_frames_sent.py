"""A real page with the real SDK: an interaction long after the page load, with and without a patient span."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from errata.warehouse.roles import Role
from tests.dashboards.browser import CHROMIUM, Watched
from tests.dashboards.conftest import Site
from tests.processes import WarehouseProcess
from tests.recorded_shop import running

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"), pytest.mark.slow]
# By default the SDK measures a page load until nothing has happened for a second.
LATER_MS = 4000
# As if the visitor turned to another tab: a page that is left may lose requests on a busy machine.
HIDE = """() => {
  Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
}"""
# The last vital that is sent then.
SENT_LAST = b"browser.web_vital.inp.value"
MOST_WAITS = 100


def lines(logs: Path) -> list[bytes]:
    return b"".join(file.read_bytes() for file in logs.glob("*.log")).splitlines()


@pytest.fixture
def visitor(watched: Watched) -> Iterator[Page]:
    browser = watched.page.context.browser
    assert browser is not None
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("is_patient", [False, True], ids=["default", "idleTimeout"])
def test_a_patient_span_has_the_frame_of_a_later_interaction(
    live_site: Site,
    warehouse: WarehouseProcess,
    visitor: Page,
    tmp_path: Path,
    is_patient: bool,
) -> None:
    with running(live_site.account.app_key, tmp_path) as address:
        if is_patient:
            visitor.context.add_cookies([{"name": "patient", "value": "yes", "url": address}])
        visitor.goto(f"{address}/cart.html")
        visitor.wait_for_timeout(LATER_MS)
        visitor.get_by_role("button", name="Pay").click()
        visitor.wait_for_timeout(1000)
        for _ in range(MOST_WAITS):
            # The browser may tell of the interaction only after the visitor turned away for the first time.
            visitor.evaluate(HIDE)
            if SENT_LAST in b"".join(lines(tmp_path)):
                break
            visitor.wait_for_timeout(200)
    live_site.deliver(lines(tmp_path))
    read = warehouse.client(Role.READ)
    (view,) = read.rows(
        "select view_id from errata_raw.page_views where is_load",
        {"projects": live_site.store.projects.ids()},
    )
    read.close()
    found = live_site.sign_in().get(f"/api/page-views/{view['view_id']:016x}/waterfall").json()
    assert found["view"]["inp_ms"] >= 100
    if not is_patient:
        assert found["inp_frame"] is None and found["inp_parts"]["processing_ms"] is None
        return
    # The SDK wraps the handler, which is named payNow.
    assert (found["inp_frame"]["invoker"], found["inp_frame"]["function"]) == ("BUTTON#pay.onclick", "")
    assert found["inp_parts"]["processing_ms"] >= 100
    assert sum(found["inp_parts"].values()) == pytest.approx(found["view"]["inp_ms"], abs=0.01)

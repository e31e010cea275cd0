"""Why a page of performance has no figures: nothing sent yet, nothing built yet, or nothing that matches."""

from typing import Literal

from dashboards.shared.addresses import View
from dashboards.shared.rendering import Page, render
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.performance.data_received import Received, data_received
from errata.warehouse.queries.performance.endpoints import DAYS as CALLS
from errata.warehouse.queries.performance.page_views import DAYS
from errata.warehouse.queries.progress import progress

Reason = Literal["never_sent", "building", "filtered", "other_period"]


def reason_of(received: Received, is_narrowed: bool) -> Reason:
    if not received.is_any:
        return "never_sent"
    if is_narrowed:
        return "filtered"
    return "building" if received.is_waiting else "other_period"


def first_build_page(warehouse: Warehouse, page: Page, view: View, tab: str, project_id: int) -> bytes | None:
    """The page of a tab from the first data to the end of the first build, which leaves no time for
    questions; None before and after."""
    is_of_calls = tab == "endpoints"
    if progress(warehouse.of([project_id]), CALLS if is_of_calls else DAYS).as_of is not None:
        return None
    received = data_received(warehouse, project_id, None)
    if not (received.calls if is_of_calls else received.loads).is_any:
        return None
    return render("performance/first_build.html", page, view=view, tab=tab)

"""The Delivery page says how full the disk is, and that deliveries are refused."""

from datetime import date, timedelta

import pytest

from dashboards.shared.disk import shown_disk
from errata.warehouse.disk import Space
from errata.warehouse.queries.delivery.storage import Storage
from tests.dashboards.conftest import Site

TODAY = date(2026, 11, 23)


def found(growth: int | None, full_on: date | None, is_lacking: bool = False) -> Storage:
    return Storage(Space(40_000_000_000, 100_000_000_000), 2_000_000_000, is_lacking, growth, full_on)


def test_the_words_tell_of_growth_and_of_the_day_it_is_full() -> None:
    assert shown_disk(found(None, None), TODAY).words == (
        "40 GB of 100 GB free. Its growth is shown after three whole days of deliveries."
    )
    far = shown_disk(found(1_000_000, TODAY + timedelta(days=400)), TODAY)
    assert far.words == "40 GB of 100 GB free; grows by 1 MB per day, full on 2027-12-28."
    assert not far.is_full_soon and not far.refusal
    assert shown_disk(found(4_000_000_000, TODAY + timedelta(days=10)), TODAY).is_full_soon
    assert "enough for ten years" in shown_disk(found(5, None), TODAY).words
    refusing = shown_disk(found(5, TODAY, is_lacking=True), TODAY)
    assert "2 GB must stay free" in refusing.refusal and "ten years" not in refusing.words


@pytest.mark.slow
def test_the_delivery_page_and_its_answer_show_the_disk(live_site: Site) -> None:
    live_site.sign_in()
    live_site.tell("host=web-1; file=errata-2026-11-21.log; id=9f86d081884c7d65; from=0; to=10; size=10")
    page = live_site.client.get("/projects/shop/delivery?period=90d").text
    assert "Service disk: " in page and "Deliveries refused" not in page
    key = {"Authorization": f"Bearer {live_site.account.api_key}"}
    disk = live_site.client.get("/api/projects/shop/delivery", headers=key).json()["disk"]
    assert 0 < disk["free_bytes"] <= disk["total_bytes"] and not disk["is_refusing"]


@pytest.mark.slow
def test_the_delivery_page_says_that_deliveries_are_refused(live_site: Site) -> None:
    live_site.sign_in()
    live_site.tell("host=web-1; file=errata-2026-11-21.log; id=9f86d081884c7d65; from=0; to=10; size=10")
    context = live_site.client.app.state.context  # type: ignore[attr-defined]
    refusing = context.settings.model_copy(update={"disk_free_min_bytes": 1 << 60})
    object.__setattr__(context, "settings", refusing)
    page = live_site.client.get("/projects/shop/delivery?period=90d").text
    assert "Deliveries refused: the service's disk is nearly full" in page

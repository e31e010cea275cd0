"""Failures lead to what the documentation says about their error."""

from api.problems import STATUS
from dashboards.documentation.markdown import anchors
from errata.documentation.documents import documents
from tests.dashboards.conftest import Site


def test_every_error_of_the_api_has_an_anchor() -> None:
    assert {*STATUS, "internal_error"} <= anchors(documents()["errors.md"])


def test_a_page_of_a_failure_links_to_its_error(site: Site) -> None:
    link = '<a href="/docs/errors#{0}"><code>{0}</code></a>'
    client = site.sign_in()
    assert link.format("not_found") in client.get("/nowhere").text
    assert link.format("warehouse_unavailable") in client.get("/projects/shop/issues").text
    below = client.get("/api/projects/none/performance/report", headers={"Accept": "text/html"})
    assert link.format("project_not_found") in below.text

"""The tab Grouping of an issue, as it is sent."""

import pytest

from tests.dashboards.conftest import Site
from tests.dashboards.settings.test_grouping import an_event, issues_of


@pytest.mark.slow
def test_the_tab_tells_why_each_variant_is_in_the_issue(live_site: Site) -> None:
    live_site.deliver([an_event("KeyError", "f0", "x = 1")])
    client = live_site.sign_in()
    (issue,) = issues_of(live_site)
    text = client.get(f"/projects/shop/issues/{issue['id']}?tab=grouping").text
    assert "1 variant" in text and "Grouped by in-app frames" in text
    assert "An event joins this issue if its type" in text
    assert "shop.cart f0" in text and "No issues have been merged into this one" in text
    page = client.get("/projects/shop/settings/grouping").text
    assert "configuration 1 is active" in page and "no custom rules" in page


@pytest.mark.slow
def test_stacks_are_marked_by_the_rules_in_force(live_site: Site) -> None:
    live_site.deliver([an_event("KeyError", "f0", "x = 1")])
    client, store = live_site.sign_in(), live_site.store
    (issue,) = issues_of(live_site)
    path = f"/projects/shop/issues/{issue['id']}"
    assert "frame-app" in client.get(path).text
    owner = store.keys.api.owner(live_site.account.api_key)
    assert owner is not None
    project = store.projects.get(owner.organization_id, "shop")
    draft = store.grouping.save_draft(project.id, 2, "module:shop.* -app", actor="ada")
    store.grouping.activate(owner.organization_id, "shop", project.id, draft.number, actor="ada")
    text = client.get(path).text
    assert "frame-vendor" in text and "frame-app" not in text

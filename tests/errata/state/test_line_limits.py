from collections.abc import Callable

import pytest

from errata.errors import InvalidParameter
from errata.state import Store
from errata.state.errors import ProjectNotFound


@pytest.fixture
def replace(store: Store, organization_id: int) -> Callable[[str, int | None], None]:
    store.keys.app.create(organization_id, "web-shop", "worker", actor="x")
    return lambda service, lines: store.line_limits.replace(
        organization_id, "web-shop", service, lines, actor="owner"
    )


def limits(store: Store, organization_id: int) -> list[tuple[str, int]]:
    [project] = store.projects.of_organization(organization_id)
    found = store.line_limits.of_projects([project.id])
    assert {limit.project_id for limit in found} <= {project.id}
    return [(limit.service, limit.lines_per_minute) for limit in found]


def test_limits_of_a_project_and_a_service_are_set_replaced_and_removed(
    store: Store, organization_id: int, replace: Callable[[str, int | None], None]
) -> None:
    replace("worker", 60)
    replace("", 600)
    assert limits(store, organization_id) == [("", 600), ("worker", 60)]
    replace("worker", 90)
    replace("", None)
    assert limits(store, organization_id) == [("worker", 90)]
    entries = [
        entry.subject
        for entry in store.activity.entries(organization_id)
        if entry.action.value == "line_limit.changed"
    ]
    assert entries[:2] == ["web-shop: no limit of its own", "web-shop, service worker: 90 lines per minute"]


def test_a_route_has_the_limits_of_its_project_and_service(
    store: Store, organization_id: int, replace: Callable[[str, int | None], None]
) -> None:
    web = store.keys.app.create(organization_id, "web-shop", "web", actor="x").key
    worker = store.keys.app.regenerate(organization_id, "web-shop", "worker", actor="x").key
    own = store.keys.app.regenerate(organization_id, "web-shop", actor="x").key
    replace("worker", 60)
    replace("", 600)
    routes = store.keys.app.routes(organization_id, {web, worker, own})
    found = {route.service: (route.project_limit, route.service_limit) for route in routes.values()}
    assert found == {"web": (600, 0), "worker": (600, 60), "": (600, 0)}
    route = store.keys.app.route_of_project(organization_id, "web-shop")
    assert (route.project_limit, route.service_limit) == (600, 0)


def test_what_cannot_be_limited_is_refused(
    store: Store, organization_id: int, replace: Callable[[str, int | None], None]
) -> None:
    for service, lines in (("other", 5), ("", 0), ("", -1), ("worker", 10**10)):
        with pytest.raises(InvalidParameter):
            replace(service, lines)
    with pytest.raises(ProjectNotFound):
        store.line_limits.replace(organization_id, "other", "", 5, actor="x")
    assert limits(store, organization_id) == []

from collections.abc import Callable

import pytest

from errata.errors import InvalidParameter
from errata.state import Store
from errata.state.errors import ProjectNotFound
from errata.state.ingest_limits import NOT_LEARNED, LimitKind, limits_of


@pytest.fixture
def replace(store: Store, organization_id: int) -> Callable[[str, int | None], None]:
    store.keys.app.create(organization_id, "web-shop", "worker", actor="x")

    def replace(service: str, lines: int | None) -> None:
        limits = {LimitKind.LINES: lines}
        store.ingest_limits.replace(organization_id, "web-shop", service, limits, actor="owner")

    return replace


def limits(store: Store, organization_id: int) -> list[tuple[str, int]]:
    [project] = store.projects.of_organization(organization_id)
    found = store.ingest_limits.of_projects([project.id])
    assert {limit.project_id for limit in found} <= {project.id}
    return [(limit.service, limit.per_minute) for limit in found]


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
    assert entries[:2] == ["web-shop: no limit of lines", "web-shop, service worker: 90 lines per minute"]


def test_a_route_has_the_limits_of_its_project_and_service(
    store: Store, organization_id: int, replace: Callable[[str, int | None], None]
) -> None:
    web = store.keys.app.create(organization_id, "web-shop", "web", actor="x").key
    worker = store.keys.app.regenerate(organization_id, "web-shop", "worker", actor="x").key
    own = store.keys.app.regenerate(organization_id, "web-shop", actor="x").key
    replace("worker", 60)
    replace("", 600)
    routes = store.keys.app.routes(organization_id, {web, worker, own})
    found = {route.service: limits_of(route.limits) for route in routes.values()}
    lines = {
        service: (one.of_project.get(LimitKind.LINES), one.of_service.get(LimitKind.LINES))
        for service, one in found.items()
    }
    assert lines == {"web": (600, None), "worker": (600, 60), "": (600, None)}
    route = store.keys.app.route_of_project(organization_id, "web-shop")
    assert limits_of(route.limits).of_project == {LimitKind.LINES: 600}
    assert limits_of(route.limits).of_service == {}


def test_limits_of_every_kind_stand_side_by_side(store: Store, organization_id: int) -> None:
    kinds = {LimitKind.LINES: 5, LimitKind.BYTES: 10**12, LimitKind.PAYLOADS: 1}
    project_id = store.ingest_limits.replace(organization_id, "web-shop", "", kinds, actor="owner")
    spikes = {LimitKind.SPIKES: NOT_LEARNED}
    store.ingest_limits.replace(organization_id, "web-shop", "", spikes, actor="owner")
    store.ingest_limits.learn(project_id, 7_000)
    for _ in range(2):
        # Switched on again, it keeps what was learned.
        store.ingest_limits.replace(organization_id, "web-shop", "", spikes, actor="owner")
        route = store.keys.app.route_of_project(organization_id, "web-shop")
        assert limits_of(route.limits).of_project == {**kinds, LimitKind.SPIKES: 7_000}
    store.ingest_limits.replace(organization_id, "web-shop", "", dict.fromkeys(LimitKind), actor="owner")
    assert store.keys.app.route_of_project(organization_id, "web-shop").limits == ""
    store.ingest_limits.learn(project_id, 7_000)
    assert store.ingest_limits.spike_protected() == {}


def test_what_cannot_be_limited_is_refused(
    store: Store, organization_id: int, replace: Callable[[str, int | None], None]
) -> None:
    for service, lines in (("other", 5), ("", 0), ("", -1), ("worker", 10**13)):
        with pytest.raises(InvalidParameter):
            replace(service, lines)
    with pytest.raises(ProjectNotFound):
        store.ingest_limits.replace(organization_id, "other", "", {LimitKind.LINES: 5}, actor="x")
    for kind in (LimitKind.PAYLOADS, LimitKind.SPIKES):
        with pytest.raises(InvalidParameter):
            store.ingest_limits.replace(organization_id, "web-shop", "worker", {kind: 5}, actor="x")
    assert limits(store, organization_id) == []

"""People put issues together and take them apart, over HTTP."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import ApiSettings
from errata.state import Store
from errata.warehouse.queries.membership import decided_merges, differences, members_of
from errata.warehouse.roles import Role
from tests.api.conftest import Api, Prepared
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.processes import WarehouseProcess

A, B, C = 0xFFFFFFFFFFFFFF0A, 0xB, 0xC


class Shop:
    """Issues A, B and C of the variants 1, 2 and 3; 1 also has 4."""

    def __init__(
        self, warehouse: WarehouseProcess, store: Store, prepared: Prepared, client: TestClient
    ) -> None:
        self.ingest, self.read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
        self.api = Api(client.app, client, store, prepared.account)  # type: ignore[arg-type]
        (project,) = client.get("/api/projects", headers=self.api.key).json()["projects"]
        self.project_id: int = project["id"]
        self.arrive({1: A, 2: B, 3: C, 4: A})

    def arrive(self, issues: dict[int, int]) -> None:
        own = {"project_id": self.project_id}
        variants = [a_variant(variant_hash=n, title=f"Error {n}", **own) for n in issues]
        insert(self.ingest, "errata_raw.variants", variants)
        mapped = [
            a_mapping(variant_hash=n, issue_id=issue, fingerprint_hash=issue, **own)
            for n, issue in issues.items()
        ]
        insert(self.ingest, "errata_raw.variant_issues", mapped)

    def occur(self, variant: int, count: int) -> None:
        event = {"project_id": self.project_id, "variant_hash": variant}
        insert(self.ingest, "errata_raw.error_events", [an_error_event(**event) for _ in range(count)])

    def regroup(self, issues: dict[int, int]) -> None:
        """By another configuration, which holds from now on."""
        own = {"project_id": self.project_id, "configuration": 2}
        mapped = [a_mapping(variant_hash=n, issue_id=issue, **own) for n, issue in issues.items()]
        insert(self.ingest, "errata_raw.variant_issues", mapped)
        insert(self.ingest, "errata_raw.grouping_switches", [{**own, "actor": ""}])

    def events(self, issue: int) -> int:
        answer = self.api.client.get(f"/api/issues/{issue:016x}/events", headers=self.api.key)
        return len(answer.json()["events"])

    def post(self, issue: int, action: str, **body: Any) -> Any:
        path = f"/api/issues/{issue:016x}/{action}"
        answer = self.api.client.post(path, json=body or None, headers=self.api.key)
        assert answer.status_code in (200, 204), answer.text
        return answer.json() if answer.content else None

    def issues(self) -> dict[int, set[int]]:
        rows = self.read.rows(
            "select issue_id, groupArray(variant_hash) as variants from errata_read.issue_variants "
            "group by issue_id",
            {"project_id": self.project_id},
        )
        return {row["issue_id"]: set(row["variants"]) for row in rows}


@pytest.fixture
def shop(warehouse: WarehouseProcess, store: Store, prepared: Prepared) -> Any:
    app = create_app(ApiSettings(), store, warehouse.client(Role.INGEST), warehouse.client(Role.READ))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield Shop(warehouse, store, prepared, client)


@pytest.mark.slow
def test_taking_a_merge_back_gives_all_that_was_part_of_it(shop: Shop) -> None:
    shop.post(A, "merge", into=f"{B:016x}")
    shop.post(B, "merge", into=f"{C:016x}")
    shop.arrive({5: A, 6: B})
    assert shop.issues() == {C: {1, 2, 3, 4, 5, 6}}
    shop.post(B, "unmerge")
    shop.arrive({7: A})
    assert shop.issues() == {C: {3}, B: {1, 2, 4, 5, 6, 7}}
    assert shop.api.error(
        400, "POST", f"/api/issues/{B:016x}/merge", json={"into": f"{A:016x}"}, headers=shop.api.key
    )
    assert differences(shop.read, shop.project_id) == [(B, C)]


@pytest.mark.slow
def test_a_split_takes_the_chosen_variants_alone(shop: Shop) -> None:
    new = int(shop.post(A, "split", variants=[f"{4:016x}"])["issue_id"], 16)
    assert shop.issues() == {A: {1}, new: {4}, B: {2}, C: {3}}
    shop.arrive({5: A})
    assert shop.issues()[A] == {1, 5}
    shop.post(A, "split", variants=[f"{5:016x}"], into=f"{new:016x}")
    shop.post(new, "merge", into=f"{C:016x}")
    assert shop.issues() == {A: {1}, C: {3, 4, 5}, B: {2}}
    shop.post(C, "release", variants=[f"{4:016x}"])
    assert shop.issues() == {A: {1, 4}, C: {3, 5}, B: {2}}
    members = {member.variant_hash: member for member in members_of(shop.read, shop.project_id, [A, C])}
    assert [members[n].is_placed for n in (1, 3, 4, 5)] == [True, True, False, True]


@pytest.mark.slow
def test_splitting_off_all_of_a_merged_issue_takes_its_merge_back(shop: Shop) -> None:
    shop.post(A, "merge", into=f"{B:016x}")
    assert shop.post(B, "split", variants=[f"{n:016x}" for n in (4, 1)])["issue_id"] == f"{A:016x}"
    shop.arrive({5: A})
    assert shop.issues()[A] == {1, 4, 5}
    assert decided_merges(shop.read, shop.project_id).merges.parents == {}


@pytest.mark.slow
def test_what_cannot_be_done_is_said(shop: Shop) -> None:
    for action, body in (
        ("split", {"variants": [f"{1:016x}", f"{4:016x}"]}),
        ("split", {"variants": []}),
        ("split", {"variants": [f"{1:016x}"], "into": f"{A:016x}"}),
        ("release", {"variants": ["1"]}),
        ("distinct", {"other": f"{A:016x}"}),
    ):
        path = f"/api/issues/{A:016x}/{action}"
        assert shop.api.error(400, "POST", path, json=body, headers=shop.api.key) == "invalid_parameter"
    elsewhere = {"json": {"variants": [f"{2:016x}"]}, "headers": shop.api.key}
    for action in ("split", "release"):
        path = f"/api/issues/{A:016x}/{action}"
        assert shop.api.error(404, "POST", path, **elsewhere) == "variant_not_found"
    path = f"/api/issues/{A:016x}/distinct"
    gone = {"json": {"other": "00000000000000ff"}, "headers": shop.api.key}
    assert shop.api.error(404, "POST", path, **gone) == "issue_not_found"
    assert shop.issues() == {A: {1, 4}, B: {2}, C: {3}}


@pytest.mark.slow
def test_an_emptied_issue_leads_to_where_most_of_its_events_are(shop: Shop) -> None:
    def led_to(issue: int) -> int | None:
        answer = shop.api.client.get(f"/api/issues/{issue:016x}", headers=shop.api.key)
        assert answer.status_code == 200, answer.text
        found = answer.json()
        assert (found["merged_into"] is None) == (found["id"] == f"{issue:016x}")
        return int(found["id"], 16)

    for variant, count in {1: 3, 4: 5}.items():
        shop.occur(variant, count)
    first = int(shop.post(A, "split", variants=[f"{1:016x}"])["issue_id"], 16)
    assert led_to(A) == A
    # Nothing is left in A: one of its variants is in an issue of its own, the other where rules put it.
    shop.regroup({4: B})
    shop.post(A, "release", variants=[f"{4:016x}"])
    assert shop.issues() == {first: {1}, B: {2, 4}, C: {3}}
    assert led_to(A) == B
    assert shop.events(A) == shop.events(B) == 5
    # Wherever they go on to.
    shop.post(B, "merge", into=f"{C:016x}")
    assert led_to(A) == C == led_to(B)
    shop.occur(1, 9)
    assert led_to(A) == first
    # What comes to it again is found under its own address again.
    shop.arrive({5: A})
    assert led_to(A) == A
    for nobody in (0xD, 0xE):
        answer = shop.api.client.get(f"/api/issues/{nobody:016x}", headers=shop.api.key)
        assert answer.status_code == 404


@pytest.mark.slow
def test_undoing_a_merge_leaves_nothing_of_it_behind(shop: Shop) -> None:
    def asked(action: str, **body: Any) -> Any:
        path = f"/api/projects/web-shop/issues/{action}"
        answer = shop.api.client.post(path, json=body, headers=shop.api.key)
        return answer.status_code, answer.json()

    before = shop.issues()
    status, made = asked("merge", ids=[f"{B:016x}", f"{C:016x}"], into=f"{A:016x}")
    assert status == 200 and shop.issues() == {A: {1, 2, 3, 4}}
    shop.arrive({5: B})
    assert shop.issues() == {A: {1, 2, 3, 4, 5}}
    status, undone = asked("undo", batch_id=made["batch_id"])
    assert (status, undone["count"]) == (200, 2)
    assert shop.issues() == {**before, B: {2, 5}}
    assert not any(member.is_placed for member in members_of(shop.read, shop.project_id, [A, B, C]))
    decided = decided_merges(shop.read, shop.project_id)
    assert (decided.merges.parents, decided.by_people) == ({}, frozenset())
    assert differences(shop.read, shop.project_id) == []
    assert asked("undo", batch_id=made["batch_id"])[0] == 200 and shop.issues() == {**before, B: {2, 5}}
    # Not once more was decided; but when that is taken back itself.
    first = asked("merge", ids=[f"{B:016x}"], into=f"{A:016x}")[1]
    second = asked("merge", ids=[f"{A:016x}"], into=f"{C:016x}")[1]
    status, refused = asked("undo", batch_id=first["batch_id"])
    assert (status, refused["error"]) == (409, "decided_since")
    assert asked("undo", batch_id=second["batch_id"])[0] == 200
    assert shop.issues() == {A: {1, 2, 4, 5}, C: {3}}
    assert asked("undo", batch_id=first["batch_id"])[0] == 200
    assert shop.issues() == {**before, B: {2, 5}}
    # All or nothing.
    assert asked("merge", ids=[f"{B:016x}", f"{0xD:016x}"], into=f"{A:016x}")[0] == 404
    assert shop.issues() == {**before, B: {2, 5}}

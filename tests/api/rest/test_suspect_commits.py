"""Suspect commits of issues and of what a release brought, from events and commits as tools send them."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from errata.state.capability import Capability
from errata.warehouse.roles import Role
from pipelines.marts.release_impact import judge_releases
from tests.cases import each
from tests.mart_builds import build_marts
from tests.page_loads import RELEASED, deliver, loads
from tests.processes import WarehouseProcess
from tests.uploading import Uploading, uploading

RELEASE = "shop@1.1"
COMMITS = [
    {"id": "c" * 40, "message": "Tidy up\n\nAll of it.", "patch_set": [{"path": "README.md", "type": "M"}]},
    {
        "id": "b" * 40,
        "message": "Divide the cart",
        "author_name": "Ada",
        "timestamp": "2026-11-20T10:00:00+01:00",
        "patch_set": [{"path": "src/cart.py", "type": "M"}, {"path": "src/views.py", "type": "M"}],
    },
    {"id": "a" * 40, "message": "Show the cart", "patch_set": [{"path": "src/views.py", "type": "A"}]},
]


def event(message: str, *files: str, release: str = RELEASE) -> dict[str, Any]:
    frames = [
        {"filename": file, "function": f"call_{number}", "module": message, "in_app": True, "lineno": 3}
        for number, file in enumerate(files)
    ]
    raised = {"type": message, "value": message, "stacktrace": {"frames": frames}}
    return {
        "event_id": uuid4().hex,
        "platform": "python",
        "level": "error",
        "environment": "production",
        "release": release,
        "exception": {"values": [raised]},
    }


@pytest.fixture
def api(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[Uploading]:
    with uploading(warehouse, tmp_path) as api:
        api.deliver(
            [
                event(
                    "CartError", "/srv/shop/src/main.py", "/srv/shop/src/views.py", "/srv/shop/src/cart.py"
                ),
                event("OtherError", "/srv/shop/src/other.py"),
                event("NoStack"),
                event("OldError", "/srv/shop/src/cart.py", release="shop@1.0"),
            ]
        )
        yield api


def send_commits(api: Uploading) -> None:
    answer = api.client.post(
        "/api/0/organizations/any/releases/",
        json={"version": RELEASE, "projects": [api.project.slug], "commits": COMMITS},
        headers={"Authorization": f"Bearer {api.token()}"},
    )
    assert answer.status_code == 201, answer.text


def issue_ids(api: Uploading) -> dict[str, str]:
    found = api.get(f"{api.path}/issues", period="90d")["issues"]
    return {one["type"]: one["id"] for one in found}


def test_suspects_of_an_issue_are_the_commits_that_changed_its_stack_or_it_says_why_not(
    api: Uploading,
) -> None:
    ids = issue_ids(api)
    path = "/api/issues/{}/suspect-commits"
    assert api.get(path.format(ids["CartError"])) == {
        "release": RELEASE,
        "suspects": [],
        "unknown_because": "no_commits",
    }
    send_commits(api)
    found = api.get(path.format(ids["CartError"]))
    assert found["unknown_because"] is None
    assert found["suspects"][0] == {
        "commit_id": "b" * 40,
        "title": "Divide the cart",
        "author_name": "Ada",
        "committed_at": "2026-11-20T09:00:00Z",
        "path": "src/cart.py",
        "frame_position": 0,
    }
    assert [(one["title"], one["path"], one["frame_position"]) for one in found["suspects"][1:]] == [
        ("Show the cart", "src/views.py", 1)
    ]
    for name, why in (("OtherError", "no_match"), ("NoStack", "no_stack"), ("OldError", "no_commits")):
        assert api.get(path.format(ids[name]))["unknown_because"] == why
    # It began before: whoever asks names the release.
    named = api.get(path.format(ids["OldError"]), release=RELEASE)
    assert [one["title"] for one in named["suspects"]] == ["Divide the cart"]


def test_frames_are_the_application_s_own_as_the_project_s_rules_say(api: Uploading) -> None:
    send_commits(api)
    rules = api.store.grouping
    draft = rules.save_draft(api.project.id, 4, "path:**/cart.py -app", actor="ada")
    rules.activate(api.organization_id, api.project.slug, api.project.id, draft.number, actor="ada")
    found = api.get(f"/api/issues/{issue_ids(api)['CartError']}/suspect-commits")
    assert [one["path"] for one in found["suspects"]] == ["src/views.py", "src/views.py"]


def test_a_commit_sent_again_is_one(api: Uploading) -> None:
    send_commits(api)
    send_commits(api)
    found = api.get(f"/api/issues/{issue_ids(api)['CartError']}/suspect-commits")
    assert len(found["suspects"]) == 2


@each("issue_id, status, code", [("0" * 15 + "1", 404, "issue_not_found"), ("zz", 400, "invalid_parameter")])
def test_an_unknown_issue_has_none(issue_id: str, status: int, code: str, api: Uploading) -> None:
    answer = api.client.get(f"/api/issues/{issue_id}/suspect-commits", headers=api.headers)
    assert (answer.status_code, answer.json()["error"]) == (status, code)


@pytest.mark.slow
def test_a_token_for_verdicts_reads_what_a_release_brought(
    api: Uploading, warehouse: WarehouseProcess
) -> None:
    send_commits(api)
    before = RELEASED - timedelta(days=7)
    deliver(
        warehouse,
        loads("shop@1.0", before, 60, project_id=api.project.id),
        loads(RELEASE, RELEASED, 60, seed=2, project_id=api.project.id),
    )
    build_marts(warehouse, "variant_hourly", "variant_daily", "variant_totals", "issue_totals", "issues")
    builder = warehouse.client(Role.BUILD)
    judge_releases(builder, timedelta(0))
    builder.close()
    headers = {"Authorization": f"Bearer {api.token(Capability.VERDICT)}"}
    path = f"{api.path}/performance/releases"
    answer = api.client.get(f"{path}/shop%401.1/issues", headers=headers)
    assert answer.status_code == 200, answer.text
    found = {one["title"]: one for one in answer.json()["new_issues"]}
    assert answer.json()["regressed_issues"] == []
    assert len(found) == 3 and not any("OldError" in title for title in found)
    (cart,) = [one for title, one in found.items() if "CartError" in title]
    assert [one["title"] for one in cart["suspects"]] == ["Divide the cart", "Show the cart"]
    assert cart["id"] == issue_ids(api)["CartError"]
    assert {one["unknown_because"] for one in found.values()} == {None, "no_match", "no_stack"}
    missing = api.client.get(f"{path}/shop%402/issues", headers=headers)
    assert (missing.status_code, missing.json()["error"]) == (404, "release_not_found")
    refused = api.client.get(f"/api/issues/{cart['id']}/suspect-commits", headers=headers)
    assert refused.status_code == 403

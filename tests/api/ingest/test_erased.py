"""All data of a project erased: what it removes, and lines delivered afterwards."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from errata.warehouse.queries.erasures.log import Erasure, Kind, Step, record
from tests.api.ingest.conftest import IngestNode
from tests.api.ingest.test_deliver import EVENTS, a_line


def test_a_line_logged_at_the_moment_of_the_erasure_is_refused_and_a_later_one_stored(
    node: IngestNode,
) -> None:
    (project_id,) = (project.id for _, project in node.store.projects.all())
    at = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=1)
    for asked_at in (at, at - timedelta(hours=1)):
        erasure = Erasure(project_id, uuid4(), Kind.PROJECT, "shop", "owner", asked_at)
        record(node.admin, erasure, Step.SETTLED)
    for moment in (at, at + timedelta(milliseconds=1)):
        logged, undated = (
            a_line(logged_at=moment.isoformat()),
            a_line({"timestamp": moment.isoformat()}, logged_at=None),
        )
        assert node.deliver(logged + undated)[1]["rejected"] == []
    assert node.count(EVENTS) == 2
    (erased,) = node.admin.rows("select outcome, sum(item_count) as n from errata_raw.outcomes group by 1")
    assert (erased["outcome"], erased["n"]) == ("erased", 2)


def test_an_erasure_of_all_data_is_previewed(node: IngestNode) -> None:
    assert node.deliver(a_line() + a_line())[0] == 200
    key = {"Authorization": f"Bearer {node.account.api_key}"}
    answer = node.client.post("/api/projects/shop/erasures/preview", json={"project": "shop"}, headers=key)
    assert answer.status_code == 200, answer.text
    assert {"table": EVENTS, "row_count": 2} in answer.json()["tables"]

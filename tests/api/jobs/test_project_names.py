"""Names of projects in the warehouse, as an analyst reads them."""

from dataclasses import replace
from datetime import UTC, datetime

from api.jobs.project_names import store_projects
from errata.state.projects import Project
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess

SHOP = Project(7, "shop", "Web shop", "python", datetime.now(UTC), "")


def test_new_and_renamed_projects_reach_analysts_and_others_are_not_stored_again(
    warehouse: WarehouseProcess,
) -> None:
    ingest, analyst = warehouse.client(Role.INGEST), warehouse.client(Role.ANALYST)
    assert store_projects(ingest, [SHOP]) == 1
    assert store_projects(ingest, [SHOP]) == 0
    assert store_projects(ingest, [replace(SHOP, name="Shöp"), replace(SHOP, id=8, slug="other")]) == 2
    assert analyst.rows("select * from projects order by project_id") == [
        {"project_id": 7, "slug": "shop", "name": "Shöp"},
        {"project_id": 8, "slug": "other", "name": "Web shop"},
    ]
    ingest.close()
    analyst.close()

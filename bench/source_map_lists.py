"""Milliseconds until *Settings → Source maps* is answered in a project with 26 weeks of uploads and errors.

`python -m bench.source_map_lists`
"""

from datetime import timedelta
from functools import partial
from pathlib import Path

import urllib3

from bench.figures import figure
from bench.issues import Asking, timed
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.builder.lease import Pace
from pipelines.marts.registry import MARTS
from tests.service import Service, running

STATEMENTS = Path(__file__).with_name("source_map_lists.sql").read_text().split(";\n")
BUNDLES, VARIANTS, EVENTS = 2_000, 50_000, 2_600_000
BUILT = ("variant_hourly", "variant_daily", "variant_totals")
TIMES = 60
PACE = Pace(lag=timedelta(0), settle=timedelta(milliseconds=50))


def main() -> None:
    with running("--no-pipelines") as service:
        _fill(service)
        asking, slug = Asking(service), service.credentials["project"]
        paths = {
            "source_maps": f"/api/projects/{slug}/sourcemaps",
            "source_maps_of_a_release": f"/api/projects/{slug}/sourcemaps?release=shop-web@50.3",
            "source_maps_html": f"/projects/{slug}/settings/source-maps",
        }
        for name, path in paths.items():
            timed(service, name, partial(asking.get, path), TIMES)


def _fill(service: Service) -> None:
    answer = urllib3.PoolManager().request(
        "GET",
        f"{service.credentials['base_url']}/api/projects",
        headers={"Authorization": f"Bearer {service.credentials['api_key']}"},
    )
    (project,) = answer.json()["projects"]
    sizes = {"bundles": BUNDLES, "variants": VARIANTS, "events": EVENTS}
    admin = service.warehouse(Role.ADMIN, 600)
    for statement in STATEMENTS:
        admin.execute(statement, {"project_id": project["id"], **sizes})
    admin.close()
    rows = {
        mart.name: build(service.warehouse(Role.BUILD, 3600), mart, PACE).row_count
        for mart in MARTS
        if mart.name in BUILT
    }
    figure("source_maps_stored", BUNDLES, "uploads", **sizes, mart_rows=rows)


if __name__ == "__main__":
    main()

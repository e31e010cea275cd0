"""Uploads of source maps to a site of pages."""

from pathlib import Path

from tests.dashboards.conftest import Site
from tests.uploading import Uploading


def uploading_to(site: Site) -> Uploading:
    ((organization_id, project),) = site.store.projects.all()
    context = site.client.app.state.context  # type: ignore[attr-defined]
    return Uploading(site.client, context, site.store, site.account, context.read, organization_id, project)


def upload_build(api: Uploading, builds: Path, version: str) -> None:
    """A build of the captured shop, where its pages load it from."""
    api.upload(builds / version / "assets", f"shop-web@{version}", f"~/assets/{version}")

"""Move projects that group by version 1 to version 2, which stands closest, and record it."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"

CONFIGURATIONS = sa.table(
    "grouping_configurations",
    *map(sa.column, ("project_id", "number", "fingerprint_version", "state")),
)
PROJECTS = sa.table("projects", *map(sa.column, ("id", "organization_id", "slug", "deleted_at")))
ACTIVITY_LOG = sa.table(
    "activity_log",
    sa.column("at", sa.DateTime(timezone=True)),
    *map(sa.column, ("organization_id", "action", "actor", "subject", "key_prefix", "address")),
)


def upgrade() -> None:
    of_version_1 = sa.and_(CONFIGURATIONS.c.fingerprint_version == 1, CONFIGURATIONS.c.state == "active")
    moved = (
        sa.select(PROJECTS.c.organization_id, PROJECTS.c.slug, CONFIGURATIONS.c.number)
        .join(CONFIGURATIONS, CONFIGURATIONS.c.project_id == PROJECTS.c.id)
        .where(of_version_1, PROJECTS.c.deleted_at.is_(None))
        .order_by(PROJECTS.c.id)
    )
    connection = op.get_bind()
    entries = [
        {
            "organization_id": organization_id,
            "at": datetime.now(UTC),
            "action": "grouping.applied",
            "actor": "",
            "subject": f"{slug} {number} (version 2)",
            "key_prefix": "",
            "address": "",
        }
        for organization_id, slug, number in connection.execute(moved)
    ]
    op.execute(CONFIGURATIONS.update().where(of_version_1).values(fingerprint_version=2))
    if entries:
        op.bulk_insert(ACTIVITY_LOG, entries)

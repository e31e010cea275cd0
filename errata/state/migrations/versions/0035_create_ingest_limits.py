"""Keep limits of projects and services by kind: lines, bytes, payloads and spikes."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"


def upgrade() -> None:
    op.create_table(
        "ingest_limits",
        sa.Column("project_id", sa.BigInteger, nullable=False),
        sa.Column("service", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("per_minute", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.String(320), nullable=False),
        sa.PrimaryKeyConstraint("project_id", "service", "kind", name="pk_ingest_limits"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_ingest_limits_project_id_projects"),
    )
    kept = ("project_id", "service", "changed_at", "changed_by")
    before = sa.table("line_limits", *map(sa.column, (*kept, "lines_per_minute")))
    after = sa.table("ingest_limits", *map(sa.column, (*kept, "kind", "per_minute")))
    lines = sa.select(*(before.c[name] for name in kept), sa.literal("lines"), before.c.lines_per_minute)
    op.execute(after.insert().from_select([*kept, "kind", "per_minute"], lines))
    op.drop_table("line_limits")

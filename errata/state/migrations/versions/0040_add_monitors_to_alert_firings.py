"""Let an alert fire for a monitor in an environment."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    op.add_column(
        "alert_firings", sa.Column("monitor_slug", sa.String(50), nullable=False, server_default="")
    )
    op.add_column("alert_firings", sa.Column("environment", sa.String(64), nullable=False, server_default=""))

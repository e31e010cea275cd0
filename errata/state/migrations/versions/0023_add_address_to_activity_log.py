"""Add the address of the client to the activity log, and let nobody change or delete its entries."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"

APPEND_ONLY = "the activity log is append-only"


def upgrade() -> None:
    op.add_column("activity_log", sa.Column("address", sa.String(64), nullable=False, server_default=""))
    if op.get_bind().dialect.name == "sqlite":
        for change in ("update", "delete"):
            op.execute(
                f"create trigger activity_log_no_{change} before {change} on activity_log "
                f"begin select raise(abort, '{APPEND_ONLY}'); end"
            )
        return
    op.execute(
        "create function refuse_change_of_activity_log() returns trigger language plpgsql as "
        f"$$ begin raise exception '{APPEND_ONLY}'; end $$"
    )
    op.execute(
        "create trigger activity_log_append_only before update or delete on activity_log "
        "for each row execute function refuse_change_of_activity_log()"
    )

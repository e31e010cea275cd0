"""The entries of the activity log, and the closed list of their actions."""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from errata.state.table import Table, word


class Action(StrEnum):
    ALERT_RULE_CREATED = "alert_rule.created"
    ALERT_RULE_CHANGED = "alert_rule.changed"
    ALERT_RULE_DELETED = "alert_rule.deleted"
    ALERT_CHANNEL_CREATED = "alert_channel.created"
    ALERT_CHANNEL_CHANGED = "alert_channel.changed"
    ALERT_CHANNEL_DELETED = "alert_channel.deleted"
    ALERT_CHANNEL_TESTED = "alert_channel.tested"
    ALLOWED_ORIGINS_CHANGED = "allowed_origins.changed"
    API_KEY_CREATED = "api_key.created"
    API_KEY_REGENERATED = "api_key.regenerated"
    API_KEY_PREPARED = "api_key.prepared"
    API_KEY_PROMOTED = "api_key.promoted"
    API_KEY_DISCARDED = "api_key.discarded"
    API_KEY_VIEWED = "api_key.viewed"
    # The first use of a UTC day. The last use of a day is known on the next day with a use, and dated back.
    API_KEY_USED = "api_key.used"
    API_KEY_LAST_USED = "api_key.last_used"
    APP_KEY_CREATED = "app_key.created"
    APP_KEY_REGENERATED = "app_key.regenerated"
    APP_KEY_REVOKED = "app_key.revoked"
    APP_KEY_VIEWED = "app_key.viewed"
    BUDGET_CREATED = "budget.created"
    BUDGET_CHANGED = "budget.changed"
    BUDGET_DELETED = "budget.deleted"
    ERASURE_ASKED = "erasure.asked"
    ERASURE_ROWS_REMOVED = "erasure.rows_removed"
    PROJECT_TOKEN_CREATED = "project_token.created"
    PROJECT_TOKEN_REVOKED = "project_token.revoked"
    # As API_KEY_USED and API_KEY_LAST_USED.
    PROJECT_TOKEN_USED = "project_token.used"
    PROJECT_TOKEN_LAST_USED = "project_token.last_used"
    ORGANIZATION_TWO_STEPS_REQUIRED = "organization.two_steps_required"
    ORGANIZATION_TWO_STEPS_OPTIONAL = "organization.two_steps_optional"
    PROJECT_CREATED = "project.created"
    PROJECT_CHANGED = "project.changed"
    PROJECT_DELETED = "project.deleted"
    GROUPING_APPLIED = "grouping.applied"
    GROUPING_ROLLED_BACK = "grouping.rolled_back"
    INBOUND_FILTERS_CHANGED = "inbound_filters.changed"
    INTEGRATION_ADDED = "integration.added"
    INTEGRATION_CHANGED = "integration.changed"
    INTEGRATION_REMOVED = "integration.removed"
    INVITATION_CREATED = "invitation.created"
    INVITATION_ACCEPTED = "invitation.accepted"
    INVITATION_REVOKED = "invitation.revoked"
    LINE_LIMIT_CHANGED = "line_limit.changed"
    MONITOR_DECLARED = "monitor.declared"
    MONITOR_CHANGED = "monitor.changed"
    MONITOR_WITHDRAWN = "monitor.withdrawn"
    REPORT_SCHEDULE_CREATED = "report_schedule.created"
    REPORT_SCHEDULE_CHANGED = "report_schedule.changed"
    REPORT_SCHEDULE_DELETED = "report_schedule.deleted"
    RETENTION_CHANGED = "retention.changed"
    SCRUBBING_RULES_CHANGED = "scrubbing_rules.changed"
    SHARE_LINK_CREATED = "share_link.created"
    SHARE_LINK_REVOKED = "share_link.revoked"
    USER_CREATED = "user.created"
    USER_SIGNED_IN = "user.signed_in"
    USER_SIGNED_OUT = "user.signed_out"
    USER_SESSIONS_ENDED = "user.sessions_ended"
    USER_PASSWORD_CHANGED = "user.password_changed"
    USER_PASSWORD_LINK_CREATED = "user.password_link_created"
    USER_TWO_STEPS_BEGUN = "user.two_steps_begun"
    USER_TWO_STEPS_TURNED_ON = "user.two_steps_turned_on"
    USER_TWO_STEPS_TURNED_OFF = "user.two_steps_turned_off"
    USER_CODE_ASKED = "user.code_asked"
    USER_CODE_REFUSED = "user.code_refused"
    USER_RECOVERY_CODE_USED = "user.recovery_code_used"
    USER_RECOVERY_CODES_REPLACED = "user.recovery_codes_replaced"
    USER_IDENTITY_LINKED = "user.identity_linked"
    USER_IDENTITY_UNLINKED = "user.identity_unlinked"
    USER_PROVIDER_REFUSED = "user.provider_refused"
    USER_ROLE_KEPT = "user.role_kept"
    USER_ROLE_CHANGED = "user.role_changed"
    USER_PROJECTS_CHANGED = "user.projects_changed"
    USER_REMOVED = "user.removed"
    ORGANIZATION_CREATED = "organization.created"

    @property
    def kind(self) -> str:
        return self.value.partition(".")[0]


KINDS = tuple(dict.fromkeys(action.kind for action in Action))


class Activity(Table):
    """Triggers refuse to change or delete entries. `address`: of the client; empty for background work, and
    in entries of earlier versions."""

    __tablename__ = "activity_log"
    __table_args__ = (Index("ix_activity_log_organization_id_id", "organization_id", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    organization_id: Mapped[int] = mapped_column(ForeignKey("organizations.id"))
    at: Mapped[datetime]
    action: Mapped[Action] = mapped_column(word(Action, 32))
    actor: Mapped[str] = mapped_column(String(320))
    subject: Mapped[str] = mapped_column(String(200))
    key_prefix: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64), server_default="")

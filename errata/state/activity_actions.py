"""The closed list of actions in the activity log."""

from enum import StrEnum


class Action(StrEnum):
    ALERT_RULE_CREATED = "alert_rule.created"
    ALERT_RULE_CHANGED = "alert_rule.changed"
    ALERT_RULE_DELETED = "alert_rule.deleted"
    ALERT_CHANNEL_CREATED = "alert_channel.created"
    ALERT_CHANNEL_CHANGED = "alert_channel.changed"
    ALERT_CHANNEL_DELETED = "alert_channel.deleted"
    ALERT_CHANNEL_TESTED = "alert_channel.tested"
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
    PROJECT_CREATED = "project.created"
    PROJECT_CHANGED = "project.changed"
    PROJECT_DELETED = "project.deleted"
    GROUPING_APPLIED = "grouping.applied"
    GROUPING_ROLLED_BACK = "grouping.rolled_back"
    INTEGRATION_ADDED = "integration.added"
    INTEGRATION_REMOVED = "integration.removed"
    INVITATION_CREATED = "invitation.created"
    INVITATION_ACCEPTED = "invitation.accepted"
    INVITATION_REVOKED = "invitation.revoked"
    REPORT_SCHEDULE_CREATED = "report_schedule.created"
    REPORT_SCHEDULE_CHANGED = "report_schedule.changed"
    REPORT_SCHEDULE_DELETED = "report_schedule.deleted"
    SCRUBBING_RULES_CHANGED = "scrubbing_rules.changed"
    SHARE_LINK_CREATED = "share_link.created"
    SHARE_LINK_REVOKED = "share_link.revoked"
    USER_CREATED = "user.created"
    USER_SIGNED_IN = "user.signed_in"
    USER_SIGNED_OUT = "user.signed_out"
    USER_SESSIONS_ENDED = "user.sessions_ended"
    USER_PASSWORD_CHANGED = "user.password_changed"
    USER_PASSWORD_LINK_CREATED = "user.password_link_created"
    USER_ROLE_CHANGED = "user.role_changed"
    USER_REMOVED = "user.removed"

    @property
    def kind(self) -> str:
        return self.value.partition(".")[0]


KINDS = tuple(dict.fromkeys(action.kind for action in Action))

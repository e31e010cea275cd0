"""Who may do what: an entry for every route of the API and of the pages.

A page knows people only: a program with the API key is led to the sign-in page, as anybody is.
"""

from collections.abc import Mapping
from enum import StrEnum


class Level(StrEnum):
    PUBLIC = "public"
    """Anybody."""
    SENDER = "sender"
    """Programs with an API key and an application key."""
    SDK = "sdk"
    """Programs with a public or application key of the project; other credentials say nothing."""
    SCRAPER = "scraper"
    """Programs with the token of metrics, and those of the service's own host; nobody else."""
    KEY_HOLDER = "key_holder"
    """Programs with the API key alone."""
    GATE = "gate"
    """Readers, and programs with a token for verdicts of the project."""
    UPLOADER = "uploader"
    """Managers, and programs with a token for uploads to the project."""
    AGENT = "agent"
    """Programs with a token to connect as an agent."""
    SQL = "sql"
    """Programs with a token to run SQL on the project."""
    UPLOAD_TOOL = "upload_tool"
    """Programs with a token for uploads, whatever organization they name."""
    READER = "reader"
    """Programs with the API key or a token to read the project, and everyone who is signed in."""
    WHOLE = "whole"
    """Programs with the API key, and people who see all projects."""
    TRIAGER = "triager"
    """Workers, and programs with a token to act on issues of the project."""
    WORKER = "worker"
    """Programs with the API key, members and owners."""
    MANAGER = "manager"
    """Programs with the API key, and owners."""
    CONFIRMED_MANAGER = "confirmed_manager"
    """The same, but an owner gave the password a moment ago."""
    PERSON = "person"
    """Everyone who is signed in."""
    CONFIRMED_PERSON = "confirmed_person"
    """Everyone who is signed in and gave the password a moment ago."""
    WORKING_PERSON = "working_person"
    """Members and owners."""
    OWNER = "owner"
    """Owners."""
    CONFIRMED_OWNER = "confirmed_owner"
    """Owners who gave the password a moment ago."""


ROUTES: Mapping[Level, str] = {
    Level.PUBLIC: """
        GET /api/health
        HEAD /api/health
        POST /api/auth/sign-in
        POST /api/auth/sign-in/code
        GET /api/auth/oidc
        GET /api/auth/oidc/callback
        POST /api/auth/sign-out
        GET /api/docs
        GET /api/docs.css
        GET /docs
        GET /docs/{document}
        GET /docs/decisions/{document}
        GET /docs/images/{image}
        GET /install
        GET /install/{file}
        HEAD /install/{file}
        GET /sign-in
        GET /sign-in/code
        GET /shared/{token}
        GET /shared/{token}/segments/{segment_id}
        GET /replay-player
        GET /link/{token}
        POST /api/auth/link
        POST /api/auth/forgot
        GET /api/openapi.json
        OPTIONS /api/{project_id:int}/envelope/
        OPTIONS /api/{project_id:int}/envelope
        OPTIONS /api/{project_id:int}/store/
        OPTIONS /api/{project_id:int}/store
    """,
    Level.SENDER: """
        POST /api/ingest
    """,
    Level.SCRAPER: """
        GET /metrics
    """,
    Level.SDK: """
        POST /api/{project_id:int}/envelope/
        POST /api/{project_id:int}/envelope
        POST /api/{project_id:int}/store/
        POST /api/{project_id:int}/store
        GET /api/{project_id:int}/cron/{monitor_slug}
        GET /api/{project_id:int}/cron/{monitor_slug}/
        GET /api/{project_id:int}/cron/{monitor_slug}/{key}
        GET /api/{project_id:int}/cron/{monitor_slug}/{key}/
        POST /api/{project_id:int}/cron/{monitor_slug}
        POST /api/{project_id:int}/cron/{monitor_slug}/
        POST /api/{project_id:int}/cron/{monitor_slug}/{key}
        POST /api/{project_id:int}/cron/{monitor_slug}/{key}/
        POST /api/{project_id:int}/minidump/
        POST /api/{project_id:int}/minidump
        GET /api/embed/error-page/
        GET /api/embed/error-page
        POST /api/embed/error-page/
        POST /api/embed/error-page
        POST /v1/traces
        POST /v1/logs
        POST /api/{project_id:int}/integration/otlp/v1/traces
        POST /api/{project_id:int}/integration/otlp/v1/traces/
        POST /api/{project_id:int}/integration/otlp/v1/logs
        POST /api/{project_id:int}/integration/otlp/v1/logs/
    """,
    Level.KEY_HOLDER: """
        GET /api/auth/verify
    """,
    Level.GATE: """
        GET /api/projects/{slug}/performance/budgets
        GET /api/projects/{slug}/performance/budgets/{budget_id}
        GET /api/projects/{slug}/performance/releases/{version:path}/verdict
        GET /api/projects/{slug}/performance/releases/{version:path}/issues
    """,
    Level.UPLOADER: """
        POST /api/projects/{slug}/sourcemaps
    """,
    Level.AGENT: """
        GET /mcp
        POST /mcp
        DELETE /mcp
    """,
    Level.SQL: """
        POST /api/sql
    """,
    Level.UPLOAD_TOOL: """
        GET /api/0/
        GET /api/0/organizations/{organization}/chunk-upload/
        POST /api/0/organizations/{organization}/chunk-upload/
        POST /api/0/organizations/{organization}/artifactbundle/assemble/
        GET /api/0/organizations/{organization}/repos/
        POST /api/0/organizations/{organization}/releases/
        PUT /api/0/organizations/{organization}/releases/{version:path}/
        GET /api/0/organizations/{organization}/releases/{version:path}/previous-with-commits/
        POST /api/0/organizations/{organization}/releases/{version:path}/deploys/
        POST /api/0/projects/{organization}/{project}/releases/
        PUT /api/0/projects/{organization}/{project}/releases/{version:path}/
    """,
    Level.WHOLE: """
        GET /api/api-key
        GET /api/api-key/hosts
        GET /api/activity
        GET /api/activity/export
        GET /settings/api-keys
        GET /settings/activity
    """,
    Level.READER: """
        GET /api/limits
        GET /api/usage
        GET /api/projects
        GET /api/projects/{slug}
        GET /api/projects/{slug}/app-keys
        GET /api/projects/{slug}/dsns
        GET /api/projects/{slug}/origins
        GET /api/projects/{slug}/overview
        GET /api/projects/{slug}/find
        GET /api/find
        GET /api/projects/{slug}/grouping
        GET /api/projects/{slug}/grouping/{number}/preview
        GET /api/projects/{slug}/scrubbing
        GET /api/projects/{slug}/inbound-filters
        GET /api/projects/{slug}/retention
        GET /api/projects/{slug}/sourcemaps
        GET /api/projects/{slug}/events/{event_id}/sourcemaps
        GET /projects/{slug}/settings/retention
        GET /projects/{slug}/settings/source-maps
        GET /api/projects/{slug}/erasures
        GET /api/projects/{slug}/erasures/{erasure_id}
        GET /api/issues/{issue_id}/grouping
        GET /api/members
        GET /api/issues/{issue_id}/share-links
        GET /api/projects/{slug}/replays/{replay_id}/share-links
        GET /api/projects/{slug}/share-links
        GET /api/projects/{slug}/searches/completions
        GET /api/projects/{slug}/issues/facets
        GET /api/projects/{slug}/searches
        GET /api/projects/{slug}/annotations
        GET /api/projects/{slug}/integrations
        GET /api/issues/{issue_id}/links
        GET /api/issues/{issue_id}/activity
        GET /api/projects/{slug}/issues
        GET /api/issues/{issue_id}
        GET /api/issues/{issue_id}/events
        GET /api/issues/{issue_id}/events/compare
        GET /api/issues/{issue_id}/related
        GET /api/issues/{issue_id}/suspect-commits
        GET /api/events/{event_id}
        GET /api/events/{event_id}/logs
        GET /api/events/{event_id}/attachments
        GET /api/events/{event_id}/attachments/{attachment_id}
        GET /api/issues/{issue_id}/different
        GET /api/projects/{slug}/feedback
        GET /api/projects/{slug}/monitors
        GET /api/projects/{slug}/monitors/{monitor_slug}
        GET /api/projects/{slug}/users
        GET /api/projects/{slug}/users/{key}
        GET /api/projects/{slug}/replays
        GET /api/projects/{slug}/replays/{replay_id}
        GET /api/projects/{slug}/replays/{replay_id}/segments/{segment_id}
        GET /api/projects/{slug}/performance/pages
        GET /api/projects/{slug}/performance/endpoints
        GET /api/projects/{slug}/performance/trends
        GET /api/projects/{slug}/performance/endpoint
        GET /api/projects/{slug}/performance/endpoint/steps
        GET /api/projects/{slug}/performance/endpoint/pages
        GET /api/projects/{slug}/performance/endpoint/calls
        GET /api/projects/{slug}/performance/endpoint/issues
        GET /api/projects/{slug}/performance/resources
        GET /api/projects/{slug}/performance/loads
        GET /api/projects/{slug}/performance/causes
        GET /api/page-views/{id}/waterfall
        GET /api/projects/{slug}/performance/releases
        GET /api/projects/{slug}/performance/change-points
        GET /api/projects/{slug}/performance/recommendations
        GET /api/projects/{slug}/performance/report
        GET /api/projects/{slug}/performance/releases/{version:path}/report
        GET /api/projects/{slug}/performance/report-schedules
        GET /api/projects/{slug}/performance/report-mails
        GET /api/provenance/{question}
        POST /api/projects/{slug}/performance/budgets/suggestion
        GET /api/projects/{slug}/delivery
        GET /api/projects/{slug}/delivery/hosts
        GET /api/projects/{slug}/delivery/outcomes
        GET /api/projects/{slug}/alert-rules
        POST /api/projects/{slug}/alert-rules/backtest
        GET /api/projects/{slug}/alert-rules/{rule_id}
        GET /api/projects/{slug}/alert-messages
        GET /api/alert-channels
        GET /
        GET /projects
        GET /find
        GET /projects/{slug}/find
        GET /projects/{slug}
        GET /projects/{slug}/issues
        GET /projects/{slug}/issue-events
        GET /projects/{slug}/issue-facets
        GET /issues/{issue_id}
        GET /projects/{slug}/issues/{issue_id}
        GET /projects/{slug}/issues/{issue_id}/suspect-commits
        GET /projects/{slug}/feedback
        GET /projects/{slug}/monitors
        GET /projects/{slug}/monitors/{monitor_slug}
        GET /projects/{slug}/users
        GET /projects/{slug}/users/{user_key}
        GET /projects/{slug}/replays
        GET /projects/{slug}/replays/{replay_id}
        GET /projects/{slug}/performance
        GET /projects/{slug}/performance/budgets
        GET /projects/{slug}/performance/budgets/new
        GET /projects/{slug}/performance/budgets/{budget_id}
        GET /computed/{question}
        GET /projects/{slug}/performance/recommendations
        GET /projects/{slug}/performance/resources
        GET /projects/{slug}/performance/page
        GET /projects/{slug}/performance/endpoint
        GET /projects/{slug}/performance/waterfall/{view_id}
        GET /projects/{slug}/performance/views
        GET /projects/{slug}/performance/releases
        GET /projects/{slug}/performance/release
        GET /projects/{slug}/performance/trends
        GET /projects/{slug}/performance/reports
        GET /projects/{slug}/performance/reports/file
        GET /projects/{slug}/delivery
        GET /projects/{slug}/annotations
        GET /projects/{slug}/settings
        GET /projects/{slug}/settings/integrations
        GET /projects/{slug}/settings/grouping
        GET /projects/{slug}/settings/filtering
        GET /projects/{slug}/settings/inbound-filters
        GET /projects/{slug}/settings/erasure
        GET /projects/{slug}/alerts
        GET /projects/{slug}/alerts/new
        GET /projects/{slug}/alerts/{rule_id}
        GET /settings
        GET /settings/api-tokens
        GET /settings/people
        GET /settings/limits
        GET /settings/usage
        GET /settings/account
        GET /sign-in/two-steps
        GET /account/notifications
        POST /account/notifications
        POST /projects/{slug}/issues/{issue_id}/subscription
        GET /projects/{slug}/issues/{issue_id}/decide
        GET /account/notifications/{notification_id}
    """,
    Level.TRIAGER: """
        POST /api/projects/{slug}/issues/actions
        POST /api/issues/{issue_id}/comments
        PUT /api/issues/{issue_id}/comments/{comment_id}
        DELETE /api/issues/{issue_id}/comments/{comment_id}
        POST /api/issues/{issue_id}/{action}
    """,
    Level.WORKER: """
        POST /api/projects/{slug}/test-event
        POST /api/issues/{issue_id}/merge
        POST /api/projects/{slug}/issues/merge
        POST /api/issues/{issue_id}/unmerge
        POST /api/issues/{issue_id}/split
        POST /api/issues/{issue_id}/release
        POST /api/issues/{issue_id}/distinct
        POST /api/projects/{slug}/issues/undo
        POST /api/issues/{issue_id}/share-links
        POST /api/projects/{slug}/replays/{replay_id}/share-links
        POST /api/projects/{slug}/share-links/{link_id}/revoke
        POST /api/projects/{slug}/integrations/{integration_id}/test
        POST /api/issues/{issue_id}/links
        POST /api/issues/{issue_id}/links/{link_id}/refresh
        DELETE /api/issues/{issue_id}/links/{link_id}
        POST /projects/{slug}/performance/views
        POST /projects/{slug}/issues/{issue_id}/decide
        POST /projects/{slug}/annotations
    """,
    Level.MANAGER: """
        DELETE /api/projects/{slug}/sourcemaps/{bundle_id}
        POST /api/projects
        PUT /api/projects/{slug}
        GET /api/projects/{slug}/tokens
        DELETE /api/projects/{slug}/tokens/{token_id}
        POST /api/projects/{slug}/app-keys
        POST /api/projects/{slug}/dsns
        PUT /api/projects/{slug}/origins
        DELETE /api/projects/{slug}/app-keys/{key_id}
        PUT /api/projects/{slug}/grouping/draft
        DELETE /api/projects/{slug}/grouping/draft
        POST /api/projects/{slug}/grouping/{number}/apply
        POST /api/projects/{slug}/grouping/rollback
        PUT /api/projects/{slug}/scrubbing
        PUT /api/projects/{slug}/limits
        POST /api/projects/{slug}/scrubbing/preview
        PUT /api/projects/{slug}/inbound-filters
        POST /api/projects/{slug}/inbound-filters/preview
        POST /api/projects/{slug}/erasures/preview
        POST /api/projects/{slug}/integrations
        DELETE /api/projects/{slug}/integrations/{integration_id}
        PUT /api/projects/{slug}/integrations/{integration_id}
        POST /api/projects/{slug}/performance/report-schedules
        PUT /api/projects/{slug}/performance/report-schedules/{schedule_id}
        DELETE /api/projects/{slug}/performance/report-schedules/{schedule_id}
        POST /api/projects/{slug}/performance/report-mails/{mail_id}/again
        POST /api/projects/{slug}/performance/budgets
        PUT /api/projects/{slug}/performance/budgets/{budget_id}
        DELETE /api/projects/{slug}/performance/budgets/{budget_id}
        POST /api/projects/{slug}/alert-rules
        PUT /api/projects/{slug}/alert-rules/{rule_id}
        DELETE /api/projects/{slug}/alert-rules/{rule_id}
        POST /api/alert-channels
        PUT /api/alert-channels/{channel_id}
        DELETE /api/alert-channels/{channel_id}
        POST /api/alert-channels/{channel_id}/test
        POST /projects/{slug}/performance/budgets/new
        POST /projects/{slug}/performance/budgets/{budget_id}
        GET /projects/{slug}/performance/reports/schedules/new
        POST /projects/{slug}/performance/reports/schedules/new
        GET /projects/{slug}/performance/reports/schedules/{schedule_id}
        POST /projects/{slug}/performance/reports/schedules/{schedule_id}
        POST /projects/{slug}/performance/reports/mails/{mail_id}
        POST /projects/{slug}/alerts/new
        POST /projects/{slug}/alerts/{rule_id}
        POST /projects/{slug}/alerts/channels/new
        POST /projects/{slug}/alerts/channels/{channel_id}
    """,
    Level.CONFIRMED_MANAGER: """
        POST /api/projects/{slug}/app-keys/regenerate
        PUT /api/projects/{slug}/retention
        POST /api/projects/{slug}/tokens
        POST /api/projects/{slug}/erasures
        DELETE /api/projects/{slug}
    """,
    Level.PERSON: """
        GET /api/auth/session
        POST /api/auth/password
        POST /api/auth/confirm
        PUT /api/auth/time-zone
        GET /api/auth/organizations
        PUT /api/auth/organization
        GET /api/auth/two-steps
        GET /api/auth/sessions
        POST /api/auth/sessions/end-others
        GET /api/notifications
        POST /api/notifications/read
        GET /api/issues/{issue_id}/subscription
        PUT /api/issues/{issue_id}/subscription
        DELETE /api/issues/{issue_id}/subscription
    """,
    Level.CONFIRMED_PERSON: """
        POST /api/auth/two-steps/secret
        POST /api/auth/two-steps
        POST /api/auth/two-steps/recovery-codes
        POST /api/auth/two-steps/off
    """,
    Level.WORKING_PERSON: """
        POST /api/projects/{slug}/searches
        PUT /api/projects/{slug}/searches/{search_id}
        DELETE /api/projects/{slug}/searches/{search_id}
        POST /api/projects/{slug}/annotations
        PUT /api/projects/{slug}/annotations/{annotation_id}
        DELETE /api/projects/{slug}/annotations/{annotation_id}
    """,
    Level.OWNER: """
        DELETE /api/api-key/next
        GET /api/invitations
        DELETE /api/invitations/{invitation_id}
    """,
    Level.CONFIRMED_OWNER: """
        POST /api/api-key/view
        POST /api/api-key/regenerate
        POST /api/api-key/next
        POST /api/api-key/next/view
        POST /api/api-key/next/promote
        PUT /api/members/{member_id}
        PUT /api/members/{member_id}/projects
        POST /api/members/{member_id}/password-link
        POST /api/invitations
        DELETE /api/members/{member_id}/two-steps
        PUT /api/two-steps
        DELETE /api/members/{member_id}
        POST /api/projects/{slug}/app-keys/{key_id}/view
    """,
}

LEVEL_OF: Mapping[str, Level] = {
    " ".join(line.split()): level for level, lines in ROUTES.items() for line in lines.strip().splitlines()
}


class Audience(StrEnum):
    """Who may read a value anywhere. Of a project: the one that it belongs to."""

    PROJECT = "project"
    """Whoever reads the project."""
    PEOPLE = "people"
    """Whoever reads a project that the person sees; the person."""
    ORGANIZATION = "organization"
    """Every reader of the organization."""
    WHOLE = "whole"
    """The API key, and people who see all projects."""
    OWNER = "owner"
    """Owners."""
    NOBODY = "nobody"
    """Nobody: it is stored to be compared or sent."""
    PUBLIC = "public"
    """Anybody."""
    SELF = "self"
    """The person whose it is."""
    CREATED = "created"
    """Whoever asked for it, in the response to that request alone."""


# By the text columns of the state store, what is planted in them, and who may read it.
AUDIENCES: Mapping[str, Audience] = {
    "organizations.name": Audience.ORGANIZATION,
    "projects.name": Audience.PROJECT,
    "users.email": Audience.PEOPLE,
    "activity_log.subject": Audience.WHOLE,
    "activity_log.address": Audience.WHOLE,
    "alert_channels.name": Audience.ORGANIZATION,
    "alert_channels.settings": Audience.WHOLE,
    "sealed_secrets.sealed": Audience.NOBODY,
    "one_time_links.email": Audience.WHOLE,
    "alert_messages.subject": Audience.PROJECT,
    "alert_messages.recipient": Audience.OWNER,
    "alert_messages.answer": Audience.OWNER,
    "alert_messages.content": Audience.NOBODY,
    "alert_rules.name": Audience.PROJECT,
    "annotations.text": Audience.PROJECT,
    "app_keys.service": Audience.PROJECT,
    "budgets.name": Audience.PROJECT,
    "integrations.base_url": Audience.PROJECT,
    "integrations.target": Audience.PROJECT,
    "integrations.account": Audience.PROJECT,
    "project_tokens.name": Audience.WHOLE,
    "report_schedules.name": Audience.PROJECT,
    "report_schedules.recipients": Audience.PROJECT,
    "saved_searches.name": Audience.PROJECT,
    "saved_searches.query": Audience.PROJECT,
}

# Parts of a column that fewer may read than the rest of it.
AUDIENCES_OF_PARTS: Mapping[str, Audience] = {
    "alert_channels.path": Audience.OWNER,
    "alert_channels.user": Audience.OWNER,
}

# Text columns without a canary: codes, hashes, ids and times, copies of what is planted elsewhere, and names
# of the service's own parts. A new column is to be put here or above.
PLAIN_COLUMNS: Mapping[str, str] = {
    "activity_log": "action actor key_prefix",
    "alert_channels": "id kind secret_id",
    "alert_firings": "id rule_id issue_id episode title culprit outcome monitor_slug environment",
    "alert_messages": "id channel_id kind status",
    "alert_notices": "firing_id channel_id message_id",
    "alert_rule_channels": "rule_id channel_id",
    "allowed_origins": "origins changed_by",
    "alert_rules": "id kind condition query priorities created_by failure",
    "annotations": "id",
    "api_keys": "key_hash prefix sealed_id",
    "app_keys": "key_hash prefix sealed_id",
    "backup_runs": "kind destination name outcome detail",
    "budgets": "id metric statistic pattern environment device created_by",
    "declared_monitors": "id slug environment config declared_by",
    "grouping_configurations": "rules state created_by applied_by",
    "half_sign_ins": "token_hash",
    "heartbeats": "host",
    "identities": "issuer subject",
    "inbound_filters": "filters changed_by",
    "ingest_limits": "service kind changed_by",
    "integrations": "id kind issue_type secret_id created_by",
    "jobs": "name holder failure",
    "linked_issues": "id integration_id issue_id key url title status problem linked_by",
    "memberships": "role",
    "notifications": "kind topic issue_id rule_id actor title detail",
    "one_time_links": "kind role token_hash created_by project_ids",
    "project_tokens": "capabilities token_hash prefix created_by",
    "projects": "slug platform",
    "provider_sign_ins": "token_hash destination",
    "recovery_codes": "code_hash",
    "report_mails": "id schedule_id recipients status answer",
    "report_schedules": "id weekday time_zone environment created_by",
    "retentions": "days changed_by",
    "saved_searches": "page sort",
    "scrubbing_rules": "rules changed_by",
    "sealed_secrets": "id purpose ending",
    "share_links": "token_hash prefix issue_id event_id replay_id created_by",
    "sign_in_addresses": "email_hash address_hash",
    "sign_in_attempts": "email_hash address_hash",
    "subscriptions": "issue_id",
    "token_buckets": "name subject_hash",
    "totp": "secret_id",
    "users": "password_hash time_zone",
    "web_sessions": "token_hash csrf_token",
}

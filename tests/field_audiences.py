"""Who may read each field of what REST tells of the account store, by the models of the OpenAPI document.

A field that is not named is missing from the table: whoever adds one says who may read it.
"""

from collections.abc import Mapping

from tests.authorization_table import Audience

# Fields of events, page loads and what is counted from them are for whoever reads the project.
RECORDED = frozenset(
    {
        *(
            "delivery",
            "erasures",
            "feedback",
            "grouping",
            "ingest",
            "issues",
            "monitors",
            "performance",
            "replays",
        ),
        *("source maps", "uploads", "users"),
    }
)
PUBLIC, SELF, CREATED = Audience.PUBLIC, Audience.SELF, Audience.CREATED
PROJECT, PEOPLE, ORGANIZATION = Audience.PROJECT, Audience.PEOPLE, Audience.ORGANIZATION
WHOLE, OWNER = Audience.WHOLE, Audience.OWNER

FIELDS: Mapping[str, Mapping[Audience, str]] = {
    # Alerts
    "ChannelList": {ORGANIZATION: "channels"},
    "ChannelShown": {
        ORGANIZATION: "id kind name hourly_limit created_at",
        WHOLE: "settings",
        OWNER: "secret_ending",
    },
    "CreatedChannelShown": {
        OWNER: "id kind name hourly_limit created_at settings secret_ending",
        CREATED: "signing_secret",
    },
    "MessagePage": {PROJECT: "messages next_cursor"},
    "MessageShown": {
        PROJECT: "id kind channel_id channel subject status created_at attempt_count next_attempt_at "
        "ended_at",
        OWNER: "recipient answer",
    },
    "RuleList": {PROJECT: "rules"},
    "RuleShown": {
        PROJECT: "id name kind condition query priorities cap_minutes channels is_on created_by created_at "
        "evaluated_until failure fired_count last_fired_at"
    },
    "BacktestShown": {
        PROJECT: "since until fired_count firings by_day issue_count chance_count sentence is_cut"
    },
    "DayShown": {PROJECT: "day fired_count"},
    "FiringShown": {PROJECT: "at issue_id title culprit outcome measured value monitor_slug environment"},
    # Annotations, searches, trackers, share links
    "AnnotationList": {PROJECT: "annotations"},
    "AnnotationShown": {PROJECT: "id text at until author created_at changed_at"},
    "SavedSearchList": {PROJECT: "searches"},
    "SavedSearchShown": {PROJECT: "id name page query sort address is_own is_shared"},
    "CompletionsShown": {PROJECT: "start end suggestions"},
    "api__rest__searches__SuggestionShown": {PROJECT: "text label detail event_count"},
    "FacetsShown": {PROJECT: "as_of since event_count facets is_all"},
    "FacetShown": {PROJECT: "name is_tag event_count values"},
    "IntegrationList": {PROJECT: "integrations"},
    "IntegrationShown": {
        PROJECT: "id kind base_url target account issue_type resolves created_by created_at",
        OWNER: "token_ending",
    },
    "LinkList": {PROJECT: "links"},
    "LinkShown": {
        PROJECT: "id integration_id kind target key url title status is_open problem fetched_at linked_by "
        "linked_at"
    },
    "Tested": {PROJECT: "message"},
    "ShareLinkList": {PROJECT: "share_links"},
    "ShareLinkShown": {
        PROJECT: "id prefix state issue_id event_id replay_id since until with_user with_values created_by "
        "created_at expires_at revoked_at last_opened_at opened_count"
    },
    "CreatedShareLinkShown": {
        PROJECT: "id prefix state issue_id event_id replay_id since until with_user with_values created_by "
        "created_at expires_at revoked_at last_opened_at opened_count",
        CREATED: "url",
    },
    # Keys and activity
    "ApiKeysShown": {WHOLE: "prefix created_at last_used_at next rotate_by"},
    "ApiKeyShown": {WHOLE: "prefix created_at last_used_at"},
    "IssuedApiKey": {OWNER: "prefix created_at", CREATED: "api_key"},
    "WholeApiKey": {CREATED: "api_key"},
    "Verification": {WHOLE: "valid organization created_at"},
    "HostList": {WHOLE: "hosts"},
    "api__rest__keys__HostShown": {WHOLE: "host key key_prefix last_received_at"},
    "ActivityPage": {WHOLE: "activity next_cursor"},
    "ActivityShown": {WHOLE: "id at action actor key_prefix subject address"},
    "ProjectTokenList": {OWNER: "tokens"},
    "ProjectTokenShown": {OWNER: "id name capabilities prefix created_by created_at expires_at last_used_at"},
    "CreatedProjectTokenShown": {
        OWNER: "id name capabilities prefix created_by created_at expires_at last_used_at",
        CREATED: "token",
    },
    # People and sessions
    "MemberList": {PEOPLE: "members"},
    "Member": {PEOPLE: "id email role projects created_at", WHOLE: "has_two_steps"},
    "InvitationList": {OWNER: "invitations"},
    "Invitation": {OWNER: "id email role projects created_by created_at expires_at"},
    "CreatedInvitation": {
        OWNER: "id email role projects created_by created_at expires_at mail",
        CREATED: "url",
    },
    "Link": {OWNER: "expires_at mail", CREATED: "url"},
    "Session": {SELF: "email role organization time_zone expires_at csrf_token"},
    "SessionList": {SELF: "sessions"},
    "OpenSessionShown": {SELF: "started_at expires_at is_own"},
    "OwnOrganizationList": {SELF: "organizations"},
    "OwnOrganization": {SELF: "id name role is_current"},
    "TwoStepsShown": {SELF: "turned_on_at is_required recovery_code_count"},
    "NewSecret": {CREATED: "secret uri"},
    "RecoveryCodes": {CREATED: "recovery_codes"},
    "NotificationList": {SELF: "notifications unread_count next_cursor"},
    "NotificationShown": {SELF: "id kind at text title detail actor address count project issue_id is_read"},
    "Unread": {SELF: "unread_count"},
    # Projects and their settings
    "ProjectList": {PROJECT: "projects"},
    "ProjectShown": {PROJECT: "id slug name platform created_at app_key_prefix"},
    "CreatedProjectShown": {
        OWNER: "id slug name platform created_at app_key_prefix",
        CREATED: "app_key",
    },
    "DsnList": {PROJECT: "dsns"},
    "DsnShown": {PROJECT: "id dsn service created_at"},
    "OriginsShown": {PROJECT: "origins changed_at changed_by"},
    "AppKeyList": {PROJECT: "app_keys"},
    "AppKeyShown": {PROJECT: "id prefix service state created_at replaced_at revoked_at"},
    "IssuedAppKey": {OWNER: "id prefix service created_at", CREATED: "app_key"},
    "WholeAppKey": {CREATED: "app_key"},
    "RetentionShown": {PROJECT: "kinds changed_by changed_at"},
    "KindShown": {PROJECT: "kind days least_days most_days row_count byte_count daily_byte_count"},
    "ScrubbingShown": {
        PROJECT: "filtered_names filtered_patterns kept_names kept_patterns changed_by changed_at"
    },
    "ScrubbingPreviewShown": {OWNER: "event_count changed_event_count field_count fields"},
    "InboundFiltersShown": {PROJECT: "filters changed_by changed_at"},
    "FiltersPreviewShown": {
        OWNER: "since stored_event_count event_count is_sample filtered_event_count kinds issues issue_count"
    },
    "FilteredIssueShown": {OWNER: "issue_id title event_count filtered_event_count kinds"},
    "FieldChangeShown": {OWNER: "path kind event_count before after"},
    "LimitsShown": {ORGANIZATION: "limits", PROJECT: "line_limits hours refusals"},
    "LimitShown": {ORGANIZATION: "name setting value scope meaning"},
    "LineLimitShown": {
        PROJECT: "project service lines_per_minute bytes_per_minute payloads_per_minute spike_protection "
        "spike_lines_per_minute accepted_count busiest_minute rejected_count byte_count "
        "refused_delivery_count"
    },
    "ChangedLimitsShown": {
        OWNER: "project service lines_per_minute bytes_per_minute payloads_per_minute spike_protection "
        "spike_lines_per_minute"
    },
    "UsageShown": {PROJECT: "steps outcomes services forecast"},
    "UsageStepShown": {PROJECT: "step_start accepted filtered invalid client_discard byte_count"},
    "UsageOutcomeShown": {PROJECT: "project service outcome detail reason item_type item_count"},
    "UseShown": {PROJECT: "project service accepted_count rejected_count byte_count"},
    "ForecastShown": {PROJECT: "month line_count byte_count lines_at_end bytes_at_end"},
    "HourShown": {
        PROJECT: "hour_start accepted_count rejected_count byte_count delivery_count busiest_minute"
    },
    "RefusalShown": {PROJECT: "project service item_type reason hour_start last_refused_at refused_count"},
    "FoundList": {PROJECT: "results"},
    "FoundShown": {PROJECT: "kind title detail address"},
    "OverviewShown": {
        PROJECT: "as_of release figures loads calls budgets new_issues regressed_issues hosts next_steps"
    },
    "FigureShown": {PROJECT: "name value change is_better sample_count budget"},
    "LoadsShown": {
        PROJECT: "view_count load_ms_p75 load_ms_p75_at_most load_ms_unended_count lcp_ms_p75 inp_ms_p75 "
        "cls_p75"
    },
    "CallsShown": {PROJECT: "call_count error_ratio p95_ms"},
    "IssuesShown": {PROJECT: "issues count is_more unassigned_count"},
    "IssueNamed": {PROJECT: "id title event_count user_count"},
    "NewestRelease": {PROJECT: "release first_view_at headline verdict overall_verdict crash_free_ratio"},
    "HostSeen": {PROJECT: "host last_received_at missing_bytes"},
    "api__rest__overview__StepShown": {PROJECT: "name count"},
    # The service
    "Health": {PUBLIC: "status version checks reasons duties restarts backup", ORGANIZATION: "deliveries"},
    "DeliveriesShown": {PROJECT: "silent_hosts refused"},
    "SilentHostShown": {PROJECT: "host last_received_at"},
    "RefusedShown": {PROJECT: "host reason refused_count last_refused_at"},
    "BackupShown": {
        PUBLIC: "began_at age_seconds duration_seconds bytes verified_at drilled_at drill_outcome"
    },
    "JobShown": {PUBLIC: "name ran_at run_count failure_count late_seconds"},
    "PartRestart": {PUBLIC: "part ended_at reason restart_count"},
}

"""The sources of each column in marts that Python makes: columns of query results, as `question.column`.

A question is a file under `warehouse_sql/queries`; its SQL leads on to columns of tables. Only values count,
not columns that choose rows. An empty tuple: the moment of a build, or a name written in the program. A value
carried over from an earlier build has the sources of its first computation.
"""

from collections.abc import Mapping

Answers = tuple[str, ...]

STACK: Answers = ("stacks_of_project.shape",)
PAIR: Answers = ("stacks_of_project.issue_id", "stacks_of_project.first_seen_ms")

RULES: Answers = ("waiting_drafts.fingerprint_version", "waiting_drafts.rules")
FINGERPRINT: Answers = ("shapes_of_variants.shape", *RULES)

# Its value also decides the interim analysis, and so the width of the bounds.
FIRST_VIEW: Answers = ("first_loads_of_releases.first_view_at", "releases_of_page_loads.first_day")
PREVIOUS: Answers = ("releases_of_page_loads.release", "releases_of_page_loads.view_count", *FIRST_VIEW)
SESSIONS: Answers = (
    "sessions_of_releases.grouping",
    "sessions_of_releases.hour",
    "sessions_of_releases.session_count",
    "sessions_of_releases.crashed_count",
    "sessions_of_releases.cluster_count",
)
ERROR_RATE: Answers = (
    "errors_beside_sessions.is_after",
    "errors_beside_sessions.is_known",
    "errors_beside_sessions.source",
    "errors_beside_sessions.span",
    "errors_beside_sessions.exposure_count",
    "errors_beside_sessions.error_count",
    "errors_beside_loads.is_after",
    "errors_beside_loads.is_known",
    "errors_beside_loads.source",
    "errors_beside_loads.span",
    "errors_beside_loads.exposure_count",
    "errors_beside_loads.error_count",
)
# The interim analysis decides the width of the bounds.
ERRORS_JUDGED: Answers = (*ERROR_RATE, *FIRST_VIEW, "daily_error_rates.days")
PERCENTILES: Answers = ("metrics_of_releases.percentiles",)
MEASURED: Answers = (
    "loads_compared.load_ms",
    "loads_compared.ttfb_ms",
    "loads_compared.fcp_ms",
    "loads_compared.lcp_ms",
    "loads_compared.inp_ms",
    "loads_compared.cls",
    "loads_compared.api_ms",
    "loads_compared.js_bytes",
)
# Values that comparisons are stratified by.
STRATA: Answers = (
    "loads_compared.is_after",
    "loads_compared.page",
    "loads_compared.device",
    "loads_compared.occurred_at",
    "loads_compared.user_hash",
)
COMPARED: Answers = (*MEASURED, *STRATA)
JUDGED: Answers = (*COMPARED, *FIRST_VIEW)
# A drift before the release may be all that changed.
DRIFT: Answers = ("daily_series.days", "daily_series.environment", "daily_series.page_name")

WINDOW_END: Answers = ("page_metric_over_time.step_start", "endpoint_metric_over_time.step_start")
SAMPLES: Answers = ("page_metric_over_time.sample_count", "endpoint_metric_over_time.sample_count")
MEASURED_OF_BUDGETS: Answers = (
    *SAMPLES,
    "page_metric_over_time.value_sum",
    "page_metric_over_time.percentiles",
    "endpoint_metric_over_time.value_sum",
    "endpoint_metric_over_time.percentiles",
    "endpoint_metric_over_time.error_count",
)
INDEPENDENT: Answers = (
    *SAMPLES,
    "page_metric_over_time.source_squares",
    "page_metric_over_time.unidentified_count",
    "endpoint_metric_over_time.source_squares",
    "endpoint_metric_over_time.unidentified_count",
)
JUDGED_BUDGETS: Answers = (
    *MEASURED_OF_BUDGETS,
    *INDEPENDENT,
    "page_metric_over_time.square_sum",
    "endpoint_metric_over_time.square_sum",
)

SERIES: Answers = ("daily_series.days",)
RELEASE_AT: Answers = ("release_starts.began_at", *SERIES)

COMPUTED_FROM: Mapping[str, Mapping[str, Answers]] = {
    "errata_mart.similar_issues": {
        "project_id": ("projects_to_compare.project_id",),
        "issue_id": PAIR,
        "other_issue_id": PAIR,
        "found_at": (),
        "score": STACK,
        "is_near_certain": STACK,
        "reason": STACK,
    },
    "errata_mart.regrouping_proposals": {
        "project_id": ("waiting_drafts.project_id",),
        "rules_hash": RULES,
        "variant_hash": ("placements_of_project.variant_hash", "shapes_of_variants.variant_hash"),
        "fingerprint_hash": FINGERPRINT,
        "fingerprint": FINGERPRINT,
        "proposed_at": (),
    },
    "errata_mart.release_metrics": {
        "project_id": ("projects_with_page_loads.project_id",),
        "environment": ("releases_of_page_loads.environment",),
        "release": ("releases_of_page_loads.release",),
        "built_through": (),
        "counted_through": (),
        "previous_release": PREVIOUS,
        "first_view_at": FIRST_VIEW,
        "last_day": ("releases_of_page_loads.last_day",),
        "view_count": ("releases_of_page_loads.view_count",),
        "user_count": ("loads_compared.user_hash", "loads_of_seldom_seen_releases.user_count"),
        "load_ms_p50": PERCENTILES,
        "load_ms_p75": PERCENTILES,
        "load_ms_p95": PERCENTILES,
        "load_ms_p50_at_most": PERCENTILES,
        "load_ms_p75_at_most": PERCENTILES,
        "load_ms_p95_at_most": PERCENTILES,
        "timed_count": ("metrics_of_releases.sample_count",),
        "unended_count": ("metrics_of_releases.sample_count",),
        "lcp_ms_p75": PERCENTILES,
        "js_bytes_p50": ("loads_compared.js_bytes", "loads_of_seldom_seen_releases.js_bytes_p50"),
        "api_ms": ("metrics_of_releases.value_sum", "metrics_of_releases.sample_count"),
        "error_count": ("errors_of_releases.error_count",),
        "error_rate_unit": (*SESSIONS, *ERROR_RATE),
        "error_rate": ERROR_RATE,
        "error_rate_before": ERROR_RATE,
        "compared_errors": ERROR_RATE,
        "compared_errors_before": ERROR_RATE,
        "independent_errors": ERROR_RATE,
        "error_largest_share": ERROR_RATE,
        "error_ratio": ERROR_RATE,
        "error_ratio_low": ERROR_RATE,
        "error_ratio_high": ERROR_RATE,
        "error_verdict": ERRORS_JUDGED,
        "error_reason": ERRORS_JUDGED,
        "session_count": SESSIONS,
        "crashed_count": SESSIONS,
        "independent_sessions": SESSIONS,
        "crash_free_ratio": SESSIONS,
        "crash_free_low": SESSIONS,
        "crash_free_high": SESSIONS,
        "crash_free_change": SESSIONS,
        "crash_free_change_low": SESSIONS,
        "crash_free_change_high": SESSIONS,
        "crash_free_users": SESSIONS,
        "crash_free_users_low": SESSIONS,
        "crash_free_users_high": SESSIONS,
        "crash_free_users_change": SESSIONS,
        "crash_free_users_change_low": SESSIONS,
        "crash_free_users_change_high": SESSIONS,
        "crash_verdict": SESSIONS,
        "new_issues": ("issues_of_releases.new_issues",),
        "regressed_issues": ("issues_of_releases.regressed_issues", "issues_of_releases.new_issues"),
        "look_hours": FIRST_VIEW,
        "next_look_at": FIRST_VIEW,
        "verdict": ("loads_compared.load_ms", *STRATA, *FIRST_VIEW, *DRIFT),
        "moved_mix": (
            *("loads_compared.browser", "loads_compared.user_hash"),
            *("loads_compared.is_unended", "loads_compared.is_after"),
        ),
        "source_count": ("releases_of_page_loads.days",),
    },
    "errata_mart.release_impact": {
        "project_id": ("projects_with_page_loads.project_id",),
        "environment": ("releases_of_page_loads.environment",),
        "release": ("releases_of_page_loads.release",),
        "built_through": (),
        "page": ("loads_to_compare.page",),
        "metric": (),
        "previous_release": PREVIOUS,
        "after_count": COMPARED,
        "before_count": COMPARED,
        "stratum_count": COMPARED,
        "user_count": ("loads_compared.user_hash",),
        "independent_count": COMPARED,
        "largest_share": COMPARED,
        "before_p50": MEASURED,
        "before_p75": MEASURED,
        "after_p50": MEASURED,
        "after_p75": MEASURED,
        "effect": COMPARED,
        "effect_low": COMPARED,
        "effect_high": COMPARED,
        "effect_ratio": COMPARED,
        "effect_ratio_low": COMPARED,
        "effect_ratio_high": COMPARED,
        "bound_low": JUDGED,
        "bound_high": JUDGED,
        "p_value": COMPARED,
        "q_value": JUDGED,
        "slower_probability": COMPARED,
        "superiority": COMPARED,
        "is_constant": MEASURED,
        "verdict": (*JUDGED, *DRIFT),
        "reason": (*JUDGED, *DRIFT),
    },
    "errata_mart.change_points": {
        "project_id": ("projects_with_page_loads.project_id",),
        "built_through": (),
        "counted_through": (),
        "environment": ("daily_series.environment",),
        "page": ("daily_series.page_name",),
        "metric": ("daily_series.metric",),
        "kind": SERIES,
        "day": SERIES,
        "first_day": SERIES,
        "last_day": SERIES,
        "level_before": SERIES,
        "level_after": SERIES,
        "change_ratio": SERIES,
        "slope": SERIES,
        "p_value": SERIES,
        "went_away_on": SERIES,
        "finding": SERIES,
        "moved_together": SERIES,
        "release": ("release_starts.release", *RELEASE_AT),
        "release_at": RELEASE_AT,
    },
    # The definition of a budget is entered by people: it is kept in the state store.
    "errata_mart.budget_status": {
        **dict.fromkeys(("project_id", "budget_id", "name", "metric", "statistic", "threshold"), ()),
        **dict.fromkeys(("pattern", "environment", "device", "window_hours", "least_samples"), ()),
        "built_through": (),
        "window_end": WINDOW_END,
        "sample_count": SAMPLES,
        "independent_count": INDEPENDENT,
        "value": MEASURED_OF_BUDGETS,
        "value_at_least": JUDGED_BUDGETS,
        "outcome": JUDGED_BUDGETS,
        "state": JUDGED_BUDGETS,
    },
}

"""Whatever files say one after another: nothing is left to change, and an export says the same."""

from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from errata.alerts.kinds import events, monitor, new
from errata.filters import FILTERS
from errata.warehouse.retention import KEPT, most_days
from tests.configured import Configured

NAMES = st.sampled_from(["Checkout", "über 10 % – ✓", "yes", "1.5", "null", "a: b # c", "'quoted'", "~"])
SERVICES = st.sampled_from(["web", "worker", "cron", "0", "1e3"])
BUDGETS = st.fixed_dictionaries(
    {
        "metric": st.sampled_from(["lcp_ms", "cls", "total_bytes"]),
        "threshold": st.one_of(st.integers(0, 10**9), st.floats(0, 1e6)),
    },
    optional={
        "statistic": st.sampled_from(["p75", "p99", "mean"]),
        "pattern": st.sampled_from(["/checkout/*", "*", " /a "]),
        "device": st.sampled_from(["mobile", "desktop"]),
        "window_hours": st.sampled_from([1, 24, 672]),
        "least_samples": st.integers(1, 1000),
    },
)
RULES = st.one_of(
    st.fixed_dictionaries(
        {
            "kind": st.just(events.KIND.name),
            "condition": st.fixed_dictionaries({"over": st.integers(0, 10**9)}),
        },
        optional={"cap_minutes": st.integers(5, 100), "enabled": st.booleans()},
    ),
    st.fixed_dictionaries(
        {"kind": st.just(new.KIND.name)},
        optional={
            "query": st.sampled_from(["environment:production", " level:error ", "level:error checkout"]),
            "priorities": st.lists(st.sampled_from(["high", "medium", "low"])),
        },
    ),
    st.just({"kind": monitor.KIND.name, "condition": {"monitor_slug": "backup"}}),
)
SCHEDULES: list[Any] = [
    {"type": "crontab", "value": "@daily"},
    {"type": "interval", "value": 2, "unit": "week"},
]
MONITOR: dict[str, st.SearchStrategy[Any]] = {
    "slug": st.sampled_from(["backup", "Export", "0", "no"]),
    "schedule": st.sampled_from(SCHEDULES),
}
MORE_OF_MONITOR: dict[str, st.SearchStrategy[Any]] = {
    "environment": st.sampled_from(["", "production", "staging/eu", "null"]),
    "timezone": st.sampled_from(["UTC", "Europe/Berlin"]),
    "checkin_margin": st.integers(1, 40_320),
    "recovery_threshold": st.integers(1, 720),
}
MONITORS: st.SearchStrategy[Any] = st.fixed_dictionaries(MONITOR, optional=MORE_OF_MONITOR)
# Without shrinking, which applies hundreds of files.
PHASES = (Phase.explicit, Phase.generate)
NO_ENTRIES = sorted(kind for kind, one in FILTERS.items() if one.entries is None)


def named(entries: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[list[dict[str, Any]]]:
    with_names = st.builds(lambda name, entry: {"name": name, **entry}, NAMES, entries)
    return st.lists(with_names, max_size=4, unique_by=lambda entry: str(entry["name"]))


def monitor_key(entry: dict[str, Any]) -> tuple[str, str]:
    return entry["slug"].lower(), entry.get("environment", "production")


MONITOR_LISTS: st.SearchStrategy[Any] = st.lists(MONITORS, max_size=4, unique_by=monitor_key)
PROJECTS = st.fixed_dictionaries(
    {"slug": st.sampled_from(["shop", "billing", "0"]), "name": NAMES},
    optional={
        "platform": st.sampled_from(["python", "no"]),
        "application_keys": st.lists(SERVICES, unique=True),
        "public_keys": st.lists(SERVICES, unique=True),
        "budgets": named(BUDGETS),
        "alert_rules": named(RULES),
        "monitors": MONITOR_LISTS,
        "retention": st.dictionaries(st.sampled_from(list(KEPT)), st.just(0), max_size=3),
        "inbound_filters": st.dictionaries(st.sampled_from(NO_ENTRIES), st.just([])),
        "limits": st.fixed_dictionaries({"lines_per_minute": st.integers(1, 10**12)}),
        "allowed_origins": st.lists(st.sampled_from(["https://a.example", "*", "https://*.b.example/"])),
    },
)


def file_of(projects: list[dict[str, Any]]) -> str:
    for project in projects:
        kept = project.get("retention", {})
        project["retention"] = {kind.value: most_days(kind) for kind in kept}
    return yaml.dump({"version": 1, "projects": projects}, Dumper=WithoutAliases, allow_unicode=True)


class WithoutAliases(yaml.SafeDumper):
    def ignore_aliases(self, _data: Any) -> bool:
        return True


@pytest.mark.slow
@settings(
    max_examples=15, deadline=None, phases=PHASES, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(PROJECTS, max_size=3, unique_by=lambda project: str(project["slug"])), st.booleans())
def test_any_file_is_applied_whole_and_exported(
    configured: Configured, projects: list[dict[str, Any]], is_pruning: bool
) -> None:
    text = file_of(projects)
    configured.apply(text, is_pruning=is_pruning)
    left = configured.plan(text, is_pruning=is_pruning)
    assert [line for line in left if not line.startswith("!")] == []
    exported = configured.export()
    assert configured.plan(exported, is_pruning=True) == []
    configured.apply(exported, is_pruning=True)
    assert configured.export() == exported

"""Each refused file names the line and the reason, and changes nothing."""

from pathlib import Path

import pytest

from errata.configuration.errors import ConfigurationRefused, ConfigurationUnreadable
from errata.configuration.source import LARGEST_BYTES, parsed_source, read_source
from tests.cases import each
from tests.configured import EVERYTHING, FILE, Configured

HEAD = "version: 1\nprojects:\n- slug: shop\n  name: Shop\n"
PEOPLE = "version: 1\npeople:\n- {email: owner@example.org, role: owner}\n"
BUDGET = HEAD + "  budgets:\n  - name: Checkout\n    metric: lcp_ms\n    threshold: 2500\n"
MONITOR = HEAD + "  monitors:\n  - slug: backup\n    schedule: {type: crontab, value: '0 3 * * *'}\n"
RULE = HEAD + "  alert_rules:\n  - name: Many\n    kind: events\n    condition: {over: 5}\n"
CHANNEL = "version: 1\nchannels:\n- name: Chat\n  kind: slack\n  secret: ${env:CHANNEL_CHAT_SECRET}\n"


@each(
    "text, line, said",
    [
        ("", 1, "the file is empty"),
        ("version: 1\nprojects: [\n", 3, "not valid YAML"),
        ("version: 1\nversion: 1\n", 2, "version: given twice"),
        ("version: 2\n", 1, "version: must be 1"),
        ("projects: []\n", 1, "version: missing"),
        ("- version: 1\n", 1, "must be a mapping"),
        ("version: 1\nproject: []\n", 2, "project: unknown field"),
        ("version: 1\nprojects: &a []\npeople: *a\n", 3, "aliases"),
        ("version: 1\nprojects: !!python/object:os.system []\n", 2, "isn't allowed"),
        ("version: 1\nprojects:\n- slug: shop\n", 3, "projects[0].name: missing"),
        ("version: 1\nprojects:\n- slug: My shop\n  name: x\n", 3, "slug: 1 to 50 lowercase"),
        ("version: 1\nprojects:\n- slug: shop\n  name: 5\n", 4, "name: must be text"),
        ("version: 1\nprojects:\n- slug: shop\n  name: 2026-11-30\n", 4, "name: read as a date"),
        ('version: 1\nprojects:\n- slug: shop\n  name: "a\\0"\n', 4, "name: contains a control character"),
        (
            'version: 1\nprojects:\n- slug: shop\n  name: "\\ud800"\n',
            4,
            ("name: contains half a surrogate pair"),
        ),
        (HEAD + "- {slug: shop, name: Again}\n", 5, "projects[1].slug: project 'shop' is in the file twice"),
        (HEAD + "  budgets: Checkout\n", 5, "budgets: must be a list"),
        (BUDGET.replace("lcp_ms", "lpc_ms"), 7, "budgets[0].metric: one of load_ms"),
        (BUDGET.replace("2500", ".inf"), 8, "budgets[0].threshold: not a finite number"),
        (BUDGET.replace("2500", "-1"), 8, "budgets[0].threshold: a number from 0"),
        (BUDGET.replace("2500", "fast"), 8, "budgets[0].threshold: must be a number"),
        (BUDGET + "    window_hours: 5\n", 9, "window_hours: one of 1, 6, 24"),
        (BUDGET + "    windows: 5\n", 9, "budgets[0].windows: unknown field"),
        (
            BUDGET + "  - {name: Checkout, metric: cls, threshold: 1}\n",
            9,
            "budget 'Checkout' is in the file twice",
        ),
        (MONITOR.replace("backup", "my backup"), 6, "monitors[0].slug: 1 to 50 letters"),
        (MONITOR.replace("'0 3 * * *'", "'0 3 * *'"), 7, "monitors[0].schedule: A crontab has five fields"),
        (MONITOR.replace("'0 3 * * *'", "5"), 7, "schedule: The value of a crontab is a text"),
        (MONITOR.replace("crontab", "cron"), 7, "schedule: The type of a schedule is crontab or interval"),
        (MONITOR.replace("value: '0 3 * * *'", "unit: day"), 7, "schedule.value: missing"),
        (MONITOR.replace("'0 3 * * *'}", "[3]}"), 7, "schedule: The value of a crontab is a text"),
        (MONITOR.replace("'0 3 * * *'}", "'0 3 * * *', at: 3}"), 7, "schedule.at: unknown field"),
        (MONITOR + "    timezone: Mars/Base\n", 8, "monitors[0].timezone: `timezone` is a name such as"),
        (MONITOR + "    checkin_margin: 0\n", 8, "monitors[0].checkin_margin: must be at least 1"),
        (
            MONITOR + "    max_runtime: 40321\n",
            8,
            "max_runtime: must be at most 40320",
        ),
        (MONITOR + '    environment: "a\\nb"\n', 8, "monitors[0].environment: at most 64 characters"),
        (
            MONITOR + "  - {slug: BACKUP, schedule: {type: interval, value: 1, unit: day}}\n",
            8,
            "monitor 'backup/production' is in the file twice",
        ),
        (
            MONITOR
            + "".join(
                f"  - {{slug: job-{number}, schedule: {{type: interval, value: 1, unit: day}}}}\n"
                for number in range(500)
            ),
            507,
            "monitors[500]: a project has at most 500 monitors",
        ),
        (RULE.replace("kind: events", "kind: event"), 7, "alert_rules[0].kind: one of"),
        (RULE.replace("{over: 5}", "{over: many}"), 8, "condition.over: a number from 0"),
        (RULE.replace("{over: 5}", "{more: 5}"), 8, "condition: more doesn't apply"),
        (RULE.replace("{over: 5}", "{over: {a: 1}}"), 8, "condition: over: use text, a number"),
        (RULE.replace("{over: 5}", "{over: 5, scope: [issue]}"), 8, "condition.scope: issue or all"),
        (CHANNEL + "  settings: {region: [eu]}\n", 6, "settings: region doesn't apply"),
        (RULE + "    channels: [Nobody]\n", 9, "no channel is named 'Nobody'"),
        (RULE + "    query: 'is:nonsense'\n", 9, "alert_rules[0].query: "),
        (RULE + "    cap_minutes: 1\n", 9, "cap_minutes: 5 to"),
        (RULE + "    budget: Checkout\n", 9, "set either the budget or the condition, not both"),
        (HEAD + "  alert_rules:\n  - {name: B, kind: budget, budget: Fast}\n", 6, "no budget named 'Fast'"),
        (HEAD + "  application_keys: [Worker]\n", 5, "application_keys[0]: has an invalid format"),
        (HEAD + "  retention:\n    errors: 5\n", 6, "retention.errors: must be 60 to 90 days"),
        (HEAD + "  retention:\n    eggs: 5\n", 6, "retention.eggs: unknown kind of data"),
        (HEAD + "  inbound_filters:\n    eggs: []\n", 5, "inbound_filters: eggs: no such filter"),
        (HEAD + "  allowed_origins: [shop]\n", 5, "allowed_origins: origins such as"),
        (HEAD + "  scrubbing:\n    filtered_patterns: ['(']\n", 5, "scrubbing: "),
        (HEAD + "  limits:\n    lines_per_minute: 0\n", 6, "limits.lines_per_minute: must be at least 1"),
        (HEAD + "  limits:\n    services:\n      x: {lines_per_minute: 1}\n", 7, "no application key"),
        (HEAD + "  saved_searches:\n  - {name: A, query: 'is:'}\n", 6, "saved_searches[0].query"),
        (HEAD + "  saved_searches:\n  - {name: A, owner: no@example.org}\n", 6, "isn't in the organization"),
        (
            HEAD + "  saved_views:\n  - {name: A, address: /projects/other/performance}\n",
            6,
            "address: an address of",
        ),
        (
            HEAD + "  report_schedules:\n  - {name: A, weekday: someday, hour: 8, recipients: [a@b.org]}\n",
            6,
            "weekday: one of monday",
        ),
        (
            CHANNEL.replace("${env:CHANNEL_CHAT_SECRET}", "https://hooks.slack.com/x"),
            5,
            "has an invalid format",
        ),
        (CHANNEL.replace("CHAT_SECRET", "CHAT"), 5, "${env:CHANNEL_CHAT} is empty or isn't there"),
        (CHANNEL.replace("slack", "slick"), 4, "kind: one of"),
        (PEOPLE + "- {email: nobody}\n", 4, "people[1].email: "),
        (PEOPLE + "- {email: a@b.org, role: boss}\n", 4, "people[1].role: must be one of"),
        (PEOPLE + "- {email: a@b.org, projects: [eggs]}\n", 4, "no project has the slug 'eggs'"),
        (PEOPLE + "- {email: Owner@example.org, role: owner}\n", 4, "is in the file twice"),
        (PEOPLE.replace("role: owner", "role: member"), 2, "there would be no owner"),
    ],
)
def test_a_refused_file_names_line_and_reason(
    configured: Configured, text: str, line: int, said: str
) -> None:
    before = configured.export()
    with pytest.raises(ConfigurationRefused) as refused:
        configured.apply(text) if text else parsed_source(FILE, text)
    [problem] = refused.value.problems
    assert (problem.line, said in str(problem)) == (line, True), str(problem)
    assert str(refused.value).startswith(f"nothing was changed:\nerrata.yaml:{line}: ")
    assert configured.export() == before


def test_all_problems_of_a_file_are_told_at_once(configured: Configured) -> None:
    text = EVERYTHING.replace("metric: lcp_ms", "metric: lpc").replace("kind: monitor", "kind: eggs")
    with pytest.raises(ConfigurationRefused) as refused:
        configured.apply(text.replace("weekday: monday", "weekday: someday"))
    fields = [problem.field.rpartition(".")[2] for problem in refused.value.problems]
    assert fields == ["metric", "kind", "weekday"]
    lines = [problem.line for problem in refused.value.problems]
    assert lines == sorted(lines) and len(set(lines)) == 3


def test_no_message_repeats_a_secret_written_into_the_file(configured: Configured) -> None:
    with pytest.raises(ConfigurationRefused) as refused:
        configured.apply(CHANNEL.replace("${env:CHANNEL_CHAT_SECRET}", "hunter2-in-the-clear"))
    assert "hunter2" not in str(refused.value)


def test_a_list_of_more_than_a_project_may_have_is_refused(configured: Configured) -> None:
    many = "".join(f"  - {{name: B{number}, metric: lcp_ms, threshold: 1}}\n" for number in range(101))
    with pytest.raises(ConfigurationRefused) as refused:
        configured.apply(HEAD + "  budgets:\n" + many)
    [problem] = refused.value.problems
    assert (problem.line, problem.field) == (106, "projects[0].budgets[100]")


@each(
    "content, line",
    [
        (b"version: 1\n# caf\xe9\n", 2),
        (b"version: 1\nprojects: " + b"[" * 50 + b"]" * 50, 2),
        (b"version: 1\nprojects: " + b"[" * 100_000, 2),
        (b"version: 1\nx: " + b"9" * 10_000 + b"\n", 2),
        (b"version: 1\nx: \x00\n", 2),
        (b"version: 1\n---\nversion: 1\n", 2),
        (b"version: 1\n? [a]\n: 1\n", 2),
    ],
)
def test_hostile_text_is_refused_with_its_line(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "errata.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigurationRefused) as refused:
        read_source(path)
    assert refused.value.problems[0].line == line, str(refused.value)


def test_a_huge_or_missing_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "huge").write_bytes(b"#" * (LARGEST_BYTES + 1))
    for name in ("huge", "missing", "."):
        with pytest.raises(ConfigurationUnreadable):
            read_source(tmp_path / name)

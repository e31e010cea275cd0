"""A file is applied, exported and applied elsewhere: it says the same, and nothing is left to change."""

from errata.configuration.change import Sign
from errata.configuration.registry import OF_ORGANIZATION, OF_PROJECT
from errata.configuration.source import parsed_source
from errata.state.activity_actions import Action
from tests.configured import ACTOR, EVERYTHING, FILE, VARIABLES, Configured


def test_what_is_applied_is_exported_and_nothing_is_left_to_change(configured: Configured) -> None:
    assert all(line.startswith(Sign.CREATE) for line in configured.plan(EVERYTHING)[:6])
    configured.apply(EVERYTHING)
    assert configured.plan(EVERYTHING) == []
    exported = configured.export()
    assert configured.plan(exported) == []
    assert configured.plan(exported, is_pruning=True) == []


def test_the_file_with_everything_has_every_kind() -> None:
    value = parsed_source(FILE, EVERYTHING).value
    assert {kind.field for kind in OF_ORGANIZATION} <= set(value)
    assert {kind.field for kind in OF_PROJECT} <= set(value["projects"][0])


def test_a_wiped_service_is_the_same_again(configured: Configured, another: Configured) -> None:
    configured.apply(EVERYTHING)
    exported = configured.export()
    another.apply(exported)
    assert another.export() == exported
    assert another.plan(exported, is_pruning=True) == []


def test_postgresql_takes_the_same_file(configured: Configured, on_postgresql: Configured) -> None:
    configured.apply(EVERYTHING)
    exported = configured.export()
    on_postgresql.apply(exported)
    assert on_postgresql.export() == exported
    assert on_postgresql.apply(exported, is_pruning=True) == []


def test_a_second_time_changes_and_logs_nothing(configured: Configured) -> None:
    configured.apply(EVERYTHING)
    [organization] = configured.store.accounts.organizations()
    before = configured.store.activity.entries(organization.id, limit=1000)
    assert configured.apply(EVERYTHING) == []
    assert configured.store.activity.entries(organization.id, limit=1000) == before


def test_each_change_is_in_the_activity_log(configured: Configured) -> None:
    configured.apply(EVERYTHING)
    [organization] = configured.store.accounts.organizations()
    entries = configured.store.activity.entries(organization.id, limit=1000)
    logged = {entry.action for entry in entries if entry.actor == ACTOR}
    assert logged >= {
        Action.PROJECT_CREATED,
        Action.APP_KEY_CREATED,
        Action.USER_CREATED,
        Action.ALERT_CHANNEL_CREATED,
        Action.ALERT_RULE_CREATED,
        Action.BUDGET_CREATED,
        Action.MONITOR_DECLARED,
        Action.INBOUND_FILTERS_CHANGED,
        Action.RETENTION_CHANGED,
        Action.SCRUBBING_RULES_CHANGED,
        Action.ALLOWED_ORIGINS_CHANGED,
        Action.LINE_LIMIT_CHANGED,
        Action.REPORT_SCHEDULE_CREATED,
    }


def test_keys_and_passwords_are_made_anew_and_told(configured: Configured, another: Configured) -> None:
    first, second = configured.apply(EVERYTHING), another.apply(EVERYTHING)
    assert [each.partition(": ")[0] for each in first] == [each.partition(": ")[0] for each in second]
    assert set(first).isdisjoint(second)
    passwords = dict(
        each.removeprefix("Password of ").split(": ") for each in first if each.startswith("Password of ")
    )
    assert set(passwords) == {"ada@example.org", "bo@example.org"}
    session = configured.store.sessions.sign_in("bo@example.org", passwords["bo@example.org"])
    assert session is not None
    shop = configured.store.projects.get(session.organization_id, "shop")
    assert session.project_ids == frozenset({shop.id})
    key = next(each for each in first if each.startswith("Application key of shop, service worker: "))
    routes = configured.store.keys.app.routes(session.organization_id, [key.partition(": ")[2]])
    assert [route.service for route in routes.values()] == ["worker"]


def test_no_secret_is_exported(configured: Configured) -> None:
    issued = configured.apply(EVERYTHING)
    exported = configured.export()
    secrets = [*VARIABLES.values(), *(each.rpartition(": ")[2] for each in issued)]
    assert not [secret for secret in secrets if secret in exported]
    [chat, *_] = configured.store.alerts.channels.of_organization(1)
    stored = configured.store.alerts.channels.secret(chat)
    assert stored.get_secret_value() == VARIABLES["CHANNEL_CHAT_SECRET"]

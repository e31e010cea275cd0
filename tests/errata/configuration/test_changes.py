"""What a plan says of a change, and what applying it does."""

from pathlib import Path

import pytest

from errata.configuration.errors import ConfigurationRefused, NameNotUnique
from tests.cases import each
from tests.configured import EVERYTHING, VARIABLES, Configured


@pytest.mark.slow
@each(
    "before, after, line",
    [
        (
            "threshold: 2500",
            "threshold: 2000",
            '~ budget "Checkout is fast" of shop: threshold 2,500.0 -> 2,000.0',
        ),
        ("name: The shop", "name: Shop", '~ project shop: name "The shop" -> "Shop"'),
        ("over: 100", "over: 7", '~ alert rule "Many errors" of shop: condition {over: 100, '),
        (
            "channels: [Chat, Mail]",
            "channels: [Chat]",
            'A new issue" of shop: channels ["Chat", "Mail"] -> ["Chat"]',
        ),
        ("enabled: false", "enabled: true", '"Many errors" of shop: enabled false -> true'),
        (
            "{errors: 60, traces: 7}",
            "{errors: 70}",
            "~ shop: retention {errors: 60, traces: 7} -> {errors: 70}",
        ),
        ("hourly_limit: 5", "hourly_limit: 6", '~ channel "Mail": hourly_limit 5 -> 6'),
        ("role: member", "role: owner", '~ person "ada@example.org": role "member" -> "owner"'),
        ("projects: [shop]", "projects: [billing]", 'bo@example.org": projects ["shop"] -> ["billing"]'),
        ("sort: events", "sort: users", '~ saved search "Checkout" of shop: sort "events" -> "users"'),
        ("device=mobile", "device=tablet", '~ saved view "Phones" of shop: address '),
        (
            "checkin_margin: 10",
            "checkin_margin: 20",
            '~ monitor "backup/production" of shop: checkin_margin 10 -> 20',
        ),
        (
            "unit: day",
            "unit: hour",
            '~ monitor "backup/staging" of shop: schedule {type: "interval", value: 2, unit: "day"} -> ',
        ),
        ("hour: 8", "hour: 9", '~ report schedule "Week of the shop" of shop: hour 8 -> 9'),
        ("spike_protection: true", "spike_protection: false", "~ shop: limits "),
        ("web-crawlers: []", "localhost: []", "~ shop: inbound filters "),
        ("[customer number]", "[customer]", "~ shop: scrubbing rules "),
        ('"https://*.example.com"', '"https://example.org"', "~ shop: allowed origins "),
        ("owner: ada@example.org", "owner: owner@example.org", '~ saved search "Checkout" of shop: owner '),
    ],
)
def test_a_changed_value_is_planned_and_applied(
    configured: Configured, before: str, after: str, line: str
) -> None:
    configured.apply(EVERYTHING)
    changed = EVERYTHING.replace(before, after, 1)
    assert changed != EVERYTHING
    [planned] = configured.plan(changed)
    assert line in planned
    configured.apply(changed)
    assert configured.plan(changed) == []
    assert len(configured.plan(EVERYTHING)) == 1


def test_what_a_file_leaves_out_stays_unless_pruned(configured: Configured) -> None:
    configured.apply(EVERYTHING)
    shop = "version: 1\nprojects:\n- slug: shop\n  name: The shop\n  platform: python\n"
    left = shop + "  budgets: []\n  alert_rules: []\n  application_keys: ['*']\n"
    before = configured.export()
    assert configured.plan(shop) == ["! project billing"]
    assert {line[0] for line in configured.plan(left)} == {"!"}
    configured.apply(left)
    assert configured.export() == before
    pruned = configured.plan(left, is_pruning=True)
    assert '- budget "Orders work" of shop' in pruned and '- application key "cron" of shop' in pruned
    configured.apply(left, is_pruning=True)
    after = configured.export()
    assert "budgets:" not in after and "alert_rules:" not in after and "- cron" not in after
    assert "saved_searches:" in after and "slug: billing" in after


def test_people_and_channels_are_pruned_after_the_rules_that_name_them(configured: Configured) -> None:
    configured.apply(EVERYTHING)
    text = (
        "version: 1\npeople:\n- {email: ada@example.org, role: owner}\nchannels: []\n"
        "projects:\n- slug: shop\n  name: The shop\n  platform: python\n  alert_rules: []\n"
    )
    configured.apply(text, is_pruning=True)
    assert configured.plan(text, is_pruning=True) == ["! project billing"]
    assert [person.email for person in configured.store.users.of_organization(1)] == ["ada@example.org"]
    assert configured.store.alerts.channels.of_organization(1) == []
    # What they had shared stays, with no owner that could be named.
    assert configured.plan(configured.export()) == []


def test_a_rule_may_not_name_a_channel_that_is_pruned(configured: Configured) -> None:
    configured.apply(EVERYTHING)
    text = EVERYTHING.replace("  - name: On call\n    kind: pagerduty\n    settings: {region: eu}\n", "")
    text = text.replace("    secret: ${env:CHANNEL_ON_CALL_SECRET}\n", "")
    assert configured.plan(text) == ['! channel "On call"']
    with pytest.raises(ConfigurationRefused, match="no channel is named 'On call'"):
        configured.plan(text, is_pruning=True)


def test_a_secret_is_changed_by_its_reference_and_never_shown(configured: Configured) -> None:
    configured.apply(EVERYTHING)
    other = {**VARIABLES, "CHANNEL_CHAT_SECRET": "https://hooks.slack.com/services/other/than/before"}
    rotated = Configured(configured.store, other)
    assert rotated.plan(EVERYTHING) == ['~ channel "Chat": secret']
    rotated.apply(EVERYTHING)
    assert rotated.plan(EVERYTHING) == []
    # Without the variable, the stored one stays.
    assert Configured(configured.store, {}).plan(EVERYTHING) == []


def test_a_secret_is_read_from_a_file_beside_the_configuration(
    configured: Configured, tmp_path: Path
) -> None:
    (tmp_path / "chat").write_text("https://hooks.slack.com/services/of/a/file\n")
    there = Configured(configured.store, VARIABLES, tmp_path)
    there.apply(EVERYTHING.replace("${env:CHANNEL_CHAT_SECRET}", "file:chat"))
    [chat, *_] = configured.store.alerts.channels.of_organization(1)
    assert configured.store.alerts.channels.secret(chat).get_secret_value().endswith("/of/a/file")


def test_two_of_one_name_are_not_exported(configured: Configured) -> None:
    configured.apply(EVERYTHING)
    [budget, *_] = configured.store.budgets.of_project(1, "shop")
    configured.store.budgets.create(1, "shop", budget.name, budget.limit, actor="a test")
    with pytest.raises(NameNotUnique, match="Checkout is fast"):
        configured.export()


def test_a_rule_follows_the_budget_that_its_file_names(configured: Configured) -> None:
    configured.apply(EVERYTHING)
    configured.apply(EVERYTHING.replace("threshold: 2500", "threshold: 1800"))
    rules = {rule.name: rule for rule in configured.store.alerts.rules.of_project(1, "shop")}
    assert rules["Checkout is slow"].condition["threshold"] == 1800
    assert rules["Checkout is slow"].budget_name == "Checkout is fast"


def test_somebody_of_a_project_yet_to_come_sees_no_other_one(configured: Configured) -> None:
    configured.apply("version: 1\nprojects:\n- {slug: billing, name: Billing}\n")
    configured.apply(EVERYTHING)
    people = {person.email: person.projects for person in configured.store.users.of_organization(1)}
    assert people["bo@example.org"] == ("shop",)


def test_a_kind_of_channel_stays(configured: Configured) -> None:
    configured.apply(EVERYTHING)
    with pytest.raises(ConfigurationRefused, match="slack can't become discord"):
        configured.plan(EVERYTHING.replace("kind: slack", "kind: discord"))


def test_owners_can_change_places(configured: Configured) -> None:
    swapped = (
        "version: 1\npeople:\n- {email: owner@example.org, role: viewer}\n"
        "- {email: ada@example.org, role: owner}\n"
    )
    configured.apply(swapped)
    assert configured.plan(swapped) == []

"""Tokens of a project, on SQLite and PostgreSQL."""

from datetime import timedelta

import pytest

from errata.errors import InvalidParameter
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.activity_actions import Action
from errata.state.capability import Capability
from errata.state.errors import ProjectNotFound, ProjectTokenNotFound
from tests.errata.state.conftest import Clock

SLUG = "web-shop"


def created(store: Store, organization_id: int, days: int = 30) -> tuple[int, str]:
    made = store.project_tokens.create(organization_id, SLUG, [Capability.READ], "CI", days, actor="owner")
    return made.token.id, made.text


def test_a_token_opens_its_project_until_it_expires(
    store: Store, account: FirstAccount, organization_id: int, clock: Clock
) -> None:
    _, text = created(store, organization_id)
    (project,) = store.projects.of_organization(organization_id)
    holder = store.project_tokens.find(text)
    assert holder is not None
    assert (holder.organization_id, holder.project_id, holder.capabilities) == (
        organization_id,
        project.id,
        (Capability.READ,),
    )
    (shown,) = store.project_tokens.of_project(organization_id, SLUG)
    assert (shown.name, text.startswith(shown.prefix), len(shown.prefix) < len(text)) == ("CI", True, True)
    clock.advance(timedelta(days=30))
    assert store.project_tokens.find(text) is None
    assert store.project_tokens.of_project(organization_id, SLUG) == []


def test_a_revoked_token_is_refused_at_once_by_another_node(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    token_id, text = created(store, organization_id)
    store.project_tokens.revoke(organization_id, SLUG, token_id, actor="owner")
    assert store.project_tokens.find(text) is None
    with pytest.raises(ProjectTokenNotFound):
        store.project_tokens.revoke(organization_id, SLUG, token_id, actor="owner")


def test_a_deleted_project_ends_its_tokens(store: Store, account: FirstAccount, organization_id: int) -> None:
    _, text = created(store, organization_id)
    store.projects.delete(organization_id, SLUG, actor="owner")
    assert store.project_tokens.find(text) is None


def test_a_token_is_no_key_and_of_no_other_project(
    store: Store, account: FirstAccount, organization_id: int
) -> None:
    token_id, text = created(store, organization_id)
    assert store.keys.api.owner(text) is None
    for other in (account.api_key, account.app_key, text[:-1], text + "x", text.swapcase(), ""):
        assert store.project_tokens.find(other) is None
    store.projects.create(organization_id, "Docs", actor="owner")
    with pytest.raises(ProjectTokenNotFound):
        store.project_tokens.revoke(organization_id, "docs", token_id, actor="owner")
    with pytest.raises(ProjectNotFound):
        store.project_tokens.create(organization_id + 1, SLUG, [Capability.READ], "CI", 1, actor="owner")


def test_a_token_has_each_capability_once_and_at_least_one(store: Store, organization_id: int) -> None:
    given = [Capability.TRIAGE, Capability.READ, Capability.READ]
    made = store.project_tokens.create(organization_id, SLUG, given, "Agent", 1, actor="owner")
    assert made.token.capabilities == (Capability.READ, Capability.TRIAGE)
    with pytest.raises(InvalidParameter):
        store.project_tokens.create(organization_id, SLUG, [], "Agent", 1, actor="owner")


@pytest.mark.parametrize("days", [0, -1, 367])
def test_every_token_expires(store: Store, organization_id: int, days: int) -> None:
    with pytest.raises(InvalidParameter):
        created(store, organization_id, days)


def test_a_token_lasts_a_leap_year_at_most(store: Store, organization_id: int, clock: Clock) -> None:
    _, text = created(store, organization_id, 366)
    clock.advance(timedelta(days=366, milliseconds=-1))
    assert store.project_tokens.find(text) is not None
    clock.advance(timedelta(milliseconds=1))
    assert store.project_tokens.find(text) is None


def test_no_token_is_stored_and_the_log_has_its_life(
    store: Store, account: FirstAccount, organization_id: int, clock: Clock
) -> None:
    token_id, text = created(store, organization_id)
    for _ in range(3):
        store.project_tokens.find(text)
        clock.advance(timedelta(minutes=2))
    clock.advance(timedelta(days=1))
    store.project_tokens.find(text)
    store.project_tokens.revoke(organization_id, SLUG, token_id, actor="owner")
    entries = store.activity.entries(organization_id, kind="project_token")
    assert [entry.action for entry in entries] == [
        Action.PROJECT_TOKEN_REVOKED,
        Action.PROJECT_TOKEN_USED,
        Action.PROJECT_TOKEN_LAST_USED,
        Action.PROJECT_TOKEN_USED,
        Action.PROJECT_TOKEN_CREATED,
    ]
    assert {entry.key_prefix for entry in entries} == {text[: len("errata_token_") + 6]}
    with store.database.reading() as connection:
        rows = connection.exec_driver_sql("select * from project_tokens").all()
    assert rows and text not in str(rows)

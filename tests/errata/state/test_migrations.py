from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from errata.state import Store
from errata.state.capability import Capability
from errata.state.database import MIGRATIONS, Database
from errata.state.table import every_table

REVISIONS = sorted(path.name[:4] for path in Path(MIGRATIONS / "versions").glob("0*.py"))


def test_the_migrations_lead_to_the_tables_as_declared(store: Store) -> None:
    with store.database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, every_table()) == []


def test_every_unique_rule_of_the_current_keys_is_in_the_database(store: Store) -> None:
    """What a comparison of metadata does not see: the conditions of partial indexes."""
    with store.database.reading() as connection:
        source = "sqlite_master" if connection.dialect.name == "sqlite" else ""
        rows = connection.exec_driver_sql(
            f"select sql from {source} where type = 'index'" if source else "select indexdef from pg_indexes"
        )
        definitions = [str(row[0]).lower() for row in rows if row[0]]
    for index, condition in (
        ("uq_api_keys_organization_id_current", "revoked_at is null"),
        ("uq_app_keys_project_id_service_current", "replaced_at is null"),
        ("uq_projects_organization_id_slug", "deleted_at is null"),
    ):
        assert any(index in line and condition in line and "unique" in line for line in definitions), index


@pytest.mark.slow
def test_a_store_of_any_earlier_release_is_brought_up_with_what_it_holds(empty_state_url: str) -> None:
    database = Database(empty_state_url)
    database.migrate(REVISIONS[0])
    with database.writing() as connection:
        now = {"now": datetime(2026, 1, 1, tzinfo=UTC)}
        connection.execute(
            text("insert into organizations (id, name, created_at) values (1, 'Acme', :now)"), now
        )
        connection.execute(
            text(
                "insert into projects (id, organization_id, slug, name, platform, created_at)"
                " values (7, 1, 'shop', 'Shop', '', :now)"
            ),
            now,
        )
    for revision in REVISIONS[1:]:
        database.migrate(revision)
    database.close()
    store = Store.open(empty_state_url, b"s" * 48)
    store.migrate()
    assert [(project.id, project.slug) for project in store.projects.of_organization(1)] == [(7, "shop")]
    active = store.grouping.active(7)
    assert (active.number, active.version, active.rules) == (1, 2, "")
    entries = {(entry.action, entry.subject, entry.actor) for entry in store.activity.entries(1)}
    assert entries == {("grouping.applied", "shop 1 (version 2)", ""), ("app_key.created", "shop", "")}
    assert len(store.keys.app.public_keys(1, "shop")) == 1
    store.close()


def test_a_token_of_one_purpose_keeps_what_it_could(empty_state_url: str) -> None:
    database = Database(empty_state_url)
    database.migrate("0040")
    now = {"now": datetime(2026, 1, 1, tzinfo=UTC)}
    with database.writing() as connection:
        for statement in (
            "insert into organizations (id, name, created_at) values (1, 'Acme', :now)",
            "insert into projects (id, organization_id, slug, name, platform, created_at)"
            " values (7, 1, 'shop', 'Shop', '', :now)",
            "insert into project_tokens"
            " (project_id, purpose, name, token_hash, prefix, created_at, created_by, expires_at)"
            " values (7, 'verdict', 'CI', 'x', 'errata_token_x', :now, 'owner', '2999-01-01')",
        ):
            connection.execute(text(statement), now)
    database.close()
    store = Store.open(empty_state_url, b"s" * 48)
    store.migrate()
    (token,) = store.project_tokens.of_project(1, "shop")
    assert token.capabilities == (Capability.VERDICT,)
    store.close()

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from errata.state import Store
from errata.state.tables import metadata


def test_the_migrations_lead_to_the_tables_as_declared(store: Store) -> None:
    with store._database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_every_unique_rule_of_the_current_keys_is_in_the_database(store: Store) -> None:
    """What a comparison of metadata does not see: the conditions of partial indexes."""
    with store._database.reading() as connection:
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

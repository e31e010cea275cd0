"""Run by Database.migrate inside its own transaction; not for the alembic command line."""

from alembic import context

from errata.state.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite's DDL is transactional too once the driver leaves BEGIN to us.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()

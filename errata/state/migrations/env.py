"""Run by Database.migrate inside its own transaction; not for the alembic command line."""

from alembic import context

from errata.state.table import every_table

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=every_table(),
    # SQLite's DDL is transactional too once the driver leaves BEGIN to us.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()

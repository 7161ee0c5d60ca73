"""Runs migrations on the connection that `ledger.py` hands over."""

from alembic import context

from cotenant.service.schema import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata
)
with context.begin_transaction():
    context.run_migrations()

"""Runs migrations on the connection that the store gives."""

from __future__ import annotations

from alembic import context

from trueup.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite alters a table by making it anew
    transactional_ddl=False,  # the store has begun the transaction and ends it
)
context.run_migrations()

"""Tables of the ledger. Changes go into a new file of `migrations/versions`."""

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    insert,
)

HEAD = "0001"
"""The newest migration: a ledger at this version is opened without loading Alembic."""

metadata = MetaData()

# One row an event, never changed or deleted. `data` is JSON.
events = Table(
    "events",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Float(53), nullable=False),
    Column("kind", Text, nullable=False),
    Column("words", Text, nullable=False),
    Column("data", Text, nullable=False),
)

# The state after event `number`, so that a start need not go through all events. It is
# complete once it has a row here; its bytes are cut into parts.
snapshots = Table(
    "snapshots",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("parts", Integer, nullable=False),
)

snapshot_parts = Table(
    "snapshot_parts",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("part", Integer, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
)

# As Alembic makes it; one row.
alembic_version = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def create(connection: Connection) -> None:
    """Make the tables of an empty database as all migrations together would."""
    metadata.create_all(connection)
    alembic_version.create(connection)
    connection.execute(insert(alembic_version).values(version_num=HEAD))

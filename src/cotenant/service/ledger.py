"""The ledger: events and snapshots in SQLite or PostgreSQL."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic_core import from_json, to_json
from sqlalchemy import (
    Connection,
    Engine,
    create_engine,
    delete,
    event,
    func,
    inspect,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from cotenant.errors import InvalidInput, ServiceUnavailable
from cotenant.service.answers import Event
from cotenant.service.schema import (
    HEAD,
    alembic_version,
    create,
    snapshot_parts,
    snapshots,
)

LOCK = 0x636F74656E616E74  # "cotenant": the advisory lock of PostgreSQL
WAIT = 5  # seconds for a lock or a connection
KEPT = 2  # snapshots

# Asked for every batch, so said in SQL: making it anew takes longer than running it.
SINCE = "SELECT number, at, kind, words, data FROM events WHERE number > ?"
APPEND = "INSERT INTO events (number, at, kind, words, data) VALUES (?, ?, ?, ?, ?)"
KEEP = "INSERT INTO snapshot_parts (number, part, body) VALUES (?, ?, ?)"
KEEP += " ON CONFLICT DO NOTHING"
COMPLETE = "INSERT INTO snapshots (number, parts) VALUES (?, ?) ON CONFLICT DO NOTHING"


class Writing:
    """An open transaction that holds the lock of the ledger."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def since(self, number: int) -> list[Event]:
        """Return the events after a number, in order."""
        return _read(self._connection, number, None)

    def append(self, fresh: Sequence[Event]) -> None:
        """Add events; durable once the transaction has ended well."""
        if fresh:
            rows = [_row(entry) for entry in fresh]
            self._connection.exec_driver_sql(_sql(self._connection, APPEND), rows)

    def keep(self, number: int, part: int, body: bytes) -> bool:
        """Keep a part of the state after event `number`; False: another process did."""
        row = (number, part, body)
        done = self._connection.exec_driver_sql(_sql(self._connection, KEEP), row)
        return done.rowcount == 1

    def complete(self, number: int, parts: int) -> None:
        """Say that all parts of a snapshot are kept; the last few snapshots are."""
        row = (number, parts)
        self._connection.exec_driver_sql(_sql(self._connection, COMPLETE), row)
        _forget_old(self._connection)


class Ledger:
    """Append-only record of what was decided, shared by any number of processes.

    One process writes at a time: a transaction takes the lock first (SQLite: `BEGIN
    IMMEDIATE`; PostgreSQL: a transaction-level advisory lock), reads what others have
    added, decides, and commits. The number of an event is its primary key, so that even
    a process without the lock could not write the same event twice.

    Parameters
    ----------
    url
        A SQLAlchemy URL: ``sqlite:///FILE`` or ``postgresql+psycopg://...``.

    Raises
    ------
    InvalidInput
        If the URL is none, or names another database.
    ServiceUnavailable
        If the database cannot be reached or written; also by every method.
    """

    def __init__(self, url: str) -> None:
        self._engine = _engine(url)
        with _typed():
            self._migrate()

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def write(self) -> Iterator[Writing]:
        """Hold the lock for a transaction; it is committed at the end, durably."""
        with _typed(), self._locked() as connection:
            yield Writing(connection)

    def read(self, after: int, limit: int | None = None) -> list[Event]:
        """Return the events after a number, in order, at most `limit`."""
        with _typed(), self._engine.connect() as connection:
            return _read(connection, after, limit)

    def naming(self, names: Sequence[str], after: int, limit: int) -> list[Event]:
        """Return events after a number whose facts hold some texts, at most `limit`."""
        with _typed(), self._engine.connect() as connection:
            return _read(connection, after, limit, names)

    def load_snapshot(self) -> tuple[int, bytes] | None:
        """Return the latest complete snapshot with its number, if there is one."""
        newest = select(snapshots).order_by(snapshots.c.number.desc()).limit(1)
        with _typed(), self._engine.connect() as connection:
            found = connection.execute(newest).first()
            if found is None:
                return None
            bodies = connection.execute(
                select(snapshot_parts.c.body)
                .where(snapshot_parts.c.number == found.number)
                .order_by(snapshot_parts.c.part)
            ).scalars()
            return found.number, b"".join(bodies)

    @contextmanager
    def _locked(self) -> Iterator[Connection]:
        engine = self._engine.execution_options(lock=True)
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(text(f"SET LOCAL lock_timeout = '{WAIT}s'"))
                connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
            yield connection

    def _migrate(self) -> None:
        with self._locked() as connection:
            found = inspect(connection)
            if not found.has_table("alembic_version") and not found.has_table("events"):
                create(connection)
                return
            if connection.execute(select(alembic_version)).scalar() == HEAD:
                return
            # Imported where it is needed: it costs a third of a second.
            from alembic import command
            from alembic.config import Config

            config = Config()
            config.set_main_option("script_location", "cotenant.service:migrations")
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise InvalidInput(
            "the database is no URL; expected sqlite:///FILE or postgresql+psycopg://"
        ) from None
    if parsed.get_backend_name() == "sqlite":
        engine = create_engine(parsed, connect_args={"timeout": WAIT})
        event.listen(engine, "connect", _sqlite_connected)
        event.listen(engine, "begin", _sqlite_begins)
        return engine
    if parsed.get_backend_name() == "postgresql":
        settings = {"connect_timeout": WAIT, "tcp_user_timeout": 1000 * WAIT}
        return create_engine(parsed, pool_pre_ping=True, connect_args=settings)
    raise InvalidInput(
        f"the database is {parsed.get_backend_name()}; expected sqlite or postgresql"
    )


def _sqlite_connected(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver begins nothing by itself
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _sqlite_begins(connection: Connection) -> None:
    lock = connection.get_execution_options().get("lock", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if lock else "BEGIN")


@contextmanager
def _typed() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        cause = error.orig if isinstance(error, DBAPIError) else None
        told = str(cause or type(error).__name__).strip().splitlines() or ["no reason"]
        raise ServiceUnavailable(f"the ledger is not available: {told[0]}") from error


def _read(
    connection: Connection, after: int, limit: int | None, names: Sequence[str] = ()
) -> list[Event]:
    find = "instr" if connection.dialect.name == "sqlite" else "strpos"
    having = "".join(f" AND {find}(data, ?) > 0" for _ in names)
    most = "" if limit is None else f" LIMIT {limit:d}"
    query = f"{SINCE}{having} ORDER BY number{most}"
    given = (after, *(to_json(name).decode() for name in names))
    rows = connection.exec_driver_sql(_sql(connection, query), given)
    return [Event(n, at, kind, words, from_json(d)) for n, at, kind, words, d in rows]


def _sql(connection: Connection, statement: str) -> str:
    """Return a statement with the marks that the driver expects."""
    sqlite = connection.dialect.name == "sqlite"
    return statement if sqlite else statement.replace("?", "%s")


def _row(entry: Event) -> tuple[Any, ...]:
    data = to_json(entry.data).decode()
    return entry.number, entry.at, entry.kind, entry.words, data


def _forget_old(connection: Connection) -> None:
    numbers = select(snapshots.c.number).order_by(snapshots.c.number.desc())
    kept = connection.execute(numbers.limit(KEPT)).scalars().all()
    for table in (snapshots, snapshot_parts):
        connection.execute(delete(table).where(table.c.number < min(kept)))

"""The ledger on SQLite and PostgreSQL: durable, bit for bit, shared."""

import dataclasses
import inspect
import json
import pickle
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from cotenant.errors import InvalidInput, NothingFits, ServiceUnavailable
from cotenant.service import migrations, schema, snapshot, writer
from cotenant.service.answers import Event
from cotenant.service.asked import TaskSpec
from cotenant.service.core import Placement
from cotenant.service.ledger import Ledger
from cotenant.service.picture import take_picture
from cotenant.service.snapshot import pack, unpack
from cotenant.service.state import State
from tests.service.asking import (
    SETTINGS,
    check_books,
    fleet,
    hosts,
    machine,
    promised,
    random_tasks,
    sampled,
    state_of,
    task,
)


def busy(core: Placement) -> None:
    """Do something of every kind."""
    fleet(core, 6)
    core.add_machines([hosts("rt", 2.0), machine("big", 4.0, memory=1e9)]).result()
    core.place(random_tasks(20, 1), key="k").result()
    core.place([promised("a", "1/4"), promised("b", "1/3:1/5")]).result()
    core.place([task("web", 0.2), task("db", 0.1)]).result()
    core.update_usage("web", {"cpu": [0.1, 0.3, 0.2], "memory": [5.0]}).result()
    core.fail_usage("web", "no answer").result()
    core.change(task("db", 0.15)).result()
    for name in ("t3", "t7", "a"):
        core.release(name).result()
    core.reserve("uid", task("pod"), ["m1", "m2", "big"], lasts=1e9).result()
    core.confirm("uid2", task("bound"), "m5").result()
    core.drain("m4").result()


def answers(core: Placement) -> list[object]:
    """Everything that depends on bits of the state."""
    probes = random_tasks(12, 99, "probe")
    names = [m.name for m in core.machines()]
    told: list[object] = [core.assess(probe, names) for probe in probes]
    told += [sorted(core.tasks(), key=lambda view: view.name), core.machines()]
    for probe in [*probes, promised("probe-sla", "1/5")]:
        try:
            told.append(core.place([probe]).result())
        except NothingFits as refusal:
            told.append((str(refusal), refusal.machines))
    return told


def test_a_restart_answers_bit_for_bit_like_no_restart(
    database: str, tmp_path: Path
) -> None:
    core = Placement(SETTINGS, database)
    busy(core)
    core.close()
    again = Placement(SETTINGS, database)
    restarted = answers(again)
    again.close()
    twin = Placement(SETTINGS, f"sqlite:///{tmp_path}/twin.db")
    busy(twin)
    plain = answers(twin)
    twin.close()
    assert strip_times(restarted) == strip_times(plain)


def strip_times(told: list[object]) -> list[object]:
    def clean(value: object) -> object:
        if isinstance(value, list | tuple):
            return [clean(item) for item in value]
        if dataclasses.is_dataclass(value) and hasattr(value, "placed_at"):
            data = dataclasses.asdict(value)  # type: ignore[arg-type]
            return {k: v for k, v in data.items() if k[-3:] != "_at"}
        return value

    return [clean(item) for item in told]


def test_a_snapshot_restores_every_bit(database: str) -> None:
    core = Placement(SETTINGS, database)
    busy(core)
    core.close()
    state = state_of(database)
    restored = unpack(SETTINGS, pack(take_picture(state))).start()
    assert strip_state(restored) == strip_state(state)


def test_a_snapshot_of_another_format_is_not_used(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = Placement(SETTINGS, database)
    busy(core)
    core.close()
    state = state_of(database)
    packed = pack(take_picture(state))
    monkeypatch.setattr(snapshot, "FORMAT", snapshot.FORMAT + 1)
    assert unpack(SETTINGS, packed) is None


def strip_state(state: State) -> list[object]:
    def facts(value: object) -> bytes:
        return pickle.dumps(value)

    held = [
        (key, dataclasses.replace(h, demand=None), facts(h.demand))  # type: ignore[arg-type]
        for key, h in state.held.items()
    ]
    machines = [
        (e.spec, list(e.keys), e.draining, e.changed) for e in state.machines.values()
    ]
    overload = [
        state.side(e.spec.kind).overload(e.hosts[0]) for e in state.machines.values()
    ]
    return [held, machines, overload, state.answered, state.pods, state.number]


def test_a_start_uses_the_snapshot_and_the_events_after_it(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "SNAPSHOT_EVERY", 10)
    core = Placement(SETTINGS, database)
    busy(core)
    core.place([sampled("late", 0.01)]).result()
    core.close()
    ledger = Ledger(database)
    found = ledger.load_snapshot()
    assert found is not None
    assert 0 < found[0] < ledger.read(0)[-1].number
    ledger.close()
    again = Placement(SETTINGS, database)
    shown = [(view.name, view.machine) for view in again.tasks()]
    again.close()
    plain = state_of(database)
    assert sorted(shown) == sorted(
        (name, held.machine) for name, held in plain.held.items() if name[0] != "\0"
    )


def test_a_service_that_stops_leaves_nothing_to_replay_if_much_happened(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "SNAPSHOT_LAST", 3)
    core = Placement(SETTINGS, database)
    busy(core)
    shown = [(view.name, view.machine) for view in core.tasks()]
    core.close()
    ledger = Ledger(database)
    found = ledger.load_snapshot()
    assert found is not None
    assert found[0] == ledger.read(0)[-1].number
    ledger.close()
    again = Placement(SETTINGS, database)
    assert [(view.name, view.machine) for view in again.tasks()] == shown
    again.close()


def test_old_snapshots_are_forgotten_and_a_cut_one_is_not_used(database: str) -> None:
    ledger = Ledger(database)
    for number in (1, 2, 3, 4):
        with ledger.write() as writing:
            assert writing.keep(number, 0, bytes([number]) * 2_000_000)
            assert writing.keep(number, 1, bytes([number]) * 1_000_000)
            writing.complete(number, 2)
    with ledger.write() as writing:
        assert not writing.keep(4, 0, b"the same again")
    engine = sa.create_engine(database)
    with engine.begin() as connection:
        numbers = connection.execute(sa.select(schema.snapshots.c.number)).scalars()
        assert sorted(numbers) == [3, 4]
        cut = {"number": 9, "part": 0, "body": b"cut"}
        connection.execute(sa.insert(schema.snapshot_parts), [cut])
    engine.dispose()
    assert ledger.load_snapshot() == (4, bytes([4]) * 3_000_000)
    ledger.close()


def test_events_are_read_back_as_they_were_written(database: str) -> None:
    data = {"name": "täsk \u2028 \\ ' \"", "x": 0.1 + 0.2, "n": None, "l": [1e-300]}
    written = [Event(n, 1e9 / 3, "word", "words ✓", data) for n in (1, 2, 3)]
    ledger = Ledger(database)
    with ledger.write() as writing:
        writing.append(written)
    assert ledger.read(0) == written
    assert ledger.read(1, limit=1) == written[1:2]
    ledger.close()


def test_an_event_number_cannot_be_written_twice(database: str) -> None:
    ledger = Ledger(database)
    with ledger.write() as writing:
        writing.append([Event(1, 0.0, "a", "a", {})])
    with (
        pytest.raises(ServiceUnavailable),
        ledger.write() as writing,
    ):
        writing.append([Event(2, 0.0, "b", "b", {}), Event(1, 0.0, "b", "b", {})])
    assert [event.kind for event in ledger.read(0)] == ["a"]
    ledger.close()


@pytest.mark.parametrize("how", ["made at once", "migrated"])
def test_a_new_ledger_has_the_tables_of_the_schema(database: str, how: str) -> None:
    engine = sa.create_engine(database)
    if how == "migrated":
        schema.alembic_version.create(engine)
    Ledger(database).close()
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert context.get_current_revision() == schema.HEAD
        assert compare_metadata(context, schema.metadata) == []
    engine.dispose()
    folder = Path(inspect.getfile(migrations)).parent
    assert ScriptDirectory(str(folder)).get_current_head() == schema.HEAD


@pytest.mark.parametrize(
    "url", ["ledger.db", "mysql://root@localhost/x", "postgresql+psycopg//x"]
)
def test_other_databases_are_refused_by_name(url: str) -> None:
    with pytest.raises(InvalidInput, match="expected sqlite"):
        Ledger(url)


def test_a_password_is_not_in_the_message() -> None:
    url = "postgresql+psycopg://user:hunter2@127.0.0.1:1/x"
    with pytest.raises(ServiceUnavailable) as caught:
        Ledger(url)
    assert "hunter2" not in str(caught.value)


def test_followers_see_what_another_process_decided(database: str) -> None:
    one, other = Placement(SETTINGS, database), Placement(SETTINGS, database)
    fleet(one, 2)
    placed = one.place([task("t")]).result()[0]
    repeated = other.place([task("t")]).result()[0]
    assert repeated.repeated
    assert repeated.to_dict() == placed.to_dict()
    assert [view.name for view in other.tasks()] == ["t"]
    other.release("t").result()
    with pytest.raises(Exception, match="no task named 't'"):
        one.release("t").result()
    one.close()
    other.close()
    check_books(state_of(database))


def test_what_is_asked_survives_json() -> None:
    spec = TaskSpec("t", {"cpu": (0.1, 1 / 3, 5e-324)}, label="l")
    assert TaskSpec.from_dict(json.loads(json.dumps(spec.to_dict()))) == spec
    spec = promised("s", "2/4~2-8:1/5")
    assert TaskSpec.from_dict(spec.to_dict()) == spec

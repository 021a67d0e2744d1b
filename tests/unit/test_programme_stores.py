"""Stores: what goes wrong with a database is said in a sentence, and nothing is lost by it."""

import os
import random
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from dwell import CannotWrite, DwellError, MissingExtra, Programme, fixed
from dwell.errors import Conflict, KeyTaken
from dwell.programme.stores.addresses import store_at
from dwell.programme.stores.migrations import migrations
from dwell.programme.stores.postgres import PostgresStore, _exchange
from dwell.programme.stores.protocol import Addition, Entry, Snapshot, Turn
from dwell.programme.stores.sqlite import SqliteStore
from tests.mounts import make_read_only, small_disk
from tests.postgres import PASSWORD, guarded
from tests.programmes import deciding
from tests.refusals import refused


@pytest.fixture
def server(postgres: str) -> Iterator[str]:
    """The server, with nothing in it before and afterwards."""
    _empty(postgres)
    yield postgres
    _empty(postgres)


def _empty(address: str) -> None:
    with psycopg.connect(address) as connection:
        connection.execute("drop schema public cascade; create schema public")


def old_file(path: Path, number: int) -> None:
    """A file as an earlier version left it, with a log in it."""
    connection = sqlite3.connect(path)
    for migration in migrations("sqlite")[:number]:
        connection.executescript(migration.sql)
    connection.executescript(
        f"pragma user_version = {number}; pragma application_id = {0x6477656C};"
        "insert into programme (name) values ('old');"
        "insert into event values (1, 1, 'a', '1'), (1, 2, null, '2');"
    )
    connection.close()


def schema(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    found = {sql for (sql,) in connection.execute("select sql from sqlite_master where sql <> ''")}
    connection.close()
    return found


@pytest.mark.parametrize("number", [1, 2])
def test_an_old_file_is_brought_up_to_date(tmp_path: Path, number: int) -> None:
    """Its log is there with its keys, and its tables are those of a new file."""
    old_file(tmp_path / "old.db", number)
    store = SqliteStore(tmp_path / "old.db")
    assert list(store.read("old")) == ["1", "2"]
    assert store.find("old", "a") == "1"
    with pytest.raises(KeyTaken):
        store.append("old", 2, [Entry("3", "a")])
    store.append("old", 2, [Entry("3")], "{}")
    assert store.latest("old") == Snapshot(2, "{}")
    SqliteStore(tmp_path / "new.db")
    assert schema(tmp_path / "old.db") == schema(tmp_path / "new.db")


def test_an_old_database_is_brought_up_to_date(server: str) -> None:
    """PostgreSQL as well."""
    with psycopg.connect(server) as connection:
        connection.execute(migrations("postgres")[0].sql.encode())
        connection.execute("create table dwell_migration (number integer primary key)")
        connection.execute("insert into dwell_migration values (1)")
        connection.execute("insert into dwell_programme (name) values ('old')")
        connection.execute("insert into dwell_event values (1, 1, null, '1')")
    store = PostgresStore(server)
    store.append("old", 1, [Entry("2")], "{}")
    assert list(store.read("old")) == ["1", "2"]
    assert store.latest("old") == Snapshot(1, "{}")


def test_migrations_are_numbered_without_gaps() -> None:
    """From 1, for both databases."""
    for store in ("sqlite", "postgres"):
        numbers = [migration.number for migration in migrations(store)]
        assert numbers == list(range(1, len(numbers) + 1))


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    """And left as it is."""
    path = tmp_path / "new.db"
    old_file(path, 2)
    connection = sqlite3.connect(path)
    connection.execute("pragma user_version = 99")
    connection.close()
    before = path.read_bytes()
    with refused(path, "newer version of dwell", 99, "upgrade dwell"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_a_database_of_a_newer_version_is_refused(server: str) -> None:
    """PostgreSQL as well."""
    PostgresStore(server)
    with psycopg.connect(server) as connection:
        connection.execute("insert into dwell_migration values (99)")
    with refused("newer version of dwell", 99, "upgrade dwell"):
        PostgresStore(server)


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    """No tables are added to it."""
    path = tmp_path / "theirs.db"
    connection = sqlite3.connect(path)
    connection.execute("create table theirs (x)")
    connection.close()
    before = path.read_bytes()
    with refused(path, "something else"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    """A text, a folder, a file in a folder that is not there."""
    text = tmp_path / "notes.txt"
    text.write_text("remember the milk" * 100)
    with refused(text, "no database"):
        SqliteStore(text)
    for path in (tmp_path, tmp_path / "nowhere" / "tests.db"):
        with refused(path, "cannot be opened", kind=CannotWrite):
            SqliteStore(path)


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """Where pages were overwritten, reading says so."""
    path = tmp_path / "tests.db"
    store = SqliteStore(path)
    store.append("checkout", 0, [Entry('"' + "x" * 500 + '"') for _ in range(200)])
    connection = sqlite3.connect(path)
    connection.execute("pragma wal_checkpoint(truncate)")
    connection.close()
    del store
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    with refused(path, "damaged", "restore it from a copy"):
        list(SqliteStore(path).read("checkout"))


def test_a_locked_file_is_waited_for_and_then_refused(tmp_path: Path) -> None:
    """Nothing is appended; once the lock is gone it goes on."""
    path = tmp_path / "tests.db"
    store = SqliteStore(path, seconds=0.1)
    store.append("checkout", 0, [Entry("1")])
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin immediate")
    with refused(path, "locked by another process for 0.1 s", kind=CannotWrite):
        store.append("checkout", 1, [Entry("2")])
    assert list(store.read("checkout")) == ["1"]
    other.execute("rollback")
    other.close()
    store.append("checkout", 1, [Entry("2")])
    assert list(store.read("checkout")) == ["1", "2"]


def test_a_read_only_file_is_refused(tmp_path: Path) -> None:
    """What is there can be read, by whoever had it open."""
    with small_disk(tmp_path / "disk", "4m") as disk:
        store = SqliteStore(disk / "tests.db")
        store.append("checkout", 0, [Entry("1")])
        del store
        make_read_only(disk)
        with refused(disk, kind=CannotWrite):
            SqliteStore(disk / "tests.db").append("checkout", 1, [Entry("2")])


def test_a_full_disk_is_refused_and_loses_nothing(tmp_path: Path) -> None:
    """What was appended before is there, and with room again it goes on."""
    with small_disk(tmp_path / "disk", "600k") as disk:
        ballast = disk / "ballast"
        ballast.write_bytes(b"x" * 100_000)
        store = SqliteStore(disk / "tests.db")
        done = 0
        with refused(disk, "the disk is full", "make room", kind=CannotWrite):
            while True:
                store.append("checkout", done, [Entry(f'"{done:>9000}"')])
                done += 1
        assert done > 5
        kept = [f'"{number:>9000}"' for number in range(done)]
        assert list(store.read("checkout")) == kept
        ballast.unlink()
        store.append("checkout", done, [Entry("1")])
        assert list(store.read("checkout")) == [*kept, "1"]


def test_a_forked_process_has_a_connection_of_its_own(tmp_path: Path) -> None:
    """Both go on, and each sees what the other appended."""
    store = SqliteStore(tmp_path / "tests.db")
    store.append("checkout", 0, [Entry("1")])
    child = os.fork()
    if child == 0:
        store.append("checkout", 1, [Entry("2")])
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert list(store.read("checkout")) == ["1", "2"]
    store.append("checkout", 2, [Entry("3")])


def test_a_server_that_cannot_be_reached_is_said_without_its_password(server: str) -> None:
    """Nor is the password shown where it is wrong, or where the address cannot be read."""
    for address in (
        "postgresql://reader:sesame@127.0.0.1:1/shop",
        guarded(server, "wrong sesame"),
        "postgresql://reader:ses:ame@sesame:x/shop?no=1",
    ):
        with pytest.raises(DwellError, match="PostgreSQL") as caught:
            PostgresStore(address, seconds=2)
        assert "ses" not in str(caught.value)
        assert "\n" not in str(caught.value)
    with refused("PostgreSQL"):  # where this user may create nothing
        PostgresStore(guarded(server, PASSWORD))


def test_a_server_is_reached_by_its_address(server: str) -> None:
    """As people write it; both spellings."""
    for address in (server, server.replace("postgresql:", "postgres:")):
        assert isinstance(store_at(address), PostgresStore)


def test_without_psycopg_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL is an extra."""
    monkeypatch.setitem(sys.modules, "dwell.programme.stores.postgres", None)
    with refused("dwell[postgres]", kind=MissingExtra):
        store_at("postgresql://reader@host/shop")


@pytest.mark.parametrize("address", ["tests.db", "", "sqlite://", "sqlite:///", "mysql://x/y", 7])
def test_other_addresses_are_refused(address: str) -> None:
    """With the forms that there are."""
    with refused("sqlite:///FILE", repr(address)):
        store_at(address)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_in_somebody_s_turn_nobody_else_writes(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """They wait, and say so if it takes too long; a block that fails leaves nothing."""

    def opened(seconds: float) -> SqliteStore | PostgresStore:
        if kind == "sqlite":
            return SqliteStore(tmp_path / "tests.db", seconds)
        return PostgresStore(request.getfixturevalue("server"), seconds)

    store, other = opened(30.0), opened(1.0)
    store.append("checkout", 0, [Entry("1")])
    other.append("checkout", 1, [Entry("2")])
    with store.turn({"checkout": 1}) as turn:
        assert turn.news == {"checkout": ["2"]}
        assert list(store.read("checkout", 1)) == ["2"]
        turn.added.append(Addition("checkout", 2, [Entry("3", "a")]))
        with refused("", kind=CannotWrite):
            other.append("checkout", 2, [Entry("4")])
        assert list(other.read("checkout")) == ["1", "2"]
    other.append("checkout", 3, [Entry("4")])
    with suppress(KeyboardInterrupt), store.turn({"checkout": 4}) as turn:
        turn.added.append(Addition("checkout", 4, [Entry("5")]))
        raise KeyboardInterrupt
    for after in (3, 5):
        with pytest.raises(Conflict), store.turn({"checkout": 4}) as turn:
            turn.added.append(Addition("checkout", after, [Entry("5")]))
    with pytest.raises(KeyTaken), store.turn({"checkout": 4}) as turn:
        turn.added.append(Addition("checkout", 4, [Entry("5"), Entry("6", "a")]))
    store.append("checkout", 4, [Entry("5")])
    assert list(other.read("checkout")) == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_several_logs_are_appended_to_all_or_not_at_all(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """New ones too; what is new in each is found at once, however much that is."""
    store: SqliteStore | PostgresStore = (
        SqliteStore(tmp_path / "tests.db")
        if kind == "sqlite"
        else PostgresStore(request.getfixturevalue("server"))
    )
    many = [f"{number}" for number in range(2500)]
    append_all(store, Addition("a", 0, [Entry("1", "x")]), Addition("b", 0, list(map(Entry, many))))
    append_all(
        store,
        Addition("a", 1, [Entry("2", "y")]),
        Addition("b", 2500, [Entry("{}")]),
        Addition("a", 2, [Entry("3")], '"of two"'),
    )
    assert store.latest("a") == Snapshot(2, '"of two"')
    for error, wrong in (
        (Conflict, Addition("b", 7, [Entry("4")])),
        (Conflict, Addition("none", 1, [Entry("4")])),
        (KeyTaken, Addition("a", 3, [Entry("4"), Entry("5", "x")])),
    ):
        for before in (Addition("c", 0, [Entry("1")]), Addition("a", 3, [Entry("4")])):
            with pytest.raises(error):
                append_all(store, before, wrong)
    assert store.news({"a": 3, "c": 0, "none": 0}) == {}
    assert store.news({"a": 1, "b": 1}) == {"a": ["2", "3"], "b": [*many[1:], "{}"]}
    with store.turn({"b": 2501, "a": 2}) as turn:
        assert turn.news == {"a": ["3"]}
        turn.added.append(Addition("a", 3, [Entry("4")]))
    with store.turn({"b": 0}) as turn:
        assert turn.news == {"b": [*many, "{}"]}
    assert list(store.read("a", 3)) == ["4"]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_news_is_what_follows_whoever_wrote_it(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Looked for often or seldom, from the end or from before it."""
    stores: list[SqliteStore | PostgresStore] = [
        SqliteStore(tmp_path / "tests.db")
        if kind == "sqlite"
        else PostgresStore(request.getfixturevalue("server"))
        for _ in range(2)
    ]
    written: dict[str, list[str]] = {"a": [], "b": []}
    draw = random.Random(0)
    for number in range(200):
        store, name = draw.choice(stores), draw.choice("ab")
        if draw.random() < 0.5:
            store.append(name, len(written[name]), [Entry(f"{number}")])
            written[name].append(f"{number}")
        back = {each: draw.choice([0, 0, 1]) for each in written}
        after = {each: max(0, len(bodies) - back[each]) for each, bodies in written.items()}
        new = {each: bodies[after[each] :] for each, bodies in written.items()}
        assert draw.choice(stores).news(after) == {each: new[each] for each in new if new[each]}


def append_all(store: SqliteStore | PostgresStore, *additions: Addition) -> None:
    """Append to several logs at once."""
    with store.turn({}) as turn:
        turn.added.extend(additions)


def test_nobody_waits_for_one_another_over_several_logs(server: str) -> None:
    """Whatever order they name them in, they take them in the same."""
    stores = [PostgresStore(server) for _ in range(2)]
    names = [f"log {number}" for number in range(10)]
    append_all(stores[0], *(Addition(name, 0, [Entry("0")]) for name in names))

    def written(store: PostgresStore, order: list[str]) -> None:
        for _ in range(20):
            with store.turn(dict.fromkeys(order, 0)) as turn:
                turn.added.extend(
                    Addition(name, len(turn.news[name]), [Entry("1")]) for name in order
                )

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(written, stores, (names, names[::-1])))
    assert {len(found) for found in stores[0].news(dict.fromkeys(names, 0)).values()} == {41}


def test_whoever_waits_for_a_turn_keeps_nobody_from_looking(server: str) -> None:
    """What others have seen meanwhile is not taken for news again."""
    begun: list[int] = []

    class Waiting(PostgresStore):
        @contextmanager
        def turn(self, after: Mapping[str, int]) -> Iterator[Turn]:
            with super().turn(after) as turn:
                other = Thread(target=lambda: begun.append(programme.counts.begun), daemon=True)
                other.start()
                other.join(10.0)
                yield turn

    programme = deciding(fixed(2, 1), store=Waiting(server))
    Programme.open(PostgresStore(server), "checkout").begin("theirs")
    with Programme.together([programme], turn=True):
        programme.begin("ours")
    assert begun == [1]
    assert programme.verify().tasks == programme.counts.begun == 2


def test_nobody_who_reads_waits_for_those_who_wait_for_their_turn(server: str) -> None:
    """However many these are: they have connections of their own."""
    store, other = PostgresStore(server), PostgresStore(server)
    other.append("checkout", 0, [Entry("1")])
    read: list[str] = []

    def one_turn() -> None:
        with store.turn({"checkout": 1}):
            pass

    with ThreadPoolExecutor(10) as threads:
        with other.turn({"checkout": 1}):
            waiting = [threads.submit(one_turn) for _ in range(9)]
            reading = Thread(target=lambda: read.extend(store.read("checkout")), daemon=True)
            reading.start()
            reading.join(10.0)
            assert read == ["1"]
            assert not any(each.done() for each in waiting)
        for each in waiting:
            each.result(10.0)


def test_what_fails_in_an_exchange_is_raised_without_a_word_in_the_log(
    server: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever comes second fails all the time; psycopg would warn of what it then did not do."""
    with psycopg.connect(server, autocommit=True) as connection:

        def fail_half_way() -> None:
            with _exchange(connection):
                connection.execute("select 1 / 0")
                connection.execute("select 2").fetchone()

        with pytest.raises(psycopg.errors.DivisionByZero):
            fail_half_way()
        with _exchange(connection):
            there = connection.execute("select 1")
        assert there.fetchone() == (1,)
    assert caplog.records == []

"""What every store of a programme promises, as checks that anybody can run on one of their own."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from dwell.errors import Conflict, DwellError, KeyTaken
from dwell.programme.stores.protocol import Entry, EventStore, Snapshot

Opens = Callable[[], EventStore]
_THREADS, _APPENDED = 4, 15


def check_store(opens: Opens) -> None:
    """Check all that a store promises.

    Args:
        opens: Opens the store, the same each time; it has no logs yet.

    Example:
        >>> from dwell.programme.stores.memory import MemoryStore
        >>> store = MemoryStore()
        >>> check_store(lambda: store)
    """
    for check in STORE_CHECKS.values():
        check(opens)


def _entries_come_back_in_order(opens: Opens) -> None:
    store = opens()
    texts = [json.dumps(text) for text in ("", "é 数", "\"quoted' % %s", "x" * 10**6)]
    for after, text in enumerate(texts):
        store.append("in order", after, [Entry(text)])
    store.append("in order", len(texts), [Entry(f"{number}") for number in range(2500)])
    wanted = [*texts, *(f"{number}" for number in range(2500))]
    assert list(store.read("in order")) == wanted, "entries come back as they were, in order"
    assert list(store.read("in order", 3)) == wanted[3:], "from any position on"
    assert list(store.read("in order", len(wanted))) == [], "none after the last"
    assert list(store.read("never written")) == [], "none of a log that is not there"


def _whoever_is_out_of_date_is_refused(opens: Opens) -> None:
    store = opens()
    store.append("dated", 0, [Entry("1"), Entry("2")])
    for after in (0, 1, 3):
        with _refused(Conflict, "a log that has grown, or has not, is a conflict"):
            store.append("dated", after, [Entry("3")], "{}")
    with _refused(Conflict, "a log begins with its first entry"):
        store.append("not begun", 1, [Entry("1")])
    assert list(store.read("dated")) == ["1", "2"], "a refusal leaves the log as it was"
    assert store.latest("dated") is None, "and keeps no snapshot"
    assert list(store.read("not begun")) == []


def _a_key_is_taken_once(opens: Opens) -> None:
    store = opens()
    store.append("keys", 0, [Entry("1", "a"), Entry("2"), Entry("3")])
    store.append("other keys", 0, [Entry("4", "a")])
    with _refused(KeyTaken, "a key is taken once in a log"):
        store.append("keys", 3, [Entry("5", "b"), Entry("6", "a")])
    assert list(store.read("keys")) == ["1", "2", "3"], "entries are appended all or none"
    assert store.find("keys", "a") == "1", "an entry is found by its key"
    assert store.find("other keys", "a") == "4", "logs have keys of their own"
    assert store.find("keys", "b") is None, "what was refused is not found"
    assert store.find("never written", "a") is None
    store.append("keys", 3, [Entry("5", "b")])
    assert store.find("keys", "b") == "5", "after a refusal it goes on"


def _logs_have_names(opens: Opens) -> None:
    store = opens()
    before = set(store.names())
    for name in ("named b", "named B", "named é 'x' \"y\" %s"):
        store.append(name, 0, [Entry("1")])
    names = store.names()
    assert set(names) - before == {"named b", "named B", "named é 'x' \"y\" %s"}
    assert names == sorted(names), "names are sorted"


def _the_last_snapshot_is_kept(opens: Opens) -> None:
    store = opens()
    assert store.latest("kept") is None, "there is none at first"
    store.append("kept", 0, [Entry("1"), Entry("2")])
    assert store.latest("kept") is None
    store.append("kept", 2, [Entry("3")], '{"at": 2}')
    assert store.latest("kept") == Snapshot(2, '{"at": 2}'), "of what was there before"
    store.append("kept", 3, [Entry("4")])
    store.append("kept", 4, [Entry("5")], '{"at": 4}')
    assert store.latest("kept") == Snapshot(4, '{"at": 4}'), "the last one stays"


def _what_was_appended_is_there_when_it_is_opened_again(opens: Opens) -> None:
    store, other = opens(), opens()
    store.append("again", 0, [Entry("1", "a")])
    for each in (other, opens()):
        assert list(each.read("again")) == ["1"]
        assert each.find("again", "a") == "1"
    other.append("again", 1, [Entry("2")])
    assert list(store.read("again")) == ["1", "2"], "both ways"
    with _refused(Conflict, "whoever has not read on is refused"):
        store.append("again", 1, [Entry("3")])


def _threads_lose_nothing(opens: Opens) -> None:
    shared = opens()

    def append(thread: int) -> None:
        store = shared if thread % 2 else opens()
        for number in range(_APPENDED):
            entry = Entry(f"[{thread}, {number}]", f"{thread} {number}")
            while True:
                try:
                    store.append("threads", sum(1 for _ in store.read("threads")), [entry])
                    break
                except Conflict:
                    continue

    with ThreadPoolExecutor(_THREADS) as threads:
        for done in [threads.submit(append, thread) for thread in range(_THREADS)]:
            done.result()
    found = [json.loads(body) for body in shared.read("threads")]
    assert sorted(found) == [[t, n] for t in range(_THREADS) for n in range(_APPENDED)], (
        "each entry is there once"
    )
    for thread in range(_THREADS):
        assert [n for t, n in found if t == thread] == list(range(_APPENDED)), "and in order"


@contextmanager
def _refused(kind: type[DwellError], why: str) -> Iterator[None]:
    try:
        yield
    except kind:
        return
    raise AssertionError(why)


# By name: a sentence each.
STORE_CHECKS: dict[str, Callable[[Opens], None]] = {
    check.__name__.strip("_"): check
    for check in (
        _entries_come_back_in_order,
        _whoever_is_out_of_date_is_refused,
        _a_key_is_taken_once,
        _logs_have_names,
        _the_last_snapshot_is_kept,
        _what_was_appended_is_there_when_it_is_opened_again,
        _threads_lose_nothing,
    )
}

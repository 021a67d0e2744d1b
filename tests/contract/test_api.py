"""The HTTP API: every operation, and what it does to a programme."""

import io
from itertools import pairwise
from pathlib import Path

import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

from dwell import Programme, evaluate
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import EventStore
from dwell.programme.stores.sqlite import SqliteStore
from tests.api import GOOD, LIFT, SMALL, Api, path_of

ODD_NAMES = {
    "slash": "a/b",
    "up": "../x",
    "percent": "%2F",
    "emoji": "🚀 go",
    "longest": "n" * 200,
    "formula": "=1+1",
    "question": "a?b#c&d=e",
    "quotes": "'\"; drop table event; --",
    "markup": "<script>alert(1)</script>",
    "backslash": "..\\..\\x",
    "dots": "...",
    "plus": "a+b c",
}


def test_a_programme_is_created_listed_and_read() -> None:
    """What was said is what is read."""
    api = Api()
    made = api.json("POST", "/programmes", {**LIFT, "setup_cost": 300}, 201)
    assert made == api.json("GET", "/programmes/checkout")
    assert (made["learner"], made["law"], made["cap"]) == ("empirical-bayes", "Lift(0.1)", 2000)
    settings = {"silence_days": 4.0, "min_samples": 1, "min_days": 0, "full_weeks": False}
    assert (made["setup_cost"], made["settings"]) == (300.0, settings)
    [row] = api.json("GET", "/programmes")["programmes"]
    assert row == {
        "programme": "checkout",
        "running": 0,
        "shipped": 0,
        "dropped": 0,
        "abandoned": 0,
    }


def test_caps_are_a_list_or_a_text_as_people_type_it() -> None:
    """Both say the same, and the learner is then one that needs no law."""
    api = Api()
    for name, caps in (("list", [1, 2, 4]), ("text", "1:4:x2")):
        made = api.json("POST", "/programmes", {"name": name, "caps": caps}, 201)
        assert (made["learner"], made["law"], made["cap"]) == ("ladder", None, None)
        found = api.json("GET", f"/programmes/{name}/policies")["policies"]
        assert [policy["cap"] for policy in found] == [1, 2, 4]
        assert {policy["status"] for policy in found} == {"candidate"}


def test_settings_are_changed_and_what_is_left_out_stays() -> None:
    """A change of nothing changes nothing."""
    api = Api().create(settings={"silence_days": 2})
    path = "/programmes/checkout/settings"
    settings = {"silence_days": 2.0, "min_samples": 1, "min_days": 0, "full_weeks": False}
    assert api.json("GET", path) == settings
    changed = {**settings, "min_days": 7, "full_weeks": True}
    assert api.json("PATCH", path, {"min_days": 7, "full_weeks": True}) == changed
    assert api.json("PATCH", path, {}) == changed
    kinds = [event["event"] for event in api.json("GET", "/programmes/checkout/events")["events"]]
    assert kinds == ["created 1", "settings changed 1"]


def test_a_task_lives_from_its_beginning_to_its_record() -> None:
    """Begun, told, decided, finished: the answers say so at each step."""
    api = Api().create()
    task = path_of("checkout", "blue")
    begun = api.json("POST", "/programmes/checkout/tasks", {"name": "blue"}, 201)
    assert (begun["task"], begun["status"], begun["decision"]) == ("blue", "running", None)
    assert begun["wants"] > 0
    assert api.json("GET", "/programmes/checkout/tasks")["tasks"] == [begun]
    advice = api.json("POST", f"{task}/tellings", {"values": GOOD, "key": "monday"})
    assert (advice["decision"], advice["done"], advice["held"]) == ("accept", True, False)
    assert advice == api.json("GET", f"{task}/advice")
    assert api.json("GET", task) == {**advice, "status": "finished"}
    assert api.json("GET", "/programmes/checkout/tasks")["tasks"] == []
    assert api.json("GET", "/programmes/checkout")["shipped"] == 1


def test_a_task_without_a_name_is_called_by_its_number() -> None:
    """Nothing needs to be sent but an empty object."""
    api = Api().create()
    assert api.json("POST", "/programmes/checkout/tasks", {}, 201)["task"] == "task-1"


@pytest.mark.parametrize(
    "told",
    [
        {"values": [1, 0, -1]},
        {"values": {"n": 3, "sum": 1, "sum_squares": 1}},
        {"control": [0, 1], "treatment": [1, 1]},
        {"control": {"n": 20, "sum": 2}, "treatment": {"n": 21, "sum": 3, "sum_squares": 3}},
    ],
    ids=["values", "batch", "arms", "arm batches"],
)
def test_a_task_can_be_told_in_four_forms(told: dict[str, object]) -> None:
    """Each is kept as it was told, and told again under its key it changes nothing."""
    api = Api()
    api.json("POST", "/programmes", LIFT, 201)
    task = path_of("checkout", "blue")
    api.json("PUT", task, status=201)
    first = api.json("POST", f"{task}/tellings", {**told, "key": "monday"})
    assert api.json("POST", f"{task}/tellings", {**told, "key": "monday"}) == first
    kinds = [event["event"] for event in api.json("GET", "/programmes/checkout/events")["events"]]
    assert kinds.count("told 1") == 1


def test_a_key_that_is_used_for_something_else_is_refused() -> None:
    """The first telling stays; it can be corrected, as often as one likes."""
    api = Api()
    api.json("POST", "/programmes", LIFT, 201)
    task = path_of("checkout", "blue")
    api.json("PUT", task, status=201)
    api.json("POST", f"{task}/tellings", {"values": [1, 0], "key": "monday"})
    status, detail = api.refused("POST", f"{task}/tellings", {"values": [0], "key": "monday"})
    assert (status, "told something else under the key" in detail) == (409, True)
    for _ in range(2):
        api.json("POST", f"{task}/corrections", {"values": [0, 0], "key": "monday"})
    kinds = [event["event"] for event in api.json("GET", "/programmes/checkout/events")["events"]]
    assert kinds.count("corrected 1") == 1
    correction = {"values": [0], "key": "tuesday"}
    assert api.refused("POST", f"{task}/corrections", correction)[0] == 404


def test_to_begin_by_name_twice_is_to_begin_once() -> None:
    """201, then 200 while it is open, and 409 once it is over: an answer may get lost."""
    api = Api().create()
    task = path_of("checkout", "blue")
    first = api.json("PUT", task, status=201)
    assert api.json("PUT", task, status=200) == first
    assert api.refused("POST", "/programmes/checkout/tasks", {"name": "blue"})[0] == 409
    api.json("POST", f"{task}/abandon", {})
    assert api.refused("PUT", task)[0] == 409
    assert api.json("GET", "/programmes/checkout")["begun"] == 1


def test_a_task_is_abandoned_once_and_says_so() -> None:
    """To abandon twice is to abandon once; what is finished cannot be abandoned."""
    api = Api().create()
    task = path_of("checkout", "blue")
    api.json("PUT", task, status=201)
    for _ in range(2):
        assert api.json("POST", f"{task}/abandon", {"reason": "off"})["status"] == "abandoned"
    assert api.json("GET", "/programmes/checkout")["abandoned"] == 1
    other = path_of("checkout", "red")
    api.json("PUT", other, status=201)
    api.json("POST", f"{other}/tellings", {"values": GOOD})
    assert api.refused("POST", f"{other}/abandon", {})[0] == 409


def test_a_task_on_hold_is_cleared() -> None:
    """Arms of unequal size hold it; what is not on hold cannot be cleared."""
    api = Api()
    api.json("POST", "/programmes", LIFT, 201)
    task = path_of("checkout", "blue")
    api.json("PUT", task, status=201)
    assert api.refused("POST", f"{task}/clear", {})[0] == 409
    uneven = {"control": {"n": 300, "sum": 30}, "treatment": {"n": 600, "sum": 60}}
    assert api.json("POST", f"{task}/tellings", uneven)["held"]
    assert api.json("GET", task)["status"] == "held"
    assert not api.json("POST", f"{task}/clear", {"note": "bots"})["held"]


def test_a_task_shows_its_worth_and_its_path() -> None:
    """What if it stopped now, and where it is between its limits."""
    api = Api()
    api.json("POST", "/programmes", LIFT, 201)
    task = path_of("checkout", "blue")
    api.json("PUT", task, status=201)
    api.json("POST", f"{task}/tellings", {"values": [0, 1, 0]})
    found = api.json("GET", f"{task}/details")
    assert found["worth"]["samples"] == 3
    assert found["path"]["unit"] == "standard errors"
    assert [look["position"] is None for look in found["path"]["looks"]].count(False) == 3


def test_what_people_did_is_recorded_once() -> None:
    """Of a task that is decided; the same again changes nothing, something else is refused."""
    api = Api().create()
    task = path_of("checkout", "blue")
    api.json("PUT", task, status=201)
    assert api.refused("POST", f"{task}/record", {"done": "shipped"})[0] == 409
    api.json("POST", f"{task}/tellings", {"values": GOOD})
    for _ in range(2):
        api.json("POST", f"{task}/record", {"done": "shipped", "note": "launched"})
    assert api.refused("POST", f"{task}/record", {"done": "dropped"})[0] == 409
    kinds = [event["event"] for event in api.json("GET", "/programmes/checkout/events")["events"]]
    assert kinds.count("recorded 1") == 1


def test_many_tasks_are_told_at_once_or_not_at_all() -> None:
    """One that is wrong leaves all untold; sent again with keys, all of it changes nothing."""
    api = Api().create(caps=[50])
    for name in ("blue", "red"):
        api.json("PUT", path_of("checkout", name), status=201)
    tellings = [
        {"task": "blue", "values": [1], "key": "a"},
        {"task": "red", "values": [1], "key": "a"},
        {"task": "blue", "values": [1, 0], "key": "b"},
    ]
    path = "/programmes/checkout/tellings"
    wrong = [*tellings, {"task": "green", "values": [1], "key": "a"}]
    assert api.refused("POST", path, {"tellings": wrong})[0] == 404
    kinds = [event["event"] for event in api.json("GET", "/programmes/checkout/events")["events"]]
    assert "told 1" not in kinds
    for _ in range(2):
        advice = api.json("POST", path, {"tellings": tellings})["advice"]
        assert [each["task"] for each in advice] == ["blue", "red", "blue"]
    events = api.json("GET", "/programmes/checkout/events")["events"]
    assert sum(event["event"] == "told 1" for event in events) == 3


def test_events_are_read_a_page_at_a_time() -> None:
    """The pages together are the log, in order; the last one has no next."""
    api = Api().create(caps=[50])
    for number in range(7):
        api.json("PUT", path_of("checkout", f"t{number}"), status=201)
    whole = api.json("GET", "/programmes/checkout/events?limit=1000")
    assert whole["next"] is None
    paged, after = [], 0
    while after is not None:
        page = api.json("GET", f"/programmes/checkout/events?after={after}&limit=3")
        assert len(page["events"]) <= 3
        paged += page["events"]
        after = page["next"]
    assert paged == whole["events"]
    assert [event["position"] for event in paged] == list(range(1, 9))
    assert api.json("GET", "/programmes/checkout/events?after=99")["events"] == []


def test_the_rule_in_force_is_told_and_how_it_changed() -> None:
    """A programme with a law knows its rule before any test; changes come with tasks."""
    api = Api()
    api.json("POST", "/programmes", {**LIFT, "cap": 64}, 201)
    before = api.json("GET", "/programmes/checkout/rule")
    assert before["changes"] == []
    assert "ship" in before["sentence"]
    for number in range(6):
        task = path_of("checkout", f"t{number}")
        api.json("PUT", task, status=201)
        values = [1, 1, 1, 0] * 64 if number % 2 else [-1, 0] * 128
        api.json("POST", f"{task}/tellings", {"values": values})
    after = api.json("GET", "/programmes/checkout/rule")
    first, *later = after["changes"]
    assert (first["task"], first["sentence"]) == ("t0", before["sentence"])
    assert later
    sentences = [change["sentence"] for change in after["changes"]]
    assert all(one != other for one, other in pairwise(sentences))
    assert len(after["knowledge"]) > 2


def test_a_learner_that_has_chosen_nothing_has_a_rule_that_ships_nothing() -> None:
    """Ladder begins so; a fixed one has its rule from the first task on."""
    api = Api().create(name="fixed").create(name="ladder", learner="ladder")
    for name, words in (("fixed", "stop after 40 samples"), ("ladder", "ship nothing yet")):
        assert api.json("GET", f"/programmes/{name}/rule")["sentence"] is None
        api.json("PUT", path_of(name, "blue"), status=201)
        found = api.json("GET", f"/programmes/{name}/rule")
        assert words in found["sentence"]
        assert [change["task"] for change in found["changes"]] == ["blue"]


def test_the_report_is_what_the_command_shows() -> None:
    """Open tasks, policies, and a sentence that comes first."""
    api = Api().create(caps=[5])
    api.json("PUT", path_of("checkout", "blue"), status=201)
    report = api.json("GET", "/programmes/checkout/report")
    assert report["sentence"].startswith("checkout: 1 keeps testing")
    assert [row["task"] for row in report["rows"]] == ["blue"]
    assert (report["version"], len(report["policies"])) == (1, 1)


def test_finished_tasks_are_downloaded_and_can_be_evaluated() -> None:
    """CSV and Parquet hold the same; what a spreadsheet takes for a formula is made text."""
    api = Api().create()
    for number in range(30):
        task = path_of("checkout", f"={number}+1" if number else "'=0+1")
        api.json("PUT", task, status=201)
        api.json("POST", f"{task}/tellings", {"values": [1, -1, (-1) ** number, 0.5] * 15})
    csv = api("GET", "/programmes/checkout/export?format=csv")
    assert csv.headers["content-type"].startswith("text/csv")
    assert csv.headers["content-disposition"] == 'attachment; filename="checkout.csv"'
    table = arrow_csv.read_csv(io.BytesIO(csv.content))
    file = api("GET", "/programmes/checkout/export?format=parquet")
    exact = parquet.read_table(io.BytesIO(file.content))
    names = dict.fromkeys(table["test"].to_pylist())
    assert list(names)[:2] == ["''=0+1", "'=1+1"]
    assert list(dict.fromkeys(exact["test"].to_pylist()))[:2] == ["'=0+1", "=1+1"]
    assert evaluate(table).found.tests == evaluate(exact).found.tests == 30


def test_nothing_finished_is_nothing_to_download() -> None:
    """It says so."""
    status, detail = Api().create().refused("GET", "/programmes/checkout/export")
    assert (status, "no task of 'checkout' has finished yet" in detail) == (422, True)


@pytest.mark.parametrize("name", ODD_NAMES.values(), ids=ODD_NAMES.keys())
def test_any_printable_name_can_be_used(name: str) -> None:
    """Programmes and tasks of odd names are created, found and told, each by its own path."""
    api = Api().create(name=name)
    task = path_of(name, name)
    assert api.json("PUT", task, status=201)["task"] == name
    told = api.json("POST", f"{task}/tellings", {"values": GOOD, "key": name})
    assert told["task"] == name
    assert api.json("GET", task)["status"] == "finished"
    assert api.json("GET", path_of(name))["programme"] == name
    assert name in api("GET", f"{path_of(name)}/export").content.decode().replace('""', '"')


def test_names_that_mean_something_else_in_a_path_are_refused() -> None:
    """A dot or two would lead elsewhere; what cannot be printed is no name."""
    api = Api()
    for name in (".", "..", "", "n" * 201, "a\nb", "a\0b"):
        assert api.refused("POST", "/programmes", {**SMALL, "name": name})[0] == 422
    api.create()
    for name in (".", "..", "a\nb", "a\0b"):
        assert api.refused("POST", "/programmes/checkout/tasks", {"name": name})[0] == 422
    for name in ("a%0Ab", "a%00b", "n" * 201):
        assert api.refused("GET", f"/programmes/{name}")[0] in (404, 422)
        assert api.refused("GET", f"/programmes/checkout/tasks/{name}")[0] == 422


def test_another_process_is_seen() -> None:
    """What is done to the same store elsewhere is there at once."""
    store = MemoryStore()
    api = Api(store).create(caps=[5])
    elsewhere = Programme.open(store, "checkout")
    elsewhere.begin("blue").tell([1])
    assert api.json("GET", "/programmes/checkout/tasks")["tasks"][0]["task"] == "blue"
    api.json("POST", f"{path_of('checkout', 'blue')}/tellings", {"values": [1] * 4})
    assert elsewhere.task("blue").status == "finished"


def _kept(store: EventStore) -> None:
    """A round through all that is kept."""
    api = Api(store).create(name="a/b")
    task = path_of("a/b", "x/y")
    api.json("PUT", task, status=201)
    api.json("PUT", task, status=200)
    api.json("POST", f"{task}/tellings", {"values": [1, 1], "key": "monday"})
    again = Api(store)  # another process, as it were
    done = again.json("POST", f"{task}/tellings", {"values": GOOD, "key": "tuesday"})
    assert done["done"]
    assert again.json("POST", f"{task}/tellings", {"values": [1, 1], "key": "monday"})["done"]
    assert again.refused("PUT", task)[0] == 409
    assert api.json("GET", path_of("a/b"))["finished"] == 1
    assert len(api.json("GET", f"{path_of('a/b')}/events?limit=2")["events"]) == 2
    for bad in ("a%00b", "b%0Ac"):
        assert api.refused("GET", f"/programmes/a%2Fb/tasks/{bad}")[0] == 422
    nul = {"key": "\0", "values": [1]}
    assert api.refused("POST", f"{task}/corrections", nul)[0] == 422
    assert again.client.get("/readyz").json() == {"status": "ok"}


def test_all_of_it_is_kept_in_sqlite(tmp_path: Path) -> None:
    """A store in a file."""
    _kept(SqliteStore(tmp_path / "tests.db"))


def test_all_of_it_is_kept_in_postgresql(postgres: str) -> None:
    """A store on a server."""
    from dwell.programme.stores.postgres import PostgresStore

    _kept(PostgresStore(postgres))

"""Pages without a browser: what they say, how they are answered, and what they cost."""

import asyncio
from time import process_time

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from dwell import Fixed, Policy, Programme, Signs, fixed
from dwell.errors import DwellError
from dwell.programme.path import kept_limits
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import Entry
from dwell.report.drawings.leaf import Limits
from dwell.service.app import create_app
from dwell.service.live import Live, Parts
from dwell.service.names import in_path
from dwell.service.pages.following import programme_parts
from dwell.service.pages.plan_form import PlanForm
from dwell.service.pages.rules import rule_pictures, rule_said
from dwell.service.story import InForce
from dwell.sparse_policy import SparsePolicy
from tests.companies import Company

READS = {"accept": "text/html"}
ODD = '<script>alert("1")</script>/a b'


def visitor(app: FastAPI) -> TestClient:
    """Somebody on the same machine."""
    return TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000))


@pytest.fixture
def store() -> MemoryStore:
    """A store with a programme of an odd name, one of whose tests waits for people."""
    store = MemoryStore()
    programme = Programme.create(store, ODD, learner=Fixed(fixed(2, 1)))
    programme.begin(ODD).tell([1, 1])
    programme.begin("runs").tell([1])
    return store


def test_names_are_shown_and_never_run(store: MemoryStore) -> None:
    """Whatever they hold; slashes lead nowhere else."""
    with visitor(create_app(store=store)) as client:
        for path in ("/", "/programmes/{}", "/programmes/{}/tests/{}"):
            found = client.get(path.format(in_path(ODD), in_path(ODD)), headers=READS)
            assert found.status_code == 200
            assert "<script>alert" not in found.text
            assert "&lt;script&gt;alert" in found.text
            assert " style=" not in found.text
            assert " onclick=" not in found.text


def test_a_page_is_prepared_before_anybody_can_ask_for_it(store: MemoryStore) -> None:
    """Of every programme there is."""
    app = create_app(store=store)
    with visitor(app):
        shown = app.state.shown.of(app.state.shelf.open(ODD))
        assert shown.story.position == len(list(store.read(ODD)))


def test_a_store_that_cannot_be_read_is_no_reason_not_to_start(
    store: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever asks for a page of it hears what is wrong."""
    store.append("damaged", 0, [Entry("{}")])
    with visitor(create_app(store=store)) as client:
        assert "pages are not prepared" in caplog.text
        assert client.get("/healthz").status_code == 200
        assert client.get(f"/programmes/{in_path(ODD)}", headers=READS).status_code == 200


def test_a_test_without_samples_has_no_point_to_be_read(store: MemoryStore) -> None:
    """Its page says so, instead of asking to point at none."""
    Programme.open(store, ODD).begin("new")
    with visitor(create_app(store=store)) as client:
        page = client.get(f"/programmes/{in_path(ODD)}/tests/new", headers=READS)
        assert "No samples yet: the path begins with the first." in page.text
        assert "0 points" not in page.text
        other = client.get(f"/programmes/{in_path(ODD)}/tests/runs", headers=READS)
        assert "1 point of the path so far." in other.text


def test_errors_are_pages_for_people_and_problems_for_programs(store: MemoryStore) -> None:
    """By what is accepted; under /api always the latter."""
    with visitor(create_app(store=store)) as client:
        page = client.get("/programmes/nowhere", headers=READS)
        assert (page.status_code, page.headers["content-type"][:9]) == (404, "text/html")
        assert "This path has left the picture" in page.text
        for path, headers in (("/programmes/nowhere", {}), ("/api/v1/programmes/nowhere", READS)):
            problem = client.get(path, headers=headers)
            assert problem.status_code == 404
            assert problem.headers["content-type"] == "application/problem+json"


def test_recording_is_safe_to_repeat(store: MemoryStore) -> None:
    """The same again leads back; something else is refused as a page."""
    path = f"/programmes/{in_path(ODD)}/tests/{in_path(ODD)}/record"
    with visitor(create_app(store=store)) as client:
        for _ in range(2):
            done = client.post(
                path, data={"done": "shipped"}, headers=READS, follow_redirects=False
            )
            assert (done.status_code, done.headers["location"]) == (
                303,
                f"/programmes/{in_path(ODD)}#today",
            )
        other = client.post(path, data={"done": "dropped"}, headers=READS)
        assert other.status_code == 409
        assert "recorded as shipped already" in other.text
        wrong = client.post(path, data={"done": "praised"}, headers=READS)
        assert wrong.status_code == 422
        early = path.replace(f"tests/{in_path(ODD)}", "tests/runs")
        assert client.post(early, data={"done": "shipped"}, headers=READS).status_code == 409


def test_files_can_be_kept_for_ever() -> None:
    """Their address changes when they do; others are not there."""
    with visitor(create_app(store=MemoryStore())) as client:
        style = client.get("/static/style.css")
        assert "immutable" in style.headers["cache-control"]
        assert "--paper" in style.text
        assert client.get("/static/app.py").status_code == 404
        assert client.get("/static/..%2Fapp.py").status_code == 404


def test_a_page_with_200_running_tests_takes_less_than_100_ms() -> None:
    """Of the processor's time, once it has been drawn; what is over costs nothing."""
    company = Company()
    company.run(days=3, at_once=200)
    app = create_app(store=company.store)
    app.state.shelf.clock = company.calendar
    with visitor(app) as client:
        page = client.get("/programmes/Checkout", headers=READS)
        assert page.text.count('<tr role="row" id="t-') > 100
        spent = []
        for _ in range(3):
            begun = process_time()
            client.get("/programmes/Checkout", headers=READS)
            spent.append(process_time() - begun)
    assert min(spent) < 0.1


def parts_of(position: int, **parts: str) -> Parts:
    return Parts(position, "title", "data", {"rows": list(parts)}, parts)


def test_only_what_changed_is_sent() -> None:
    """All of it to whoever has something else."""
    before, after = parts_of(1, a="<p>", b="<p>"), parts_of(2, a="<p>", b="<b>")
    assert '"parts": {"b": "<b>"}' in after.message(before)
    assert '"a": "<p>"' in after.message(None)
    assert after.message(None).startswith("event: parts\nid: 2\ndata: ")


def test_one_look_serves_all_readers_and_ends_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that grows is drawn once, for as many as look; then nobody looks at it any more."""
    monkeypatch.setattr("dwell.service.live.LOOK_SECONDS", 0.01)
    log, drawn = [1], []

    def draw() -> Parts:
        drawn.append(log[0])
        return parts_of(log[0], a=f"<p>{log[0]}</p>")

    async def read() -> None:
        live = Live(most=2)
        readers = [live.follow("p", "", lambda: log[0], draw, at=1) for _ in range(2)]
        assert [(await anext(reader)).split("\n")[0] for reader in readers] == ["event: beat"] * 2
        with pytest.raises(DwellError, match="2 pages are open"):
            live.require_place()
        log[0] = 2
        told = [await anext(reader) for reader in readers]
        assert told[0] == told[1]
        assert "<p>2</p>" in told[0]
        for reader in readers:
            await reader.aclose()  # type: ignore[attr-defined]  # it is a generator
        live.require_place()
        assert live._watched == {}

    asyncio.run(read())
    assert drawn.count(2) == 1


def test_parts_are_those_of_the_page(store: MemoryStore) -> None:
    """What is sent stands in the page word for word, by the same ids."""
    app = create_app(store=store)
    programme = app.state.shelf.open(ODD)
    with visitor(app) as client:
        page = client.get(f"/programmes/{in_path(ODD)}", headers=READS).text
    found = programme_parts(app.state.shown.of(programme), programme, app.state.shelf.clock())
    for name, html in found.parts.items():
        assert f'id="{name}"' in html
        if name not in ("f-events", "today-say"):
            assert html.strip() in page, name


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"mean": "abc"}, "mean"),
        ({"spread": "0"}, "spread"),
        ({"rate": "100"}, "rate"),
        ({"a_day": "1.5"}, "a_day"),
        ({"a_day": "1,00"}, "a_day"),
        ({"price": "-1"}, "price"),
        ({"worth": "inf"}, "worth"),
        ({"shortest": "9", "longest": "8"}, "shortest"),
    ],
)
def test_a_number_that_is_none_is_named(given: dict[str, str], wrong: str) -> None:
    """Which one, and what it should be."""
    form = PlanForm.read(given)
    assert list(form.wrong) == [wrong]


def test_a_form_is_a_command() -> None:
    """With the same numbers."""
    form = PlanForm.read({"mean": "\N{MINUS SIGN}0.5", "a_day": "8,000"})
    assert form.wrong == {}
    assert '--prior "Normal(-0.005, 0.0045)"' in form.command()
    assert "--traffic-per-day 8000" in form.command()


def test_a_rule_that_is_looked_at_before_its_limits_are_told_says_so() -> None:
    """The first looks of many are left out: their limits say little."""
    looks = tuple(map(float, range(1, 65)))
    many = Limits(looks, tuple(-9.0 for _ in looks), tuple(9.0 for _ in looks))
    assert rule_said(many, None).startswith("Looked at from 1 sample on; after 4 samples ship at ")
    few = Limits((32.0, 64.0), (-9.0, 0.0), (9.0, 0.0))
    assert rule_said(few, None).startswith("After 32 samples ship at ")


def test_a_limit_that_nobody_reaches_is_said_to_be_none() -> None:
    """32 signs are 5.7 standard errors ahead at most; a lift may be any number of them."""
    far = Limits((32.0, 64.0), (-9.0, 0.0), (200.0, 0.0))
    assert rule_said(far, Signs()).startswith("After 32 samples ship nothing or drop at 1.6 ")
    assert rule_said(far, None).startswith("After 32 samples ship at a total of 200 ahead or ")
    all_of_it = Limits((32.0, 64.0), (-300.0, 0.0), (-200.0, 0.0))
    said = "After 32 samples ship at 35.4 standard errors behind or drop nothing; "
    assert rule_said(all_of_it, Signs()).startswith(said)


def test_a_rule_that_shipped_nothing_does_not_flatten_those_after_it() -> None:
    """Limits far beyond those in force are drawn at the edge."""
    programme = Programme.create("memory:", "checkout", policies=[fixed(4, -2), fixed(4, 2)])
    near = SparsePolicy.of(Policy([-3, -2, 0], [3, 2, 0]))
    far, further = (SparsePolicy.of(Policy([-3, -2, 0], [times, times, 0])) for times in (30, 3000))
    with programme.state() as state:
        some, more = (
            rule_pictures(state, [InForce(0.0, 0, kept_limits(each), 0) for each in rules])
            for rules in ([far, near], [further, near])
        )
    assert some[-1].picture == more[-1].picture
    assert some[0].text != more[0].text

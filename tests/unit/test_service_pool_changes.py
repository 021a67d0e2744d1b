"""What the service tells of a pool of ideas that has changed: over HTTP, on the page."""

import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from dwell import Programme
from dwell.fitting.pool_change import day
from dwell.programme.stores.memory import MemoryStore
from dwell.service.app import create_app
from dwell.service.pages.following import programme_parts
from dwell.service.pages.overview import Shown
from tests.programmes import BAD, GOOD, feed, forgetting, ideas

LOCAL = {"base_url": "http://127.0.0.1:8000", "client": ("127.0.0.1", 50_000)}


@pytest.fixture(scope="module")
def changing() -> Programme:
    """A programme whose ideas have changed twice."""
    programme = forgetting(MemoryStore())
    feed(programme, ideas(GOOD, BAD, GOOD, each=50, seed=3), seed=3)
    return programme


@pytest.fixture(scope="module")
def client(changing: Programme) -> Iterator[TestClient]:
    """Somebody on the same machine."""
    store = changing._journal.store
    feed(forgetting(store, "still"), ideas(GOOD, each=20))
    with TestClient(create_app(store=store), **LOCAL) as found:  # type: ignore[arg-type]  # a dict
        yield found


def test_a_change_is_told_over_http(changing: Programme, client: TestClient) -> None:
    """Where the rule and the report are read; dates are those of the log."""
    known, dates = changing.pool_knowledge(), changing.pool_changes()[-1].dates
    assert known is not None
    assert known.changed is not None
    rule = client.get("/api/v1/programmes/checkout/rule").json()
    report = client.get("/api/v1/programmes/checkout/report").json()
    assert rule["changed"] == report["changed"]
    assert rule["changed"]["sentence"] == known.changed.sentence
    assert known.changed.sentence in rule["knowledge"]
    assert rule["changed"]["task"] == dates.test
    assert rule["changed"]["test"] == known.changed.since + 1
    assert re.fullmatch(r"2026-\d\d-\d\d", rule["changed"]["since"])
    assert rule["changed"]["shipped_now"]["estimate"] == known.changed.shipped_now.estimate
    for path in ("rule", "report"):
        assert client.get(f"/api/v1/programmes/still/{path}").json()["changed"] is None


def test_the_page_has_a_notice_with_both_sides(changing: Programme, client: TestClient) -> None:
    """With the changes before it; it is hidden where nothing has changed."""
    last, *before = reversed(changing.pool_changes())
    assert len(before) >= 1
    page = client.get("/programmes/checkout", headers={"accept": "text/html"}).text
    notice = page.split('id="f-changed"')[1].split('id="f-value"')[0]
    assert not notice.startswith(" hidden")
    assert "The pool of ideas has changed" in notice
    assert f"It has changed {last.when}." in notice
    assert last.dates.shown is not None
    assert f"That was shown on {day(last.dates.shown)}. False alarms: at most 5 %." in notice
    assert f"It had changed before: {before[0].when}" in notice
    assert notice.count("<svg") == 4
    still = client.get("/programmes/still", headers={"accept": "text/html"}).text
    assert 'id="f-changed" hidden></div>' in still


def test_a_page_that_is_open_is_sent_the_notice(changing: Programme) -> None:
    """As the part that it has the place of."""
    parts = programme_parts(Shown(), changing, 1.8e9).parts
    assert "The pool of ideas has changed" in parts["f-changed"]


def test_what_was_shipped_is_worth_what_ideas_were_over_all_the_time() -> None:
    """Good ideas that were shipped are not marked down when ideas become bad."""
    programme, shown = forgetting(), Shown()
    values = ideas(GOOD, BAD)
    feed(programme, values[:40])
    before = shown.overview(programme, 1.8e9).value
    feed(programme, values[40:])
    shown.overview(programme, 1.8e9)
    plausible, earned = shown.ledger.plausible, shown.ledger._last
    assert before is not None
    assert plausible is not None
    assert earned is not None
    assert earned[1] is not None
    now, ever = (float(each.weights @ each.values) for each in (plausible.pool, plausible.ever))
    assert now < ever, "the pool as it is now is worse than over all the time"
    shipped = {number: each for number, each in shown.story.shipped.items() if number <= 40}
    told = sum(plausible.ever.given(each.samples, each.total).mean for each in shipped.values())
    marked_down = sum(
        plausible.pool.given(each.samples, each.total).mean for each in shipped.values()
    )
    truth = sum(values[number - 1] for number in shipped)
    assert abs(told - truth) < abs(marked_down - truth)


def test_a_programme_is_created_to_forget_over_http(client: TestClient) -> None:
    """And says so; what has no pool refuses it."""
    terms = {"law": "Signs", "cap": 16}
    made = client.post("/api/v1/programmes", json={"name": "new", **terms, "drift": True})
    assert (made.status_code, made.json()["drift"]) == (201, True)
    refused = client.post("/api/v1/programmes", json={"name": "no", "caps": "1,2", "drift": True})
    assert refused.status_code == 422
    assert "drift means nothing to the learner ladder" in refused.json()["detail"]

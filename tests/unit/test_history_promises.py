"""Promises, by which a policy is chosen; and how far figures hang on orders that were drawn."""

import numpy as np
import pytest

from dwell import AtEnd, Policies
from dwell.arrays import FloatArray
from dwell.fitting.shrunk import shrunk_effects
from dwell.history.reading.blocks import SampleBlock
from dwell.history.reading.counts_block import CountsBlock
from dwell.history.reading.looking import Looking, Noise
from dwell.history.replay.candidates import candidates, looks
from dwell.history.replay.cross_fitting import _moments, _ranked, cross_fitted
from dwell.history.replay.looked_replay import LookedReplay, look_at
from dwell.history.replay.order_noise import order_noise
from dwell.history.replay.promises import Promises, promises_of
from dwell.history.replay.scores import AllScores, Scores

TESTS, LENGTH = 40, 30


def replayed(seed: int = 0) -> tuple[SampleBlock, LookedReplay]:
    """The usual rules on tests of normal samples."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(rng.normal(0.1, 0.4, TESTS)[:, None], 1.0, (TESTS, LENGTH))
    names = tuple(map(str, range(TESTS)))
    block = SampleBlock(names, np.full(TESTS, LENGTH), samples.ravel())
    tried = candidates(24, sd=1.0)
    rules = tuple(each.rule for each in tried if each.rule is not None)
    looking = Looking(rules, looks(24), Noise(1.0, 1e6))
    return block, look_at(block, looking, Policies(each.policy for each in tried))


def test_effects_are_shrunk_as_a_normal_law_has_it() -> None:
    """With values N(0.5, 1) and errors of 1, half of what is measured and a quarter; to 0.3."""
    rng = np.random.default_rng(0)
    effects = rng.normal(rng.normal(0.5, 1.0, 2000), 1.0)
    parts = np.array([np.ones(2000), np.arange(2000) < 1000], dtype=np.bool_)
    for found in shrunk_effects(effects, np.ones(2000), parts):
        middle = np.abs(effects - 0.5) < 2.0
        assert np.abs(found - (0.25 + effects / 2.0))[middle].max() < 0.3


def test_a_law_is_fitted_to_its_part_alone() -> None:
    """What others measured does not change it, but for the grid that it stands on."""
    effects = np.random.default_rng(1).normal(0.0, 1.5, 60)
    part = np.arange(60)[None, :] < 40
    others = np.where(part[0], effects, np.clip(-2.0 * effects, effects.min(), effects.max()))
    one, two = (shrunk_effects(each, np.ones(60), part)[0] for each in (effects, others))
    assert one[:40] == pytest.approx(two[:40], abs=0.05)


def test_a_policy_is_promised_what_its_tests_are_worth() -> None:
    """Policy by policy and group by group, as plain sums."""
    _, replay = replayed()
    promises = promises_of(replay)
    assert isinstance(promises, Promises)
    everything = np.ones((1, TESTS), dtype=np.bool_)
    [worth] = promises.measured.worth(everything)
    for k in (0, 50, len(replay.policies) - 1):
        assert promises.rewards[k] == pytest.approx((replay.accepts(k) * worth).mean())
        groups = promises.by_group(everything, 20)[0, k]
        plain = [(replay.accepts(k) * worth)[group::20].sum() for group in range(20)]
        assert groups == pytest.approx(plain)


def test_choices_go_by_promises_of_other_tests() -> None:
    """Each part's choice is the best promise by a law that its own tests have no part in."""
    block, replay = replayed()
    now = AtEnd().on(block)
    scores = AllScores(replay, 5.0)
    current = Scores(now.rewards, now.durations.astype(np.float64), None, 5.0)
    promises = promises_of(replay)
    found = cross_fitted(scores, current, 0.05, promises)
    assert promises is not None
    assert replay.measured is not None
    for part in range(5):  # of the first way: groups are dealt out in turn
        elsewhere = np.arange(TESTS) % 20 % 5 != part
        [worth] = promises.measured.worth(elsewhere[None, :])
        ratios: list[float] = []
        sure: list[float] = []
        for k in range(len(replay.policies)):
            kept = [group for group in range(20) if group % 5 != part]
            promised: FloatArray = np.array(
                [(replay.accepts(k) * worth)[group::20].sum() for group in kept]
            )
            paid = np.array([(replay.durations(k) + 5.0)[group::20].sum() for group in kept])
            ratio = float(promised.sum() / paid.sum())
            error = np.std(promised - ratio * paid, ddof=1) * np.sqrt(16) / paid.sum()
            ratios.append(ratio - error if ratio > 0.0 else -np.inf)
            shipped = replay.accepts(k) * replay.measured.effects
            noise = np.std([shipped[group::20].sum() for group in kept], ddof=1) * np.sqrt(16)
            sure.append(promised.sum() / noise if noise else 0.0)
        wanted = min(3.0, max(sure) - 1.0)
        best = max(ratio for ratio, above in zip(ratios, sure, strict=True) if above >= wanted)
        assert ratios[found.chosen[part]] == pytest.approx(best)


def test_what_is_promised_much_by_luck_is_not_chosen() -> None:
    """A policy with the highest promise per cost, of which tests that it accepts are not sure."""
    count = 20
    sure, lucky = np.full(count, 1.0), np.full(count, 3.0)
    promised = np.array([[sure, lucky]])
    paid = np.full((2, count), 10.0)
    swings = np.where(np.arange(count) % 2 == 0, 1.0, -1.0)
    for swing, chosen in ((200.0, 0), (4.0, 1)):
        measured = np.array([sure + swings, lucky + swing * swings])
        ranked = _ranked(_moments(promised, paid, measured).sum(axis=-1))
        assert ranked.argmax() == chosen
    assert _ranked(_moments(promised, paid, None).sum(axis=-1)).argmax() == 1


def test_given_policies_are_promised_nothing() -> None:
    """Where nobody knows what tests measured, choices go by what was earned."""
    assert promises_of(None) is None


def test_the_part_of_orders_falls_with_their_number() -> None:
    """With 16 times as many it is about a quarter, and fewer are wanted than are told at first."""
    rng = np.random.default_rng(2)
    rates = rng.uniform(0.05, 0.15, (60, 1)) + rng.normal(0.0, 0.02, (60, 2))
    users = np.full((60, 2), 400)
    block = CountsBlock(tuple(map(str, range(60))), users, rng.binomial(400, rates))
    tried = candidates(320, sd=0.4, least=20)
    rules = tuple(each.rule for each in tried if each.rule is not None)
    policies, now = Policies(each.policy for each in tried), AtEnd().on(block)
    found = [
        order_noise(
            look_at(block, Looking(rules, looks(320), Noise(0.18, 50.0), orders), policies),
            now,
            50.0,
        )
        for orders in (16, 256)
    ]
    assert found[1].share == pytest.approx(found[0].share / 4.0, rel=0.5)
    assert 16 < found[0].orders <= 1024
    assert 10 < len(found[0].leading) < len(rules)
    assert found[0].notes
    once = tuple(rule for rule in rules if rule.looks_once)
    alone = Policies(each.policy for each in tried if each.rule in once)
    exact = look_at(block, Looking(once, looks(320), Noise(0.18, 50.0), 16), alone)
    assert order_noise(exact, now, 50.0)[:2] == (0.0, 16)

"""Section 2, "Repeated A/B testing": controlling false discoveries against one sample per idea."""

from math import ceil

import numpy as np
from online_fdr.p_values import Saffron
from scipy import special

from dwell.chart import Chart, Line
from dwell.families import first_sample
from dwell.lab.claims.finding import Effort, Finding, fit_slope
from dwell.laws import Signs
from dwell.priors import Atoms
from dwell.table import exact
from dwell.world import World

LEVEL, POWER = 0.05, 0.8


def check(effort: Effort) -> Finding:
    """ROI on values +-eps: tested to significance under online FDR control, and at first sight."""
    sizes = [0.3, 0.2, 0.1, 0.05, 0.03, 0.02, 0.01]
    tests = effort.pick(1_500, 10_000)
    rng = np.random.default_rng(effort.seed)
    careful = [_tested_to_significance(eps, tests, rng) for eps in sizes]
    roi = [earned for earned, _, _ in careful]
    errors = [error for _, error, _ in careful]
    wrong = max(share for _, _, share in careful)
    one = [float(exact(first_sample(), World(Atoms([-eps, eps]), Signs())).roi[0]) for eps in sizes]
    slow, fast = fit_slope(sizes, roi), fit_slope(sizes, one)
    return Finding(
        claim="discovery",
        place='Section 2, "Repeated A/B testing"',
        stated=(
            "on values +-eps FDR control earns order eps^3 per sample, one sample per idea order "
            "eps"
        ),
        measured=(
            f"exponents {slow} and {fast}: the first as printed; one sample earns exactly "
            f"eps^2 / 2, an order less than printed and still {one[-1] / roi[-1]:,.0f} times as "
            f"much at eps = {sizes[-1]:g}; false discoveries at most {wrong:.1%}"
        ),
        correction="one sample per idea earns order eps^2, not order eps",
        holds=(
            abs(slow.exponent - 3.0) <= 0.15
            and abs(fast.exponent - 2.0) <= 1e-6
            and all(a > b for a, b in zip(one, roi, strict=True))
        ),
        figures={
            "eps": sizes,
            "fdr_roi": roi,
            "fdr_roi_error": errors,
            "false_discovery_share": wrong,
            "fdr_exponent": slow.exponent,
            "fdr_exponent_error": slow.error,
            "one_sample_roi": one,
            "one_sample_exponent": fast.exponent,
        },
        words=(
            "Being sure of every single decision is expensive: the smaller the effects, the more "
            "it costs compared with deciding fast and often. It pays only if wrong decisions hurt "
            "more than right ones help, or if setting up a test costs far more than a sample."
        ),
        charts=(
            Chart(
                "Earned per sample on values +-eps",
                "eps",
                "ROI",
                (
                    Line("to significance, FDR controlled", sizes, roi, errors),
                    Line("one sample per idea: eps^2 / 2", sizes, one),
                    Line("as printed: eps", sizes, sizes, dashed=True),
                ),
                caption=(
                    "One sample is +1 with a chance that differs by eps between good and bad "
                    "ideas, and a good one is worth eps: hence eps^2. Significance takes about "
                    "1 / eps^2 samples, for the same eps: hence eps^3."
                ),
            ),
        ),
    )


def _tested_to_significance(
    eps: float, tests: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """ROI, its error and the share of false discoveries, with SAFFRON on one-sided tests.

    Each idea gets the samples that find eps at the given level with the given power; its p-value
    is the exact binomial one.
    """
    z = special.ndtri(1 - LEVEL) + special.ndtri(POWER)
    samples = ceil((z / eps) ** 2)
    values = rng.choice([-eps, eps], tests)
    ups = rng.binomial(samples, (1 + values) / 2)
    p_values = special.bdtrc(ups - 1, samples, 0.5)
    control = Saffron(alpha=LEVEL, wealth=LEVEL / 2, lambda_=0.5)
    accepted = np.array([bool(control.test_one(float(p))) for p in p_values])
    rewards = values * accepted
    false_share = float((accepted & (values < 0)).sum() / max(1, accepted.sum()))
    error = float(rewards.std(ddof=1)) / tests**0.5 / samples
    return float(rewards.mean()) / samples, error, false_share

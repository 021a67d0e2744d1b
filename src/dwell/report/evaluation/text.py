"""An evaluation in a few lines: the answer, what it earns, what that is in all, how certain."""

from math import floor, isfinite, log10

from dwell.fitting.figure import Figure
from dwell.fitting.pool_change import in_words
from dwell.history.replay.evaluation import Verdict
from dwell.report.evaluation.answer import current_roi
from dwell.report.evaluation.change import earned_by_best, earned_by_current
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.scale import Scale
from dwell.report.evaluation.setup_costs import HOW_TO_COUNT
from dwell.report.evaluation.totals import Totals
from dwell.report.tables import amount, minus


def summary(report: Report) -> tuple[str, ...]:
    """What to do; what it earns beside the current rule; what that is in all; how certain it is.

    If the pool of ideas has changed, what both rules earned since follows what to do.

    Args:
        report: What was found on past tests.
    """
    answer = report.answer
    if answer is None:
        return (
            "What to do: that hangs on what it costs to set up a test; give --setup-cost for an "
            "answer. The table has one for each set-up cost.",
            f"How to count it: {HOW_TO_COUNT}",
        )
    first = answer.sentence
    if answer.kind in _HEADS:
        first = f"{_HEADS[answer.kind]}: {first[0].lower()}{first[1:]}"
    if answer.kind == "withheld":
        rest = "What it earns: the figures below are of the rest alone, and not to be relied on."
        return (first, rest)
    totals = report.totals if answer.kind == "change" else None
    all_tests = () if totals is None else (f"In total: {' '.join(total_sentences(totals))}",)
    since = since_change(report)
    changed = () if since is None else (since,)
    return (first, *changed, f"What it earns: {earnings(report)}", *all_tests, _certainty(report))


_HEADS = {"nothing-earns": "Nothing earns", "withheld": "No advice"}


def since_change(report: Report) -> str | None:
    """What the best rule and the current one earned since the pool changed; None if it has not.

    Args:
        report: What was found on past tests.
    """
    now, best = earned_by_current(report), earned_by_best(report)
    if report.changed is None or now is None:
        return None
    scale, change = Scale.of(report), report.changed.change
    since = in_words(change.since_date)
    tests = f"in {report.changed.present.sum():,} tests of the present pool"
    if change.tests > change.after:
        tests += " (an earlier one, which is back)"
    if best is None:
        earned = f"today's rule earned {_earned(scale, now.now)} per {scale.unit}"
        return f"Since {since}, when the pool of ideas changed: {earned} {tests}."
    changing = report.answer is not None and report.answer.kind == "change"
    which = "this rule" if changing else "what did best"
    text = (
        f"Since {since}, when the pool of ideas changed: {which} earned "
        f"{_earned(scale, best.now)} per {scale.unit} {tests}, today's {_earned(scale, now.now)}."
    )
    if changing and best.now.estimate <= now.now.estimate:
        return f"{text} Evaluate these alone before you change."
    return text


def _earned(scale: Scale, figure: Figure) -> str:
    if figure.estimate == figure.high == 0.0:
        return "nothing"  # it shipped no idea: that has no error
    return scale.around(figure.estimate, figure.high - figure.estimate)


def earnings(report: Report) -> str:
    """What the best rule earns on tests that it was not chosen by, beside the current one.

    Args:
        report: What was found on past tests.
    """
    found, scale, corrected = report.found, Scale.of(report), report.found.corrected
    now = scale.around(found.current.roi, found.current.roi - current_roi(report).low)
    if report.candidate is None:
        return (
            f"no rule earned anything on these tests; today's ({report.current}) earned {now} per "
            f"{scale.unit}. {_plus_minus(report)}"
        )
    change = report.answer is not None and report.answer.kind == "change"
    which = "" if change else f"what did best ({report.candidate.advice}) earned "
    earned = scale.around(corrected.roi, corrected.reach * corrected.error)
    return (
        f"{which}{earned} per {scale.unit} on tests that it was not chosen by; today's rule "
        f"({report.current}) {now}. On the same tests the gain is {gain_around(report)}. "
        f"{_plus_minus(report)}"
    )


def gain_around(report: Report) -> str:
    """The gain that decides: with its interval, and in percent where that means something.

    Args:
        report: What was found on past tests.
    """
    corrected, now = report.found.corrected, report.found.current.roi
    reach = corrected.reach * corrected.gain_error
    scale = gain_scale(report)
    text = f"{scale.around(corrected.gain, reach, signed=True)} per {scale.unit}"
    if not current_roi(report).low > 0.0:
        return text  # a share of nothing, or of a loss
    shares = Scale(100, 0).telling(corrected.gain / now, reach / now)
    gain, error = shares.text(corrected.gain / now, signed=True), shares.text(reach / now)
    return f"{text} ({gain} % ± {error} %)"


def gain_scale(report: Report, samples: int | None = None) -> Scale:
    """A scale on which it can be seen on which side of 0 the interval of the gain ends.

    Args:
        report: What was found on past tests.
        samples: Per how many samples; None for whatever can be read.
    """
    corrected = report.found.corrected
    reach = corrected.reach * corrected.gain_error
    return Scale.of(report, samples).telling(corrected.gain, reach)


def percent(share: float) -> str:
    """A share as people write it.

    Example:
        >>> percent(0.371), percent(0.0)
        ('37 %', '0 %')
    """
    return f"{Scale(100, 0).text(share)} %"


def _plus_minus(report: Report) -> str:
    return f"± is always a {level(report)} interval."


def total_sentences(totals: Totals) -> tuple[str, ...]:
    """The same tests; the same cost; how many further ideas it takes.

    Args:
        totals: All tests together.
    """
    return (_same_tests(totals), _same_cost(totals), _break_even(totals))


def _same_tests(totals: Totals) -> str:
    digits = total_digits(totals)
    ends = (totals.difference_low, totals.difference_high)
    less = totals.difference < 0.0
    size, low, high = (
        minus(f"{-number if less else number:,.{digits}f}")
        for number in (totals.difference, *(reversed(ends) if less else ends))
    )
    return (
        f"the same {totals.tests:,} tests would have shipped {size} {'less' if less else 'more'} "
        f"value ({low} to {high}) than today's {minus(f'{totals.value_now:,.{digits}f}')}, in "
        f"{abs(totals.saved):,} {'fewer' if totals.saved >= 0 else 'more'} samples."
    )


def _same_cost(totals: Totals) -> str:
    digits = total_digits(totals)
    further = round(totals.further)
    reach = totals.gain_at_same_cost_high - totals.gain_at_same_cost
    tests = (
        f"With what that saves {further:,} further tests could be run"
        if further >= 1
        else f"At the same cost {-further:,} fewer tests could be run"
        if further <= -1
        else "At the same cost as many tests could be run"
    )
    gain = minus(f"{totals.gain_at_same_cost:+,.{digits}f}")
    return (
        f"{tests}, and all would ship {minus(f'{totals.value_at_same_cost:,.{digits}f}')} at the "
        f"cost of today, set-up included: {gain} ± {reach:,.{digits}f}."
    )


def _break_even(totals: Totals) -> str:
    if not totals.break_even:
        return "It ships no less than today with no further idea to test."
    if not isfinite(totals.break_even):
        return "No number of further ideas makes it ship as much as today."
    ideas = max(1, round(totals.break_even))
    return (
        f"It takes {ideas:,} further idea{'s' * (ideas > 1)} to break even: a team that has fewer "
        "ships less value than today, though in fewer samples."
    )


def total_digits(totals: Totals) -> int:
    """Decimals by which the totals have three digits.

    Args:
        totals: All tests together.
    """
    most = max(abs(totals.value_now), abs(totals.value), abs(totals.value_at_same_cost))
    return min(max(0, 2 - floor(log10(most))), 12) if most > 0.0 else 0


def _certainty(report: Report) -> str:
    found, scale, best = report.found, Scale.of(report), report.found.best
    left = report.replayed.left_out
    are = "is" if left == 1 else "are"
    short = f"; {left:,} more {are} too short to be judged" if left else ""
    text = f"How certain: that is by {found.tests:,} tests{short}."
    if best is None:
        return text
    text += (
        f" {len(found.approximate.indistinguishable) - 1:,} of {len(found.policies) - 1:,} other "
        "rules cannot be told apart from the best."
    )
    # One that reaches to both sides of 0 tells nothing; it is at the end of the page.
    if found.guaranteed is None or not found.guaranteed.roi_low[best] > 0.0:
        return text
    return f"{text} Its guaranteed interval is {between(scale, found.guaranteed, best)}."


def between(scale: Scale, verdict: Verdict, index: int) -> str:
    """From where to where a policy's ROI lies."""
    low, high = float(verdict.roi_low[index]), float(verdict.roi_high[index])
    return f"{scale.text(low)} to {scale.text(high)}"


def level(report: Report) -> str:
    """How often an interval holds.

    Args:
        report: What was found on past tests.
    """
    return f"{100.0 * (1.0 - report.found.alpha):.4g} %"


def samples_a_test(report: Report) -> str:
    """How many samples the best rule takes; a dash if there is none.

    Args:
        report: What was found on past tests.
    """
    found = report.found
    return "-" if found.best is None else amount(float(found.cost[found.best]) - found.setup_cost)

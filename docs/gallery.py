"""Writes the gallery: the figures of all results, and of reports, by the calls that make them.

`make docs` runs it. A figure of a result that is not told about here stops it, and so does one that
is told about and not there. Of reports, it has what no result draws, without `demo` and `bench`.
"""

import json
import os
import re
import shlex
import tempfile
from html import unescape
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from plots import plot, scripts

from dwell.cli import main

_PAGE = Path(__file__).parent / "gallery.md"
_FIGURE = re.compile(
    r'<h[23][^>]*>(?P<title>[^<]*)</h[23]>|<script type="application/json">(?P<data>.*?)</script>',
    re.DOTALL,
)

_INTRODUCTION = """# Gallery

The figures of every result, as the calls beside them have just drawn them: `.figure()` is the main
one, `.figures` has all by name, as plotly's objects. After them come figures that only commands
draw, into a page that needs no network; those of `dwell demo` and `dwell bench` are not here, as
they take longer. Names in the calls are these:

```python
{names}
```
"""

NAMES = """import dwell

rare = dwell.World(dwell.Atoms([-0.05, 0.6], [0.9, 0.1]), dwell.Signs())
three = dwell.World(dwell.Atoms([-1, 0, 1]), dwell.Signs())
normal = dwell.World(dwell.Normal(-0.1, 0.3), dwell.Gaussian(1))
policies = dwell.hoeffding(caps=[1, 2, 4, 8, 16, 32], c=0.35, tasks=10_000, delta=0.05)
ladder = dwell.Ladder(policies, setup_cost=20)
learner = dwell.EmpiricalBayes(dwell.Signs(), cap=64, setup_cost=20)
lifts = dwell.World(dwell.Normal(-0.0003, 0.0045), dwell.Gaussian(0.16))
terms = dwell.Terms(world=lifts, setup_cost=1_000, traffic_per_day=1_000, max_days=28)
effects = [0.004, -0.003, 0.001, -0.006, 0.009, -0.002, 0.000, -0.004, 0.012, -0.001]
law = dwell.Lift(0.1)
shop = dwell.Programme.create("memory:", "shop", law=law, cap=20_000, setup_cost=2_000)
blue = shop.begin("blue-button")
blue.tell(control=dwell.Batch(500, 51), treatment=dwell.Batch(505, 54))
blue.tell(control=dwell.Batch(500, 48), treatment=dwell.Batch(495, 58))"""

# Headings; under each, calls; under each of these, what to see in its figures, by their names.
FIGURES: dict[str, dict[str, dict[str, str]]] = {
    "What policies earn, exactly": {
        "dwell.exact(policies, rare, setup_cost=20)": {
            "ROI by cap": "Too short a test decides by chance, too long a one wastes samples: "
            "in between there is a best.",
            "When the best policy stops": "The space between the lines narrows, until at the cap "
            "everything is decided.",
        },
        "dwell.oracle(normal, cap=400, setup_cost=20)": {
            "When the best policy stops": "The best of all policies there are, in another world: "
            "clear cases are decided soon, and the limits meet long before the cap.",
        },
    },
    "Plan": {
        "dwell.plan(terms)": {
            "When to ship, and when to drop": "Only a clear case is decided on the first day; "
            "later less will do.",
            "What each way of testing earns": "How far down the usual ways are: what is missing to "
            "the right is left on the table.",
        },
        "dwell.fit_prior(effects, [0.002] * 10)": {
            "What ideas are worth": "Three laws fitted to the same few tests: where they differ, "
            "the tests do not tell.",
        },
        "dwell plan --out plan.html": {
            "What it would be at another set-up cost": "The dearer a test is to set up, the nearer "
            "the usual ways come to the best.",
            "What it would be with another prior": "How much hangs on the guess: each cell is the "
            "plan with another one.",
        },
    },
    "Evaluate": {
        'dwell.evaluate("tests.parquet", setup_cost=1_000)': {
            "What rules would have earned": "Where the interval of a rule lies to the right of the "
            "grey area, it is better than today's.",
            "What the set-up cost changes": "At which set-up costs a change pays: where the whole "
            "bar lies above today's.",
            "How long tests would have run": "The further left a line is, the sooner its tests are "
            "over.",
        },
        "dwell evaluate tests.parquet --setup-cost 1000 --out report.html": {
            "What it would have come to over time": "What was shipped by the samples spent: the "
            "steeper line earns more with the same traffic.",
        },
    },
    "Learners": {
        "dwell.simulate(ladder, three, tasks=2_000, rng=0)": {
            "Policies that may still be the best": "Policies are eliminated as tests show that "
            "others are better.",
        },
        "dwell.simulate(learner, rare, tasks=50, rng=0)": {
            "When it stops in the end": "The limits that were computed from what fifty tests have "
            "taught.",
        },
        "dwell.Summary.of([*dwell.replicate(ladder, three, tasks=500, replications=8, rng=1)])": {
            "ROI beside the best to choose": "How much learning costs: the gap between the bars.",
        },
        "dwell.simulate(ladder, three, tasks=500, rng=0).known": {
            "Policies that may still be the best": "The same from what a learner knows, while it "
            "runs.",
        },
        "dwell.simulate(learner, rare, tasks=50, rng=0).learner.pool_knowledge()": {
            "What is known of the pool of ideas": "What ideas are worth, and how little fifty "
            "tests say of it.",
        },
        'dwell simulate --learner cape --prior "Atoms(-1, 0, 1)" --setup-cost 0 --caps 1:16:x2 '
        "--c 0.35 --tasks 1e4,1e6,1e8 --replications 4 --workers 1 --out runs.html": {
            "Regret over the number of tasks": "What is still lost by learning falls as there are "
            "more tasks.",
            "Candidates over time": "With few tasks exploration ends before anything is "
            "eliminated; with many, one policy is left.",
        },
    },
    "Programmes": {
        "blue": {
            "blue-button": "A test on its way: it is decided where its path leaves the limits.",
        },
        "shop": {"blue-button": "The same for each test that is open."},
    },
    "The paper": {
        "dwell reproduce elimination rates countable unbiased discovery measures guarantee --quick "
        "--workers 1 --plot paper.html": {
            "Tasks until one policy is left": "The number of tasks stays below what the lemma "
            "bounds it by.",
            "Regret of CAPE over the number of tasks": "The regret falls at the rates that the "
            "theorem states.",
            "Regret of ESC-CAPE over the number of tasks": "The same where there is no largest "
            "cap.",
            "By how much a policy's own samples flatter it": "Why scores need samples that no "
            "decision saw.",
            "Earned per sample on values +-eps": "Controlling false discoveries earns ever less, "
            "the smaller effects are; one sample per idea does not.",
            "Two ways to rate the same policies on values -1, 0, 1": "Two measures that sound "
            "alike choose different policies.",
            "What CAPE earns of the best ROI": "From how many tasks on the guarantee says "
            "something.",
        },
    },
}


def page() -> str:
    """The gallery, in a folder where its calls may leave files."""
    names: dict[str, Any] = {}
    exec(NAMES, names)  # what the page shows is what is run
    _run("dwell history generate tests.parquet --form batches --tests 100")
    parts = [_INTRODUCTION.format(names=NAMES)]
    for heading, calls in FIGURES.items():
        parts.append(f"## {heading}")
        for call, told in calls.items():
            command = call.startswith("dwell ")
            found = _run(call) if command else _figures(eval(call, names))
            # A result is shown with all its figures, a page only with those that no result has.
            if not command and list(found) != list(told):
                raise LookupError(f"{call} has the figures {list(found)}")
            for name, sentence in told.items():
                kind = "sh" if command else "python"
                parts += [f"### {name}", sentence, f"```{kind}\n{call}\n```", plot(found[name])]
    return "\n\n".join([*parts, scripts("")]) + "\n"


def _figures(result: Any) -> dict[str, dict[str, Any]]:
    return {name: json.loads(figure.to_json()) for name, figure in result.figures.items()}


def _run(call: str) -> dict[str, dict[str, Any]]:
    """The figures of the page that a command has written, by the headings above them."""
    done = CliRunner().invoke(main, shlex.split(call)[1:], prog_name="dwell")
    if done.exit_code:
        raise RuntimeError(f"{call}: {done.output}")
    written = [word for word in call.split() if word.endswith(".html")]
    found, title = {}, ""
    for match in _FIGURE.finditer("".join(Path(each).read_text("utf-8") for each in written)):
        title = unescape(match["title"] or title).strip()
        if match["data"]:
            found[title] = json.loads(match["data"])
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        made = page()
        os.chdir(_PAGE.parent)
    _PAGE.write_text(made, encoding="utf-8")

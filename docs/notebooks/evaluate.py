# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Evaluate a log
#
# *Three hundred tests, each two weeks long, and whatever was ahead on day 14 was shipped. Should we
# have stopped sooner?*
#
# The log is a warehouse's: a row per test, arm and day, with the number of users, the mean of the
# metric and its variance. Nobody's log is on this page, so we make one: 500 users per arm and day,
# one in ten buys, and ideas that change that by a percentage point or so, mostly for the worse.

# %%
import numpy as np
import pyarrow as pa

import dwell

tests, days, users = 300, 14, 500
rng = np.random.default_rng(7)
lifts = rng.normal(-0.002, 0.01, tests)  # what the ideas are really worth: no log has this column


def daily(arm, rates):
    bought = rng.binomial(users, rates[:, None], (tests, days)).ravel() / users
    test, day = np.divmod(np.arange(tests * days), days)
    columns = {"test": test, "arm": [arm] * len(test), "period": day, "n": [users] * len(test)}
    return pa.table(columns | {"mean": bought, "variance": bought * (1 - bought)})


log = pa.concat_tables([daily("control", np.full(tests, 0.10)), daily("treatment", 0.10 + lifts)])

# %% [markdown]
# ## What would other rules have earned?
#
# One number is ours to give: what it costs to set up a test, in samples. Here it takes a week to
# build an idea, and a week of traffic is 3,500 samples. No rule may look before the first day is
# over.

# %%
report = dwell.evaluate(log, setup_cost=3_500, min_samples=500)
report

# %% [markdown]
# The answer says what to do, what that earns, and how sure one can be. Read the second sentence
# first:
#
# > On the same tests the gain is +0.116 ± 0.103 per million samples (+59 % ± 52 %).
#
# All of that interval lies above 0, so the advice is to change. It is not free:
#
# > It takes 50 further ideas to break even
#
# A rule that stops sooner ships a little less from the same tests. What it saves are samples, and
# they are worth something only to a team that has further ideas to spend them on.

# %% [markdown]
# ## What does the answer hang on?
#
# On the set-up cost, as always. If nobody is sure of it, look at all of them at once:

# %%
report.figures["What the set-up cost changes"]

# %% [markdown]
# Where tests are dear to set up, it pays to dwell on each of them, and two weeks are no mistake.
#
# ## How long would tests have taken?

# %%
report.figures["How long tests would have run"]

# %% [markdown]
# ## The decision
#
# The team changes its rule, if it has some fifty ideas in the drawer; else it keeps the old one and
# looks for ideas first. As this log is made up, we can look behind the curtain, where no team can:
# how many of the ideas that were shipped on day 14 do harm?

# %%
total = log.group_by(["test", "arm"]).aggregate([("mean", "mean")]).sort_by("test").to_pydict()
means = dict(zip(zip(total["test"], total["arm"]), total["mean_mean"]))
shipped = [k for k in range(tests) if means[k, "treatment"] > means[k, "control"]]
harm = sum(bool(lifts[k] < 0) for k in shipped)
print(f"{harm} of {len(shipped)} shipped ideas do harm, even after two weeks.")

# %% [markdown]
# > 28 of 111 shipped ideas do harm, even after two weeks.
#
# Two weeks do not buy certainty either. What counts is what all of it earns.
#
# ## What to try next
#
# - `report.to_html("report.html")` writes the page that you can send to somebody.
# - `report.to_frame()` has every rule and every figure, as a data frame.
# - No log, but a few numbers? [Plan](plan.md).
# - Tests that run now? [A live programme](programme.md).

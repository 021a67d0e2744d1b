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
# *Four hundred tests, each two weeks long, and whatever was ahead on day 14 was shipped. Should we
# have stopped sooner?*
#
# The log is a warehouse's: a row per test, arm and day, with the number of users, the mean of the
# metric and its variance. Nobody's log is on this page, so we make one: 500 users per arm and day,
# one in ten buys, and ideas that change that by a percentage point or so, mostly for the worse.

# %%
import numpy as np
import pyarrow as pa

import dwell

tests, days, users = 400, 14, 500
rng = np.random.default_rng(0)
# What the ideas are really worth; no log has this column.
lifts = rng.normal(-0.002, 0.01, tests)


def daily(arm, rates):
    bought = rng.binomial(users, rates[:, None], (tests, days)).ravel()
    test, day = np.divmod(np.arange(tests * days), days)
    size, mean = np.full(tests * days, users), bought / users
    columns = {"test": test, "period": day, "n": size, "mean": mean}
    columns["arm"] = [arm] * (tests * days)
    return pa.table(columns | {"variance": mean * (1 - mean)})


untreated = daily("control", np.full(tests, 0.10))
log = pa.concat_tables([untreated, daily("treatment", 0.10 + lifts)])

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
# > On the same tests the gain is +0.159 ± 0.102 per million samples (+60 % ± 38 %).
#
# All of that interval lies above 0, so the advice is to change. It is not free:
#
# > It takes 86 further ideas to break even
#
# A rule that stops sooner ships less from the same tests. What it saves are samples, and they are
# worth something only to a team that has further ideas to spend them on.

# %% [markdown]
# ## What does the answer hang on?
#
# On the set-up cost, as always. If nobody is sure of it, look at all of them at once:

# %%
report.figures["What the set-up cost changes"]

# %% [markdown]
# Where a set-up costs 20,000 samples or more, it pays to dwell on each test, and two weeks are no
# mistake.
#
# ## How long would tests have taken?

# %%
report.figures["How long tests would have run"]

# %% [markdown]
# ## The decision
#
# The team changes its rule, if it has a hundred ideas in the drawer; else it keeps the old one
# and looks for ideas first. As this log is made up, we can look behind the curtain, where no team
# can: how many of the ideas that were shipped on day 14 do harm?

# %%
sums = log.group_by(["test", "arm"]).aggregate([("mean", "sum")])
bought = {(row["test"], row["arm"]): row["mean_sum"] for row in sums.to_pylist()}
ahead = [bought[k, "treatment"] > bought[k, "control"] for k in range(tests)]
shipped = np.flatnonzero(ahead)
harm = (lifts[shipped] < 0).sum()
print(f"{harm} of {len(shipped)} shipped ideas do harm, even after two weeks.")

# %% [markdown]
# Two weeks do not buy certainty either. What counts is what all of it earns.
#
# ## What to try next
#
# - `report.to_html("report.html")` writes the page that you can send to somebody.
# - `report.to_frame()` has every rule and every figure, as a data frame.
# - No log, but a few numbers? [Plan](plan.md).
# - Tests that run now? [A live programme](programme.md).

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
# # Plan
#
# *We have no log that anybody trusts. We know our traffic, roughly what ideas are worth, and that
# "wait for p < 0.05" feels slow. What is the best that we could do?*
#
# Five numbers are enough to find out. One in ten users buys, so a pair of users, one treated and
# one not, differs by 0 or 1 with a standard deviation of √(2 · 0.1 · 0.9) ≈ 0.424. There are 500
# such pairs a day. It takes a week to build an idea: 3,500 samples. The usual idea does a little
# harm (0.2 percentage points), and one in six is worth more than 0.8. A lift of one percentage
# point brings 5,000 a year.

# %%
import dwell

world = dwell.World(dwell.Normal(-0.002, 0.01), dwell.Gaussian(0.424))
numbers = {"setup_cost": 3_500, "traffic_per_day": 500, "max_days": 14}
terms = dwell.Terms(world=world, **numbers, value_of_lift=500_000)
found = dwell.plan(terms)
found

# %% [markdown]
# The first sentence is a rule that fits on a sticky note:
#
# > On day 1 ship what is 1.75 standard errors above 0, and drop what is 0.875 below; both limits
# > shrink evenly to 0 on day 8, when what is above 0 is shipped.
#
# The third says what habits cost:
#
# > What current rules leave on the table: 61% (14 days, p < 0.05 two-sided)
#
# ## When does it stop?

# %%
found.figure()

# %% [markdown]
# In the first days only a clear case is decided. Later less will do, because by then waiting costs
# more than a small mistake. The best policy there is (shaded) and the one for the sticky note
# (lines) hardly differ.
#
# ## How much of this hangs on our guess?
#
# What ideas are worth is the number that we know least. Suppose that we are wrong by a factor of
# two, either way, and keep to the same rule:

# %%
for spread in (0.005, 0.01, 0.02):
    prior = dwell.Normal(-0.002, spread)
    truth = dwell.World(prior, dwell.Gaussian(0.424))
    best = dwell.plan(dwell.Terms(world=truth, **numbers), rules=["p05-two-sided"])
    # Our rule looks once a day: its samples are means of a day.
    daily = dwell.World(prior, dwell.Gaussian(0.424 / 500**0.5))
    [ours] = dwell.exact(found.simple.policy, daily, setup_cost=7).roi / 500
    [habit] = best.rules
    shares = [f"{roi / best.best.roi:.0%}" for roi in (ours, habit.roi)]
    print(f"spread {spread}: ours {shares[0]}, p < 0.05 {shares[1]}")

# %% [markdown]
# These are shares of the best that could be earned. If ideas are better than we think, next to
# nothing is lost. If they are worse, our rule is too hasty, and still earns twice what waiting for
# significance does, which wins nowhere:
#
# > spread 0.005: ours 62%, p < 0.05 29%
#
# ## The decision
#
# Put up the sticky note, and begin to keep a log. After some dozen tests it says more about ideas
# than any guess: `dwell.fit_prior` finds what they are worth.
#
# ## What to try next
#
# - `found.to_frame()` has every way of testing with all its figures.
# - With a log, [evaluate](evaluate.md) it: that needs no guess.
# - Have the rule run, and get better on its way: [a live programme](programme.md).

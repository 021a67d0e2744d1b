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
# # A live programme
#
# *Six ideas start on Monday. Every morning, for each of them: ship it, drop it, or keep testing?*
#
# A programme is told what was observed, day by day, and gives advice. What each test teaches about
# the ideas of this team makes the limits of the next ones better. It begins with what is known: 300
# past tests of two weeks each, as counts of users and buyers in both arms (made up, as the tests
# below).

# %%
import numpy as np

import dwell
from dwell import Batch

users, days = 500, 14
rng = np.random.default_rng(7)
lifts = rng.normal(-0.002, 0.01, 300)
n = np.full(300, users * days)
past = dwell.PastSums.of_counts(
    n, rng.binomial(n, 0.10), n, rng.binomial(n, 0.10 + lifts), dwell.Lift(0.10)
)
shop = dwell.Programme.create(
    "memory:", "shop", law=dwell.Lift(0.10), cap=7_000, setup_cost=3_500, past=past
)
shop.learner().pool_knowledge()

# %% [markdown]
# Before the first test runs, that is what the past says of the ideas of this team:
#
# > About 31 % of ideas help (9.3 to 68 %)
#
# `"memory:"` forgets everything when the notebook closes; `"sqlite:///tests.db"` or an address of
# PostgreSQL keeps it.
#
# ## Two days later
#
# Six ideas, and what they are really worth, which nobody knows:

# %%
names = ["blue-button", "one-page", "gift-note"]
names += ["sticky-bar", "free-returns", "photo-zoom"]
truth = dict(zip(names, np.random.default_rng(3).normal(-0.002, 0.01, 6)))
for name in names:
    shop.begin(name)


decided = {}


def day(number):
    for test in shop.tasks():
        rates = [0.10, 0.10 + truth[test.name]]
        control, treated = rng.binomial(users, rates).tolist()
        advice = test.tell(
            control=Batch(users, control),
            treatment=Batch(users, treated),
            key=f"day {number}",  # telling a day twice changes nothing
        )
        if advice.decision:
            decided.setdefault(test.name, (number, str(advice)[:4].lower()))


day(1)
day(2)
shop

# %% [markdown]
# The first line is for the morning; a path that leaves the leaf is a decision. Some tests run on
# after theirs: the samples that follow are the ones that judge the rule without bias.
#
# ## One test
#
# What about the blue button?

# %%
shop.task("blue-button")

# %%
shop.task("blue-button").figure()

# %% [markdown]
# ## Two weeks later

# %%
for number in range(3, 15):
    day(number)
print(shop)

# %% [markdown]
# > 6 tests begun so far: 1 to ship, 5 to drop, 0 abandoned.
#
# How long did that take, and was it right?

# %%
for name, (number, verdict) in decided.items():
    worth = f"{100 * truth[name]:+.1f} percentage points"
    print(f"day {number:2}: {verdict} {name:13} really worth {worth}")

# %% [markdown]
# > drop gift-note     really worth +0.2 percentage points
#
# ## The decision
#
# Ship the blue button, drop the rest, and take the traffic for the next ideas. One small mistake is
# among them; to avoid it would have taken weeks, and other ideas are waiting.
#
# ## What to try next
#
# - `shop.task("blue-button").record("shipped")` says what people did about a decision.
# - `dwell serve` shows the same to a team, with a page that is up to date.
# - A warehouse and a cron job instead of a loop:
#   [From nothing to a live programme](../programme.md).

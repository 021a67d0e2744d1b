"""Current rules: how people stop tests, each rule with its source.

All but one are policies: boundaries on the running sum of observations whose mean is the value of
the idea and whose standard deviation is `sd`. `fdr_programme` judges an idea by the ideas before
it, so that it is no policy; it is simulated.
"""

from dwell.rules.bayes import posterior
from dwell.rules.discovery import Control, Discovered, fdr_programme
from dwell.rules.mixture import msprt
from dwell.rules.rollout import rollout_profit, rollout_size, rollout_test
from dwell.rules.shipit import index_rule, shifted_linear
from dwell.rules.significance import fixed_test, powered_size, powered_test
from dwell.rules.spending import Spending, group_sequential, z_boundaries

__all__ = [
    "Control",
    "Discovered",
    "Spending",
    "fdr_programme",
    "fixed_test",
    "group_sequential",
    "index_rule",
    "msprt",
    "posterior",
    "powered_size",
    "powered_test",
    "rollout_profit",
    "rollout_size",
    "rollout_test",
    "shifted_linear",
    "z_boundaries",
]

"""Planning: the most that testing can earn, which policy gets there, and what rules leave."""

from dwell.planning.band import Band
from dwell.planning.comparison import Plan, plan, rule_names
from dwell.planning.option import Option
from dwell.planning.past import Fitted, Past, fitted
from dwell.planning.practice import RULES
from dwell.planning.terms import Terms

__all__ = [
    "RULES",
    "Band",
    "Fitted",
    "Option",
    "Past",
    "Plan",
    "Terms",
    "fitted",
    "plan",
    "rule_names",
]

"""Planning: the most that testing can earn, which policy gets there, and what rules leave."""

from dwell.planning.band import Band
from dwell.planning.comparison import Plan, plan, rule_names
from dwell.planning.current_rules import RULES
from dwell.planning.option import Option
from dwell.planning.past import Fitted, PastTests, fitted
from dwell.planning.terms import Terms

__all__ = [
    "RULES",
    "Band",
    "Fitted",
    "Option",
    "PastTests",
    "Plan",
    "Terms",
    "fitted",
    "plan",
    "rule_names",
]

"""What every learner promises, as checks that anybody can run on a learner of their own.

They go with any test runner: `check_learner` runs all of them, `CHECKS` has them by name.
"""

from dwell.testing.driving import Subject as Subject
from dwell.testing.driving import in_a_row as in_a_row
from dwell.testing.driving import recorded as recorded
from dwell.testing.driving import side_by_side as side_by_side
from dwell.testing.promises import CHECKS as CHECKS
from dwell.testing.promises import check_learner as check_learner

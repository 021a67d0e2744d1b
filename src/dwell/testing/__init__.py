"""What every learner and every store promises, as checks that anybody can run on their own.

They go with any test runner: `check_learner` and `check_store` run all of them, `CHECKS` and
`STORE_CHECKS` have them by name.
"""

from dwell.testing.driving import Subject as Subject
from dwell.testing.driving import in_a_row as in_a_row
from dwell.testing.driving import recorded as recorded
from dwell.testing.driving import side_by_side as side_by_side
from dwell.testing.promises import CHECKS as CHECKS
from dwell.testing.promises import check_learner as check_learner
from dwell.testing.stores import STORE_CHECKS as STORE_CHECKS
from dwell.testing.stores import check_store as check_store

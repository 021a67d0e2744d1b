"""The checks of the paper's claims can fail."""

import json
from math import isnan
from pathlib import Path

import numpy as np
import pytest

from dwell import Cape
from dwell.cli.output import Outputs
from dwell.cli.reproduce import check_claims
from dwell.lab.claims import CLAIMS
from dwell.lab.claims.finding import Effort, fit_slope
from dwell.learners.design import Design
from dwell.records import Records


class Reversed(Cape):
    """Keeps what it should eliminate, and eliminates what it should keep."""

    def take(self, design: Design, records: Records) -> int:
        before = self.state.eliminated_at.copy()
        taken = super().take(design, records)
        eliminated = self.state.eliminated_at
        if (eliminated != before).any():
            self.state.eliminated_at = np.where(eliminated == 0, self.state.explored, 0)
        return taken


def test_a_learner_with_its_elimination_reversed_is_found_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rows on elimination and on rates fail, and so does the command."""
    effort, report = Effort(quick=True, cape=Reversed), tmp_path / "report.json"
    assert check_claims(["elimination", "rates"], effort, Outputs(out=report)) == 1
    printed = capsys.readouterr().out
    assert printed.count("FAILS") == 2
    assert "holds" not in printed
    assert "2 of 2 checked claims FAIL: elimination, rates." in printed
    assert [found["holds"] for found in json.loads(report.read_text())["rows"]] == [False, False]


@pytest.mark.parametrize("claim", ["elimination", "rates"])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_learner_as_it_should_be_passes_with_other_seeds_too(claim: str, seed: int) -> None:
    """What the reversed learner fails does not hang on a lucky seed."""
    assert CLAIMS[claim](Effort(quick=True, seed=seed)).holds


def test_a_slope_through_what_has_no_logarithm_is_no_number() -> None:
    """A regret that is not positive fails its claim, without a warning."""
    assert isnan(fit_slope([1, 10, 100], [1, 0, -1]).exponent)

"""The paper, reproduced: what was found of each claim, as a table, as JSON and as a page."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from dwell.lab.claims.finding import Effort, Finding
from dwell.report.charts import drawn
from dwell.report.page import Section, page
from dwell.report.tables import Grid

TITLE = "What the paper claims, and what was measured."


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What was found, and how it was looked for."""

    findings: Sequence[Finding]
    effort: Effort

    @property
    def failed(self) -> list[str]:
        """The claims that do not hold."""
        return [finding.claim for finding in self.findings if not finding.holds]

    @property
    def corrected(self) -> list[str]:
        """The claims that hold once the printed text is put right."""
        return [f.claim for f in self.findings if f.holds and f.correction]

    @property
    def conclusion(self) -> str:
        """The outcome in one sentence."""
        count = len(self.findings)
        corrected = ", ".join(self.corrected)
        if self.failed:
            told = f"{len(self.failed)} of {count} checked claims FAIL: {', '.join(self.failed)}"
            return f"{told}; with a correction holds {corrected}." if corrected else f"{told}."
        if not corrected:
            return (
                "The one checked claim holds."
                if count == 1
                else f"All {count} checked claims hold."
            )
        if count == 1:
            return f"The one checked claim holds with a correction: {corrected}."
        as_printed = count - len(self.corrected)
        return (
            f"Of {count} checked claims {as_printed} hold{'s' * (as_printed == 1)} as printed and "
            f"{len(self.corrected)} with a correction: {corrected}."
        )

    def grid(self) -> Grid:
        """The table of `dwell reproduce`."""
        return Grid(
            ("claim", "in the paper", "stated", "measured", "verdict"),
            tuple((f.claim, f.place, f.stated, f.measured, f.verdict) for f in self.findings),
            marked=self._failed_rows,
            left=5,
            shares=(0, 3, 5, 6, 3),
        )

    def about(self) -> dict[str, object]:
        """How it was looked for, and what came out of it."""
        return {
            "claims": [finding.claim for finding in self.findings],
            "quick": self.effort.quick,
            "seed": self.effort.seed,
            "conclusion": self.conclusion,
        }

    def rows(self) -> list[dict[str, object]]:
        """All findings; the same for the same seed, whoever computed them."""
        return [
            # A chart shows nothing that is not among the figures.
            {f.name: getattr(finding, f.name) for f in fields(finding) if f.name != "charts"}
            | {"verdict": finding.verdict}
            for finding in self.findings
        ]

    def html(self) -> str:
        """The report as a page that needs no network."""
        overview = Grid(
            ("claim", "in the paper", "verdict"),
            tuple((f.claim, f.place, f.verdict) for f in self.findings),
            marked=self._failed_rows,
            left=3,
        )
        how = "quick" if self.effort.quick else "full"
        introduction = (
            "Every claim of the paper behind dwell, checked against figures that are computed "
            "exactly: what the paper states, what was measured (± one Monte Carlo standard "
            "error), and what that means to someone who runs tests.",
            f"{self.conclusion} This was the {how} check, with seed {self.effort.seed}.",
        )
        sections = [Section("Overview", table=overview)]
        for finding in self.findings:
            sections += _sections(finding)
        return page(TITLE, introduction, sections, name="Reproduce")

    @property
    def _failed_rows(self) -> frozenset[int]:
        return frozenset(i for i, finding in enumerate(self.findings) if not finding.holds)


def _sections(finding: Finding) -> list[Section]:
    told = Section(
        f"{finding.claim.capitalize()} ({finding.place})",
        terms=(
            ("The paper states", finding.stated),
            ("Measured", finding.measured),
            ("Verdict", finding.verdict),
            *((("Correction", finding.correction),) if finding.correction else ()),
            ("In practice", finding.words),
        ),
    )
    charts = []
    for chart in finding.charts:
        figure, caption = drawn(chart)
        charts.append(Section(chart.title, figure=figure, caption=caption, level=3))
    return [told, *charts]

"""The log and the policies that the benchmarks of `evaluate` share."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import nextafter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from dwell import Gaussian, Normal, Policies, Policy, Report, banded, evaluate, fixed
from dwell.arrays import FloatArray
from dwell.history.datasets.synthetic_log import generate

THREADS = 2
SD = 1.0
CAP = 2000  # the median of tests' lengths
WIDTHS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)


@contextmanager
def generated(rows: int) -> Iterator[Path]:
    """A Parquet file of so many raw rows, to the end of a test, for as long as it is needed."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "log.parquet")
        generate(path, rows=rows, law=Gaussian(SD), prior=Normal(0.0, 0.05))
        yield path


def rows_of(path: Path) -> int:
    return int(parquet.read_metadata(path).num_rows)


def seven() -> dict[str, Policy]:
    """Bands of six widths and a fixed size, all with one cap."""
    bands = Policies(banded([CAP], z=width, sd=SD)[0] for width in WIDTHS)
    every = [each for each in (*bands, fixed(CAP, nextafter(0.0, 1.0))) if isinstance(each, Policy)]
    return dict(zip((*(f"band {width:g}" for width in WIDTHS), "fixed"), every, strict=True))


def many(path: Path) -> dict[str, Policy]:
    """Bands of six widths and fixed sizes, of a dozen caps up to the longest test."""
    longest = compute.max(parquet.read_table(path, columns=["order"])["order"]).as_py() - 1
    caps = sorted({int(cap) for cap in np.geomspace(1, longest, 12).round()})
    found = {f"fixed {cap}": fixed(cap, nextafter(0.0, 1.0)) for cap in caps}
    for width in WIDTHS:
        for cap, band in zip(caps, banded(caps, z=width, sd=SD), strict=True):
            assert isinstance(band, Policy)
            found[f"band {width:g} to {cap}"] = band
    return dict(sorted(found.items(), key=lambda item: item[1].cap))


def check_alike(
    path: Path,
    policies: Mapping[str, Policy],
    durations: FloatArray,
    accepts: FloatArray,
    rewards: FloatArray,
) -> Report:
    """Check that a rival finds what `evaluate` finds: a row per test, a column per policy."""
    report = evaluate(path, policies)
    assert [each.name for each in report.replayed.candidates] == list(policies)
    replay = report.replayed.replay
    for k in range(len(policies)):
        np.testing.assert_array_equal(durations[:, k], replay.durations(k))
        np.testing.assert_array_equal(accepts[:, k], replay.accepts(k))
        np.testing.assert_allclose(rewards[:, k], replay.rewards(k), rtol=0.0, atol=1e-9)
    return report

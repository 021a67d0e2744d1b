"""Drawing signs against the line of NumPy that everybody writes."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.duel import Duel
from benchmarks.work import MOSTLY_NULL
from dwell.arrays import FloatArray


def numpy_signs(values: FloatArray, samples: int, rng: np.random.Generator) -> NDArray[np.int8]:
    plus = rng.random((len(values), samples)) < (1.0 + values[:, None]) / 2.0
    return plus.view(np.int8) * np.int8(2) - np.int8(1)


def duels() -> Iterator[Duel]:
    values = MOSTLY_NULL.sample_values(20_000, rng=1)
    ours, rival = np.random.default_rng(2), np.random.default_rng(2)
    yield Duel(
        name="draw/numpy-random",
        ours=lambda: MOSTLY_NULL.law.sample(values, 100, ours),
        rival=lambda: numpy_signs(values, 100, rival),
        work=len(values) * 100,
        unit="sample",
    )

"""Whether two arms that were to be equal in size are: the test for a sample-ratio mismatch."""

import numpy as np
from scipy.special import erfc

from dwell.arrays import FloatArray, IntArray

# A test whose arms differ this much in size was not split as planned; so many do by chance.
MISMATCH = 0.001


def sample_ratio_p_values(controls: IntArray, treated: IntArray) -> FloatArray:
    """Each test's chi-square p-value of arms that were to be equal in size.

    Example:
        >>> float(sample_ratio_p_values(np.array(900), np.array(1100)).round(6))
        8e-06
    """
    p_values: FloatArray = erfc(
        np.abs(treated - controls) / np.sqrt(2.0 * np.maximum(controls + treated, 1))
    )
    return p_values

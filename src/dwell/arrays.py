"""Names for the array types that signatures use."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Durations = NDArray[np.int32]
Decisions = NDArray[np.int8]
Samples = NDArray[Any]  # of int8 or float64

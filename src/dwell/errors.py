"""Every error and warning that dwell raises on purpose.

An error's text names the thing, the value and the next step, so that a command can print it as it
is and stop.
"""


class DwellError(Exception):
    """The root of all errors of this package."""


class InvalidInput(DwellError, ValueError):
    """Something that was given cannot be worked with."""


class NotThere(InvalidInput):
    """What was named is not there."""


class Clash(InvalidInput):
    """What was asked for does not go together with what is there."""


class LooksAhead(InvalidInput):
    """A stopping rule used samples that it had not drawn yet."""


class NotOrdered(InvalidInput):
    """Rows of a log do not come test by test, each in its order."""


class MissingExtra(DwellError, ImportError):
    """A library is not installed that this part of the package needs."""


class NothingWorthTesting(DwellError):
    """No policy earns more than it would to test nothing at all."""


class CannotWrite(DwellError, OSError):
    """A result could not be written; nothing was left behind."""


class Conflict(DwellError):
    """A log has grown since it was read: read on, and decide anew."""


class KeyTaken(DwellError):
    """An event of a log has this key already."""


class VacuousGuarantee(UserWarning):
    """A learner was made for too few tasks for its guarantee to say anything."""


class BoundTooSmall(UserWarning):
    """Samples leave the range that a learner was told they lie in: its bounds do not hold."""


class UncertainPrior(UserWarning):
    """A prior was fitted to tests that say little about it."""

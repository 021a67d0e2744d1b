"""Shows the examples of docstrings as code on the docs site.

What builds the site knows a section `Examples:`; ours are called `Example:`, since there is one.
"""

import re

from griffe import Extension, Object


class OneExample(Extension):
    """Reads `Example:` as `Examples:`."""

    def on_object(self, *, obj: Object, **_: object) -> None:
        """Rename the section of each docstring."""
        if obj.docstring is not None:
            obj.docstring.value = re.sub(r"(?m)^Example:$", "Examples:", obj.docstring.value)

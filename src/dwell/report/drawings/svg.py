"""Small drawings: texts of SVG made without numpy, as a page has hundreds of them."""

from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

Point = tuple[float, float]


def short(value: float) -> str:
    """A coordinate with a digit after the point, if it has one.

    Example:
        >>> short(3.0), short(3.14159)
        ('3', '3.1')
    """
    text = f"{value:.1f}"
    return text[:-2] if text.endswith(".0") else text


def line(points: Iterable[Point]) -> str:
    """A path through points.

    Example:
        >>> line([(0, 1), (2.25, 3)])
        'M0 1L2.2 3'
    """
    return "M" + "L".join(f"{short(x)} {short(y)}" for x, y in points)


def steps(points: Sequence[Point]) -> str:
    """A path that stays where it is until the next point.

    Example:
        >>> steps([(0, 5), (3, 2)])
        'M0 5H3V2'
    """
    (x, y), *rest = points
    return f"M{short(x)} {short(y)}" + "".join(f"H{short(x)}V{short(y)}" for x, y in rest)


def path(kind: str, drawn: str) -> str:
    """A line or an area of a class."""
    return f'<path class="{kind}" d="{drawn}"/>'


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """Words at a place, whatever they hold.

    Example:
        >>> text(1.0, 2.5, "<b> & co")
        '<text class="tx " x="1" y="2.5">&lt;b&gt; &amp; co</text>'
    """
    return f'<text class="tx {kind}" x="{short(x)}" y="{short(y)}">{escape(words)}</text>'


def straight(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    """A straight line."""
    ends = f'x1="{short(x1)}" y1="{short(y1)}" x2="{short(x2)}" y2="{short(y2)}"'
    return f'<line class="{kind}" {ends}/>'


def dot(x: float, y: float, radius: float, kind: str = "dot") -> str:
    """A dot."""
    return f'<circle class="{kind}" cx="{short(x)}" cy="{short(y)}" r="{radius:g}"/>'


def triangle(x: float, y: float, size: float, *, up: bool) -> str:
    """What a verdict looks like: up to ship, down to drop."""
    tip = -size if up else size
    kind = "m-ship rim" if up else "m-drop rim"
    return path(
        kind,
        line([(x - size, y - 0.5 * tip), (x + size, y - 0.5 * tip), (x, y + 1.25 * tip)]) + "Z",
    )


def drawing(
    width: float,
    height: float,
    parts: Iterable[str],
    label: str = "",
    *,
    kind: str = "",
    fixed: bool = False,
    titled: str = "",
) -> Markup:
    """A drawing of a size.

    Args:
        width: How wide.
        height: How high.
        parts: What is drawn.
        label: What it says, for those who do not see it; without it is ornament.
        kind: Its class.
        fixed: Whether it keeps its size, or grows with the place that it has.
        titled: The id of what says it, instead of a label.
    """
    size = f' width="{width:g}" height="{height:g}"' if fixed else ""
    named = f' class="{kind}"' if kind else ""
    if titled:
        said = f'role="img" aria-labelledby="{titled}"'
    else:
        said = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return Markup(
        f'<svg{named}{size} viewBox="0 0 {width:g} {height:g}" {said}>{"".join(parts)}</svg>'
    )


def interval(
    low: float,
    middle: float,
    high: float,
    reach: tuple[float, float],
    *,
    width: float = 176.0,
    out: bool = False,
    label: str = "",
    origin: bool = False,
) -> Markup:
    """An interval with its middle, and a mark at 0.

    Args:
        low: Where it begins.
        middle: What is in its middle.
        high: Where it ends.
        reach: From where to where the drawing goes.
        width: How wide it is.
        out: Whether it counts less.
        label: What it says.
        origin: Whether the mark says 0.
    """
    least, most = reach
    scale = (width - 8.0) / ((most - least) or 1.0)

    def at(value: float) -> float:
        return 4.0 + scale * (min(max(value, least), most) - least)

    words = []
    if origin and at(low) - at(0.0) > 20.0:  # beside the mark, where nothing else is
        words = [text(at(0.0) + 5.0, 12.0, "0")]
    elif origin and at(0.0) > 16.0 and low >= 0.0:
        words = [text(at(0.0) - 5.0, 12.0, "0", "e")]
    return drawing(
        width,
        16.0,
        [
            straight("zero", at(0.0), 0.0, at(0.0), 16.0),
            *words,
            straight("ci out" if out else "ci", at(low), 8.0, at(high), 8.0),
            dot(at(middle), 8.0, 4.0, "m-mid" if out else "m-ink"),
        ],
        label,
        fixed=True,
    )


def meter(share: float, label: str, width: float = 132.0) -> Markup:
    """How much of a whole there is."""
    filled = width * min(1.0, max(0.0, share))
    return drawing(
        width,
        6.0,
        [
            f'<rect class="m-soft" width="{width:g}" height="6" rx="3"/>',
            f'<rect class="m-ink" width="{short(filled)}" height="6" rx="3"/>',
        ],
        label,
        kind="meter",
        fixed=True,
    )

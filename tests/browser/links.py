"""Links of a site on a disk."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Seen(HTMLParser):
    """What a page links to, and what can be linked to within it.

    Args:
        page: The page.
    """

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.page = page
        self.links: list[str] = []
        self.anchors = {""}
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take what counts of a tag."""
        given = dict(attrs)
        self.anchors |= {str(given[name]) for name in ("id", "name") if given.get(name)}
        if tag in ("a", "img", "link", "script"):
            self.links += [str(given[name]) for name in ("href", "src") if given.get(name)]

    def targets(self) -> list[tuple[str, Path, str]]:
        """Links to files, each as it stands there, its file, and the place within it."""
        found = []
        for link in self.links:
            parts = urlsplit(link)
            if not parts.scheme:
                path = self.page.parent / unquote(parts.path) if parts.path else self.page
                found.append((link, path.resolve(), unquote(parts.fragment)))
        return found


def pages_of(site: Path) -> dict[Path, Seen]:
    """All pages of a site but the one for what is not there, which names files by their address."""
    paths = (path for path in site.rglob("*.html") if path.name != "404.html")
    return {path.resolve(): Seen(path) for path in sorted(paths)}


def broken(pages: dict[Path, Seen]) -> list[str]:
    """Links that lead to nothing."""
    return [
        f"{path.name}: {link}"
        for path, seen in pages.items()
        for link, target, place in seen.targets()
        if not target.is_file() or (target in pages and place not in pages[target].anchors)
    ]

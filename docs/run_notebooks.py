"""Runs the notebooks and writes them as pages, with what each cell showed.

What a notebook quotes (lines that begin with >) must stand in what the cells before it have shown:
so a text cannot claim what is not so. `make docs` runs it.
"""

import html
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from plots import plot, scripts, write_shared

FOLDER = Path(__file__).parent / "notebooks"
_PLOTLY = "application/vnd.plotly.v1+json"


class NotSaid(Exception):
    """A notebook quotes what none of its cells has shown."""


def run(source: Path) -> Any:
    """The notebook with the outputs of its cells; its quotes were checked.

    Args:
        source: The notebook as a text.
    """
    notebook = jupytext.read(source)
    with tempfile.TemporaryDirectory() as folder:
        # Nothing is listened to, nothing is left behind, and figures come as data.
        os.environ.update(IPYTHONDIR=folder, PLOTLY_RENDERER="plotly_mimetype")
        manager = KernelManager(kernel_name="python3", transport="ipc")
        manager.connection_file = f"{folder}/kernel.json"
        try:
            NotebookClient(notebook, km=manager, timeout=300, coalesce_streams=True).execute()
        finally:
            manager.shutdown_kernel(now=True)
    check_quotes(notebook)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if _PLOTLY in output.get("data", {}):
                # Where nothing draws plotly's figures, at least their title is shown.
                title = output.data[_PLOTLY]["layout"]["title"]["text"]
                output.data["text/plain"] = f"Figure: {title}"
    return notebook


def check_quotes(notebook: Any) -> None:
    """Refuses a notebook that quotes what none of its cells before has shown.

    Args:
        notebook: A notebook that was run.
    """
    said = ""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            said += "".join(map(_text, cell.outputs))
            continue
        for quote in quotes(cell.source):
            if _plain(quote) not in _plain(said):
                raise NotSaid(f"no cell before it has shown what is quoted: {quote}")


def quotes(text: str) -> list[str]:
    r"""What a text quotes.

    Example:
        >>> quotes("They say:\n> one\n> two\n\nand\n> three")
        ['one two', 'three']
    """
    found = re.findall(r"(?m)(?:^> .*\n?)+", text)
    return [" ".join(line[2:] for line in quote.splitlines()) for quote in found]


def page(notebook: Any, name: str) -> str:
    """The notebook as Markdown.

    Args:
        notebook: A notebook that was run.
        name: What its files are called.
    """
    parts, figures = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        for output in cell.outputs:
            figures = figures or _PLOTLY in output.get("data", {})
            parts.append(_shown(output))
    files = f"[a notebook with its outputs]({name}.ipynb) and as [a text]({name}.py)"
    parts.append(f"This page is {files}.")
    return "\n\n".join([*parts, scripts("../") if figures else ""]) + "\n"


def _text(output: Any) -> str:
    if output.output_type == "stream":
        return str(output.text)
    return str(output.data.get("text/plain", ""))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _shown(output: Any) -> str:
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```"
    data = output.data
    if _PLOTLY in data:
        return plot(data[_PLOTLY])
    if "text/html" in data:
        return re.sub(r"\n\s*\n", "\n", data["text/html"])
    return f"<pre>{html.escape(data['text/plain'])}</pre>"


if __name__ == "__main__":
    write_shared()
    for each in sorted(FOLDER.glob("*.py")):
        made = run(each)
        nbformat.write(made, each.with_suffix(".ipynb"))
        each.with_suffix(".md").write_text(page(made, each.stem), encoding="utf-8")

"""Writes the page of all calls of the HTTP API from its own description (OpenAPI).

`make docs` runs it: the page is made anew for each site, so that it cannot be out of date.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dwell.programme.stores.memory import MemoryStore
from dwell.service.api.description import described
from dwell.service.app import create_app

_PAGE = Path(__file__).parent / "reference" / "calls.md"
_HEAD = """# Calls of the HTTP API

Every call that `dwell serve` answers, from its own description: `/api/v1/openapi.json` has the same
for programs, and `/api` a form for each. [The HTTP API](../http.md) says what holds for all of
them: names, repeating, hooks, limits. [Call it over HTTP](../how-to/http.md) begins with examples.
"""
Part = dict[str, Any]


class Calls:
    """The calls of an API, as a page.

    Args:
        description: The API's description.
    """

    def __init__(self, description: Part) -> None:
        self.schemas = description["components"]["schemas"]
        self.tags = description["tags"]
        self.calls = [
            (f"{method.upper()} {path}", call)
            for path, methods in description["paths"].items()
            for method, call in methods.items()
        ]
        answers = [set(call["responses"]) for _, call in self.calls]
        self.usual = sorted(status for status in set.intersection(*answers) if status >= "400")

    def page(self) -> str:
        """The page."""
        return "\n\n".join([_HEAD.strip(), *self._parts()]) + "\n"

    def _parts(self) -> Iterator[str]:
        _, any_call = self.calls[0]
        rows = [
            (
                f"[{call['summary']}](#{_anchor(call)})",
                f"`{line.replace('/api/v1', '')}`",
                call.get("x-scope", ""),
            )
            for line, call in self.calls
        ]
        yield "Paths are below `/api/v1`, but for the operations: these are at the root."
        yield _table(("call", "method and path", "scope"), rows)
        yield "Any of them may answer with these problems:"
        yield self._answers(any_call, self.usual)
        for tag in self.tags:
            yield f"## {tag['name']}\n\n{tag['description']}"
            for line, call in self.calls:
                if call["tags"] == [tag["name"]]:
                    yield from self._call(line, call)
        yield "## Documents\n\nWhat is sent and answered, field by field."
        for name, schema in self.schemas.items():
            yield f"### {name}\n\n{schema.get('description', 'A form.')}"
            yield self._fields(schema)

    def _call(self, line: str, call: Part) -> Iterator[str]:
        scope = f"scope `{call['x-scope']}`" if "x-scope" in call else "no token is needed"
        yield f"### {call['summary']}"
        yield f"```http\n{line}\n```\n\n{scope.capitalize()}.\n\n{call['description']}"
        if "parameters" in call:
            rows = [
                (f"`{each['name']}`", f"in the {each['in']}", each["description"])
                for each in call["parameters"]
            ]
            yield _table(("parameter", "where", "what it is"), rows)
        if "requestBody" in call:
            [(kind, content)] = call["requestBody"]["content"].items()
            name, schema = self._named(content["schema"])
            yield f"Sent, as `{kind}`: [{name}](#{name.lower()})"
            if kind == "application/json":
                yield _code(self._example(schema))
        yield self._answers(call, [each for each in call["responses"] if each not in self.usual])

    def _answers(self, call: Part, statuses: list[str]) -> str:
        rows = []
        for status in statuses:
            answer = call["responses"][status]
            name, _ = self._named(next(iter(answer["content"].values()))["schema"])
            document = f"[{name}](#{name.lower()})" if name else ""
            rows.append((status, answer["description"], document))
        return _table(("answer", "what it says", "document"), rows)

    def _fields(self, schema: Part) -> str:
        needed = schema.get("required", ())
        rows = [
            (f"`{name}`", self._kind(each), "yes" if name in needed else "", each["description"])
            for name, each in schema.get("properties", {}).items()
        ]
        return _table(("field", "kind", "always", "what it is"), rows)

    def _kind(self, schema: Part) -> str:
        """What a field holds, in a word or two."""
        name, _ = self._named(schema)
        if name:
            kind = f"[{name}](#{name.lower()})"
        elif "enum" in schema:
            kind = " or ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
        elif schema.get("type") == "array":
            kind = f"list of {self._kind(schema['items'])}"
        elif "anyOf" in schema:
            kind = " or ".join(map(self._kind, schema["anyOf"]))
        else:
            kind = schema.get("type", "any")
        return f"{kind} or null" if schema.get("nullable") else kind

    def _named(self, schema: Part) -> tuple[str, Part]:
        """The document that a part refers to, and its name; itself if it refers to none."""
        for each in (schema, *schema.get("allOf", ())):
            if "$ref" in each:
                name = each["$ref"].rpartition("/")[2]
                return name, self.schemas[name]
        return "", schema

    def _example(self, schema: Part) -> Any:
        """What might be sent, by the examples of the description."""
        _, schema = self._named(schema)
        if "example" in schema:
            return schema["example"]
        needed = schema.get("required", schema.get("properties", {}))
        return {name: self._example(schema["properties"][name]) for name in needed}


def _anchor(call: Part) -> str:
    """What a link to a call ends with: the words of its heading."""
    return re.sub(r"\W+", "-", call["summary"].lower())


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    cells = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def _code(example: Any) -> str:
    return f"```json\n{json.dumps(example, ensure_ascii=False)}\n```"


def page() -> str:
    """The page."""
    return Calls(described(create_app(store=MemoryStore()))).page()


if __name__ == "__main__":
    _PAGE.write_text(page(), encoding="utf-8")

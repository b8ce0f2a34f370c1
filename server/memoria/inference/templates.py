"""Prompts: the texts of the requests to a chat model, in `prompts/NAME.md`.

A file begins with its front matter, a `name: value` a line: name, version, purpose, inputs, output.
Then come a chapter `# Instructions`, which is sent as it stands, and a chapter `# Text`, in which
`{{input}}` stands for an input.

Inputs are data, whatever they say. A placeholder alone on its line becomes a block between fences
of backticks, always more than the input has in a row: so no input can end its own fence, and its
visible characters stay as they are (quotes must be found again). Invisible characters are left out.
Within a line an input becomes a JSON string.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import MemoriaError
from memoria.inference.chat.base import AnswerT, ChatRequest
from memoria.language.reading.fences import drop_invisible, fence_block

_FILE = lazy_regex(
    r"---\n(?P<front>.*?)\n---\n\s*# Instructions\n(?P<instructions>.*?)\n# Text\n(?P<text>.*)",
    re.DOTALL,
)
_FIELDS = ("name", "version", "purpose", "inputs", "output")
_END = lazy_regex("[\x85\u2028\u2029]")
"""Matches what may be taken for the end of a line, and what JSON does not escape."""
_PLACEHOLDER = lazy_regex(r"(?m)^\{\{(?P<block>\w+)\}\}$|\{\{(?P<inline>\w+)\}\}")


class TemplateError(MemoriaError):
    """Raised for a malformed prompt file, or for missing inputs: a mistake in Memoria itself."""


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt's file."""

    name: str
    version: int
    purpose: str
    inputs: tuple[str, ...]
    output: str
    instructions: str
    text: str

    @property
    def label(self) -> str:
        """Name and version of the prompt, as the log of calls has them."""
        return f"{self.name}/{self.version}"

    def render(self, **inputs: str) -> str:
        """Return the prompt's text with every input in its place.

        Raises:
            TemplateError: an input is missing, or not one of the prompt's.
        """
        if inputs.keys() != set(self.inputs):
            wrong = ", ".join(sorted(inputs.keys() ^ set(self.inputs)))
            raise TemplateError(f"prompts/{self.name}.md: missing or unknown inputs: {wrong}.")
        return _PLACEHOLDER.sub(lambda match: _fence_input(match, inputs), self.text)

    def build_request(
        self, answer: type[AnswerT], max_output_tokens: int, **inputs: str
    ) -> ChatRequest[AnswerT]:
        """Fill in the prompt, and return the request.

        Raises:
            TemplateError: an input is missing, or not one of the prompt's.
        """
        return ChatRequest(
            purpose=self.purpose,
            prompt=self.label,
            instructions=self.instructions,
            text=self.render(**inputs),
            answer=answer,
            max_output_tokens=max_output_tokens,
        )


@cache
def load_template(name: str) -> Template:
    """Load the prompt in `prompts/NAME.md`.

    Raises:
        TemplateError: the file is not as it should be.
    """
    return parse_template(name, _read_file(name))


def parse_template(name: str, content: str) -> Template:
    """Read a prompt from the text of its file.

    Raises:
        TemplateError: the text is not as it should be.
    """
    match = _FILE.fullmatch(content)
    if match is None:
        raise TemplateError(
            f"prompts/{name}.md needs a front matter between lines of ---, then the chapters "
            "# Instructions and # Text."
        )
    front = _parse_front_matter(name, match["front"])
    if tuple(front) != _FIELDS or front["name"] != name or not front["version"].isdecimal():
        raise TemplateError(
            f"prompts/{name}.md: the front matter has the fields {', '.join(_FIELDS)}, in this "
            "order; the name is the file's, the version a whole number."
        )
    made = Template(
        name=name,
        version=int(front["version"]),
        purpose=front["purpose"],
        inputs=tuple(filter(None, re.split(r"[,\s]+", front["inputs"]))),
        output=front["output"],
        instructions=match["instructions"].strip(),
        text=match["text"].strip(),
    )
    _check_placeholders(made)
    return made


def _parse_front_matter(name: str, text: str) -> dict[str, str]:
    """Return the front matter's fields, in their order."""
    front = dict[str, str]()
    for line in text.splitlines():
        field, colon, value = line.partition(":")
        if not colon:
            raise TemplateError(f"prompts/{name}.md: write `name: value` on each line of its head.")
        front[field.strip()] = value.strip()
    return front


def _check_placeholders(made: Template) -> None:
    used = {match["block"] or match["inline"] for match in _PLACEHOLDER.finditer(made.text)}
    if used != set(made.inputs):
        wrong = ", ".join(sorted(used ^ set(made.inputs)))
        raise TemplateError(f"prompts/{made.name}.md: declared or used, but not both: {wrong}.")
    if "{{" in made.instructions or "{{" in _PLACEHOLDER.sub("", made.text):
        raise TemplateError(
            f"prompts/{made.name}.md: a placeholder is {{{{name}}}}, and stands in # Text only."
        )


def _fence_input(match: re.Match[str], inputs: dict[str, str]) -> str:
    """Return an input as it is written into a prompt: fenced, or as a JSON string."""
    text = drop_invisible(inputs[match["inline"] or match["block"]])
    if match["inline"]:
        return _END.sub(_escape, json.dumps(text, ensure_ascii=False))
    return fence_block(text, match["block"])


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _read_file(name: str) -> str:
    """Read a prompt's file: in the installed package, or in a checkout at the top of the tree."""
    package = resources.files("memoria")
    installed = package.joinpath("prompts", f"{name}.md")
    if installed.is_file():
        return installed.read_text("utf-8")
    return (Path(str(package)).parent.parent / "prompts" / f"{name}.md").read_text("utf-8")

"""Texts of the viewer: every sentence is translated, and none is left over."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, nodes
from markupsafe import escape

import memoria.surface.http.viewer as package
from memoria.surface.http.viewer import phrases
from memoria.surface.http.viewer.areas import AREAS

_FOLDER = Path(package.__file__).parent
_FRAME = {
    *("Bad Request", "Forbidden", "Not Found", "Conflict", "Unprocessable Entity"),
    *("Unprocessable Content", "Internal Server Error", "Service Unavailable", "Look again"),
}
"""Titles that no page has: phrases of statuses, and the title of a page after an action."""
_FIELD = re.compile(r"\{(\w+)\}")


def _list_in_templates() -> Iterator[str]:
    for file in _FOLDER.glob("templates/*.html"):
        tree = Environment(autoescape=True).parse(file.read_text())
        for call in tree.find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "_":
                first = call.args[0]
                if isinstance(first, nodes.Const):
                    yield first.value


def _list_in_modules() -> Iterator[str]:
    """Yield the sentences of `Done`, and what modules mark by `sentence`."""
    for file in _FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                at = {"Done": 1, "sentence": 0}.get(node.func.id)
                if at is not None:
                    for part in ast.walk(node.args[at]):
                        if isinstance(part, ast.Constant) and isinstance(part.value, str):
                            yield part.value


def _read_chinese() -> dict[str, str]:
    texts = dict[str, str]()
    for file in sorted(_FOLDER.glob("texts/zh/*.toml")):
        for sentence, translated in tomllib.loads(file.read_text()).items():
            assert texts.get(sentence, translated) == translated, (file.name, sentence)
            texts[sentence] = translated
    return texts


def _list_sentences() -> set[str]:
    titles = {page.title for area in AREAS for page in area.pages}
    types = phrases.TYPES.values()
    return {*_list_in_templates(), *_list_in_modules(), *titles, *types, *_FRAME}


def test_every_sentence_is_translated_and_no_translation_is_left_over() -> None:
    sentences, chinese = _list_sentences(), _read_chinese()
    assert sorted(sentences - set(chinese)) == []
    assert sorted(set(chinese) - sentences) == []


def test_a_translation_has_the_fields_of_its_sentence_and_no_markup() -> None:
    for sentence, translated in _read_chinese().items():
        assert set(_FIELD.findall(translated)) == set(_FIELD.findall(sentence)), sentence
        for text in (sentence, translated):
            assert str(escape(text)).replace("&#39;", "'") == text

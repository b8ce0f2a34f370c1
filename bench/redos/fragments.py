"""Fragments: what texts are made of by repeating it, drawn from the words of the rules themselves.

A rule is slow with texts that it nearly fits: so a fragment has words of one rule and signs that
stand between words, at random.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import memoria

_PACKAGE = Path(memoria.__file__).parent
_FOLDERS = (
    *("language", "policy", "retrieval/query", "memories", "ingest", "surface/hook"),
    *(
        "lifecycle/core",
        "inference/chat",
        "connectors/sources",
        "admin/exports",
        "connectors/transcripts",
    ),
)
_WORD = re.compile(r"(?<!\\)[A-Za-z][a-z'’]{0,14}|[一-鿿]{1,6}|\d{1,4}")
_SIGNS = (
    *(
        " ",
        " ",
        " ",
        "\n",
        "\n\n",
        "\t",
        ".",
        ". ",
        ",",
        ", ",
        ";",
        ":",
        ": ",
        "!",
        "?",
        "-",
        " - ",
    ),
    *("…", "...", "—", "'", "’", '"', "“", "”", "`", "```", "(", ")", "[", "]", "{", "}", "<", ">"),
    *("</", "/", "\\", "@", "#", "*", "_", "=", "|", "&", "%", "$", "~", "^", "+", "<!--", "-->"),
    *("。", "，", "、", "；", "：", "？", "！", "「", "」", "『", "』", "（", "）", "《", "》"),
    *("\u3000", "\u200b", "a", "A", "1", "x1", "I ", "my ", "的", "我", "了", "> ", "- ", "1. "),
)
_MOST_PIECES = 6


def draw_fragments(count: int, seed: int) -> Iterator[str]:
    """Draw as many fragments; the same seed draws the same ones from the same rules."""
    chance = Random(seed)  # noqa: S311  (reproducible, not secret)
    rules = _list_rules()
    for _ in range(count):
        words = chance.choice(rules)
        pieces = chance.randint(1, _MOST_PIECES)
        yield "".join(_draw_piece(chance, words) for _ in range(pieces))


def _draw_piece(chance: Random, words: tuple[str, ...]) -> str:
    drawn = chance.random()
    if drawn < 0.4:  # noqa: PLR2004  (as often a sign as a word, and as often both)
        return chance.choice(_SIGNS)
    word = chance.choice(words)
    return word if drawn < 0.6 else word + chance.choice(_SIGNS)  # noqa: PLR2004


@cache
def _list_rules() -> tuple[tuple[str, ...], ...]:
    """List the words of every literal in the code of the rules."""
    files = sorted(file for folder in _FOLDERS for file in (_PACKAGE / folder).rglob("*.py"))
    literals = (
        node.value
        for file in files
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return tuple(words for text in literals if (words := tuple(_WORD.findall(text))))


def repeat(fragment: str, size: int) -> str:
    """Return a text of `size` characters that only repeats the fragment."""
    return (fragment * (size // len(fragment) + 1))[:size]

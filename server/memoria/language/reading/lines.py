"""Lines: puts stored text into answers so that it can't pass for a line of our own.

What nobody would see of it is shown.
"""

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.reading.invisible import show_invisible

_FENCE = lazy_regex("`{3,}")


def fence_block(text: str, label: str = "") -> str:
    """The text between fences of more backticks than it has in a row: it can't end them.

    Not a character of it is changed.
    """
    fence = "`" * (1 + max(map(len, _FENCE.findall(text)), default=2))
    return f"{fence}{label}\n{text}\n{fence}"


def indent_lines(text: str, indent: str) -> str:
    """The text with all lines but the first indented."""
    return show_invisible(f"\n{indent}".join(_split_lines(text)))


def join_lines(text: str) -> str:
    """The text in one line."""
    return show_invisible(" ".join(_split_lines(text)))


def _split_lines(text: str) -> list[str]:
    """The lines, ended by whatever a reader may take for an end; an empty one behind the last."""
    if text.isprintable():  # as nothing is that ends a line
        return [text]
    lines = f"{text}.".splitlines()  # with the dot a last end counts as well
    return [*lines[:-1], lines[-1][:-1]]

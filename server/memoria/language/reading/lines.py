"""Lines: stored text put into answers so that it can't pass for a line of our own.

Invisible characters in it are shown.
"""

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.reading.invisible import show_invisible

_FENCE = lazy_regex("`{3,}")


def fence_block(text: str, label: str = "") -> str:
    """Put a text between fences of more backticks than it has in a row: it can't end them.

    Not a character of it is changed.
    """
    fence = "`" * (1 + max(map(len, _FENCE.findall(text)), default=2))
    return f"{fence}{label}\n{text}\n{fence}"


def indent_lines(text: str, indent: str) -> str:
    """Indent all lines of a text but the first."""
    return show_invisible(f"\n{indent}".join(_split_lines(text)))


def join_lines(text: str) -> str:
    """Return the text in one line."""
    return show_invisible(" ".join(_split_lines(text)))


def _split_lines(text: str) -> list[str]:
    """Split at all that a reader may take for an end of line; a last end leaves an empty line."""
    if text.isprintable():  # as nothing is that ends a line
        return [text]
    lines = f"{text}.".splitlines()  # with the dot a last end counts as well
    return [*lines[:-1], lines[-1][:-1]]

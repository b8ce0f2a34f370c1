"""Lines: stored text among lines of our own, none of which it can pass for."""

import re

_END = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
"""All that a reader may take for the end of a line."""


def indent_lines(text: str, indent: str) -> str:
    """The text with its further lines indented."""
    return _END.sub(f"\n{indent}", text)


def join_lines(text: str) -> str:
    """The text without line ends, as a name or a place stands in a line."""
    return _END.sub(" ", text)

"""Colour with meaning: ids and times are dim, doubts magenta, what is done green, errors red.

The text says all of it without: nothing is coloured where the output is no terminal, where
NO_COLOR is set, or in JSON. Green, magenta and red alone can be read on
white and on black: yellow and cyan vanish on white, blue on black.
"""

import os
import re
import sys

from rich.console import Console
from rich.text import Text

_DOUBTS = "contradicted|pending[ _]confirmation|superseded|archived|outdated|undone since"
_DONE = (
    "Remembered|Remembered again|Corrected|Confirmed|Archived|Restored|Pinned|Unpinned|Voted up|"
    "Voted down|Seen everywhere|Seen in its project alone|Undone|Put back|Imported|Exported"
)
_STYLES = tuple(
    (re.compile(pattern, re.MULTILINE), style)
    for pattern, style in (
        (r"^ {4}\S.* · .*$", "dim"),
        (r"^ {4}[0-9a-f]{8,12}$", "dim"),
        (r"\[(?:memory|turn) [0-9a-f-]{8,36}\]", "dim"),
        (r"^ *(?:memory|turn|entity|run|report) [0-9a-f-]{8,36}$", "dim"),
        (r"^\d{4}-\d\d-\d\dT\d\d:\d\dZ?", "dim"),
        (r"^\d{4}-\d\d-\d\d$", "bold"),
        (rf"(?<= · )(?:{_DOUBTS})(?= · )", "not dim magenta"),
        (rf"(?<=[( ])(?:{_DOUBTS})(?=[,)])", "magenta"),
        (r"^ +(?:contradicts|outdated|out of date):", "magenta"),
        (r"^(?:note|warning):", "magenta"),
        (rf"^(?:{_DONE})(?=[ ,.:])", "green"),
        (r"^[A-Z][^.:\n]*: (?=memoria )", "bold"),
        (r"^>(?= )", "bold green"),
    )
)
"""Styles of our own lines, by a pattern. Later ones win."""


def has_colour() -> bool:
    """Check whether standard output is a terminal that is to have colour."""
    return not os.environ.get("NO_COLOR") and sys.stdout.isatty()


def print_coloured(text: str, console: Console) -> None:
    """Print a text of ours. What is stored in it has been made harmless before."""
    painted = Text(text)
    for pattern, style in _STYLES:
        painted.highlight_regex(pattern, style)
    console.print(painted)

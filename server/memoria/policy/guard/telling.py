"""How words before a mistake are put: one line, with what was run and what was said, quoted."""

import re
import time

_LONGEST_COMMAND = 220
_LONGEST_ERROR = 90
_LONGEST_QUOTE = 260
_BLANKS = re.compile(r"\s+")


def quote_code(text: str, most: int = _LONGEST_COMMAND) -> str:
    """Write code on one line, cut to what a line holds."""
    told = _BLANKS.sub(" ", text).strip().replace("`", "'")
    return f"`{told if len(told) <= most else told[: most - 1] + '…'}`"


def quote_words(text: str, most: int = _LONGEST_QUOTE) -> str:
    """Write somebody's words on one line."""
    told = _BLANKS.sub(" ", text).strip()
    return f"“{told if len(told) <= most else told[: most - 1] + '…'}”"


def name_day(at: int) -> str:
    """Return a date as `2026-03-02`."""
    return time.strftime("%Y-%m-%d", time.gmtime(at / 1000))


def name_error(keys: tuple[str, ...]) -> str:
    """Return the most telling error in parentheses; empty for none."""
    return f" ({keys[0][:_LONGEST_ERROR]})" if keys else ""

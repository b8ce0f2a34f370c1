"""Redaction of secrets in a text before it is stored; every other character stays as it was.

The finders in `language/secrets` know them: tokens by their vendors' published forms, and whatever
a name, a header, an address or a sentence says is a secret. There is no rule on entropy: hashes,
UUIDs and images must survive.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from memoria.language.secrets.finders import find_secrets
from memoria.language.secrets.span import MARKER_START, Span

# In a row of tokens each may be recognised only after its neighbour was replaced: a sweep each.
_MAX_SWEEPS = 8


@dataclass(frozen=True, slots=True)
class Redaction:
    """Number of secrets of one kind that were taken out."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class RedactedText:
    """A text without its secrets, and what they were."""

    text: str
    redactions: tuple[Redaction, ...]


def redact(text: str) -> RedactedText:
    """Replace every secret in `text` by `[redacted:KIND]`."""
    total: Counter[str] = Counter()
    # A marker can be the boundary that a neighbour lacked. So sweeps are repeated until nothing is
    # found, and redacting the result again changes nothing.
    for _ in range(_MAX_SWEEPS):
        spans = find_secrets(text)
        if not spans:
            break
        text = _replace(text, spans)
        total.update(span.kind for span in spans)
    return RedactedText(text, tuple(Redaction(kind, count) for kind, count in total.items()))


def holds_a_key(value: str) -> bool:
    """Check whether a value is a key or password, or contains one."""
    return bool(redact(value).redactions) or any(map(_opens, value.split()))


def _opens(word: str) -> bool:
    """Check whether a URL has a password, or a query, where some endpoints want the key."""
    try:
        parts = urlsplit(word.strip("\"'"))
    except ValueError:  # no URL is written like that
        return False
    return bool(parts.scheme and parts.netloc and (parts.password or parts.query))


def _replace(text: str, spans: Sequence[Span]) -> str:
    pieces, end = list[str](), 0
    for span in spans:
        pieces += (text[end : span.start], f"{MARKER_START}{span.kind}]")
        end = span.end
    return "".join((*pieces, text[end:]))

"""Cleaning: the things taken out of every text before anything else sees it.

Private spans and our own injected blocks are taken out, secrets are redacted, and broken characters
are replaced.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.reading.strip import strip
from memoria.language.remembered import remember_results
from memoria.language.secrets.redact import redact
from memoria.model.parse import replace_lone_surrogates

_NAMES_REMEMBERED = 512
_PLAIN_NAME = lazy_regex(
    r"[a-z0-9]{1,8}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE
)
"""Names too short to be a secret, and UUIDs: nearly every message has one of its own."""


@dataclass(slots=True)
class Tally:
    """Counts of the things taken out while cleaning."""

    redactions: Counter[str] = field(default_factory=Counter)
    stripped: int = 0


def clean_text(text: str, tally: Tally) -> str:
    """Return the text without private spans, injected blocks, secrets and broken characters."""
    stripped = strip(replace_lone_surrogates(text))
    redacted = redact(stripped.text)
    tally.stripped += stripped.blocks
    for redaction in redacted.redactions:
        tally.redactions[redaction.kind] += redaction.count
    return redacted.text


def clean_name(name: str, tally: Tally) -> str:
    """Return a name or id without secrets; never empty, for it has to name something."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    return name if _is_clean(name) else clean_text(name, tally) or "[private]"


@remember_results(_NAMES_REMEMBERED)
def _is_clean(name: str) -> bool:
    """Check that nothing has to be taken out of a name. The same few come with every turn."""
    return bool(name) and clean_text(name, Tally()) == name

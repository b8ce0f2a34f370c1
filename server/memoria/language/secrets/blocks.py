"""Private keys: blocks of base64 between lines that name them."""

import re
from collections.abc import Iterator

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.secrets.span import ReadText, Span

_BASE64_LINES = r"""(?:(?:\s|\\[nr]|["',\\])*[A-Za-z0-9+/=]{16,})+"""
# Without its END, a key goes as far as its base64 does.
_PEM = lazy_regex(
    rf"""(?x) -{{4,5}}[ ]?BEGIN[ ]
    (?P<label>[A-Za-z0-9 ]{{0,40}}(?:PRIVATE[ ]KEY|Static[ ]key)(?:[ ]BLOCK|[ ]V1)?)[ ]?-{{4,5}}
    (?: [^-=]*(?:(?:-(?!---)|=(?![ ]))[^-=]*)* -{{4,5}}[ ]?END[ ](?P=label)[ ]?-{{4,5}}
      | (?:(?:\s|\\[nr])*[A-Z][A-Za-z-]{{2,15}}:[ ][^\n\\]{{1,200}})* {_BASE64_LINES} )""",
    re.ASCII,
)
_PUTTY = lazy_regex(rf"(?i:private-lines): \d+(?P<secret>{_BASE64_LINES})", re.ASCII)


def find_blocks(read: ReadText) -> Iterator[Span]:
    """Yield private keys, as PEM, SSH, PGP, OpenVPN and PuTTY write them."""
    text = read.text
    if "PRIVATE KEY" in text or "Static key" in text:
        for match in _PEM.finditer(text):
            yield Span(*match.span(), "private-key")
    if "Private-Lines: " in text:
        for match in _PUTTY.finditer(text):
            yield Span(*match.span("secret"), "private-key")

"""Retold statements: an agent's words about the user, as the user would say them.

"The user asked me not to save this: …" is the user's own request in an agent's words.
"""

from memoria.language.pattern import SmallPattern

_ASKS = (
    r"(?:ask(?:s|ed)?|sa(?:ys?|id)|t(?:old|ells?)|wants?|wanted|wish(?:es|ed)?|request(?:s|ed)?)"
)
_LEAD_IN = SmallPattern(
    rf"""(?x)^\W{{0,3}}(?:the\s)?user\s(?:has\s|explicitly\s|also\s){{0,2}}{_ASKS}
      (?:\s(?:me|us|you|the\s(?:assistant|agent)))?(?:\s(?:that|to(?!\sbe\b)))?[\s:,]{{1,3}}
    | ^用户(?:明确|特别|还)?(?:要求|请求|说过?|希望|想|叫|让)(?:[我你您])?[：:，,]?
    | ^用户(?=不想|不希望|不愿|私下|私底下|悄悄|偷偷)"""
)
_DENIES = SmallPattern(
    r"(?x)^\W{0,3}(?:the\s)?user\s(?:does(?:\s?n['’]?t|\snot)|did(?:\s?n['’]?t|\snot))\s(?=want\b)"
)


def retell_as_user(statement: str) -> str:
    """Remove from a statement the words by which it says that the user asks for it."""
    denied = _DENIES.match(statement)
    if denied is not None:
        return f"I don't {statement[denied.end() :]}"
    asked = _LEAD_IN.match(statement)
    return statement if asked is None else statement[asked.end() :]

"""Context packages: everything that matters now for a framework's prompt, under one budget."""

from memoria.model.base import Value


class ContextPackage(Value):
    """A package for a prompt. Blocks are plain text; `text` is all of them, fenced as data."""

    persona: str
    """Identity of the assistant and the user, and what always matters."""
    short_term: str
    """The task in hand, and those finished lately."""
    last_turns: str
    """The last turns of the session, as far as they fit."""
    recall: str
    """Conclusions that bear on the query, a line each with its id."""
    evidence: str
    """Verbatim turns; only where the query asks for the record or recall is unsure."""
    citations: tuple[str, ...]
    """Source of every line of recall and evidence: id, session, role, date."""
    text: str
    """The package as it goes into a prompt: fenced, with nothing in it that ends the fence."""
    tokens: int
    """Estimated tokens of `text`."""
    notes: tuple[str, ...] = ()
    """Missing parts of the search, and what did not fit."""

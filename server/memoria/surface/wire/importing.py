"""Imports as structured data: what was done, or would be."""

from pydantic import BaseModel


class WireBadLine(BaseModel):
    """An item that was left out."""

    file: str
    line: int | None
    problem: str


class WireEncoding(BaseModel):
    """Encoding of a file that is not UTF-8."""

    file: str
    encoding: str


class WireUnread(BaseModel):
    """Imported text that a chat model has still to read."""

    conversation_tokens: int
    cost_tokens: int
    """Tokens that reading it takes at most, by what reading has taken so far."""
    has_model: bool


class WireImport(BaseModel):
    """Outcome for the files."""

    sources: list[str]
    files: int
    lines: int
    recorded: int
    already_recorded: int
    new_versions: int
    made: int
    """Memories that rules have made of what was said plainly in new turns."""
    projects: dict[str, int]
    """New turns by the project that alone sees them; `none`: those that every project sees."""
    memories: dict[str, int]
    """Memories of other programs: added, known, changed, past, waiting, forgotten, private."""
    forgotten: int
    private: int
    nothing_left: int
    skipped: int
    stripped: int
    redactions: dict[str, int]
    recoded: int
    """Files that were not in UTF-8."""
    encodings: list[WireEncoding]
    """Encodings of the first of them."""
    bad: int
    bad_lines: list[WireBadLine]
    not_understood: list[str]
    unread: WireUnread
    without_vector: int
    """Texts that are found by their words alone until a server has made their vectors."""
    next: str | None
    """The command that comes next; none where nothing is in the record."""


class WireSourceCount(BaseModel):
    """Contents of a source on this machine."""

    source: str
    places: list[str]
    files: int
    bytes: int
    conversations: int
    turns: int
    memories: int
    skipped: int
    bad: int
    bad_lines: list[WireBadLine]
    """The first few."""
    first: str | None
    last: str | None


class WireCount(BaseModel):
    """Contents that an import would read."""

    sources: list[WireSourceCount]
    not_found: list[str]
    not_understood: list[str]
    next: str

"""A question put to a chat model, as the log of calls keeps it: what it cost, and how it went."""

from memoria.model.base import Value


class ModelCall(Value):
    """One call. Never a word of the question or the answer."""

    at: int
    purpose: str
    prompt: str
    """Name and version: `extract/3`."""
    model: str
    input_tokens: int
    output_tokens: int
    duration_ms: int = 0
    outcome: str
    """`open` while the answer is awaited, `ok`, or the `outcome` of a `ChatModelError`."""
    detail: str | None = None

    @property
    def tokens(self) -> int:
        """Request and answer together; until the call ends, the most they may take."""
        return self.input_tokens + self.output_tokens


class TokenSpending(Value):
    """What a tenant's questions to chat models took in some time."""

    calls: int
    tokens: int

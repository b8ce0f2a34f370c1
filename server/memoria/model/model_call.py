"""A question put to a chat model, as the log of calls keeps it: what it cost, and how it went."""

from memoria.model.base import Value

PRICED_MS = 30 * 86_400_000
"""The time for which the price of reading is told."""


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


USUAL_PRICE = 3_000
"""Tokens that reading 1,000 of conversation takes at most, where no price was measured yet."""


class ReadingPrice(Value):
    """What a chat model took for the conversation that it has read in some time."""

    calls: int
    input_tokens: int
    output_tokens: int
    conversation_tokens: int
    """Of what people and assistants said, estimated."""

    @property
    def per_thousand(self) -> int | None:
        """Input tokens for 1,000 tokens of conversation; None where none was read."""
        if not (self.calls and self.conversation_tokens):
            return None
        return round(1000 * self.input_tokens / self.conversation_tokens)

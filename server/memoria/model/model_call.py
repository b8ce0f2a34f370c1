"""Calls of a chat model, as the log keeps them: price and outcome."""

from memoria.model.base import Value

PRICED_MS = 30 * 86_400_000
"""Time for which the price of reading is told."""


class ModelCall(Value):
    """One call, without a word of the question or the answer."""

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
        """Tokens of request and answer together; until the call ends, the most they may take."""
        return self.input_tokens + self.output_tokens


class TokenSpending(Value):
    """Tokens that a tenant's calls to chat models took in some time."""

    calls: int
    input_tokens: int
    output_tokens: int

    @property
    def tokens(self) -> int:
        """Tokens of requests and answers together."""
        return self.input_tokens + self.output_tokens


_PRICED_TOKENS = 1_000_000


class TokenPrice(Value):
    """Price of a million tokens, of requests and of answers, in whatever currency."""

    input: float
    output: float

    def cost_of(self, used: "ModelCall | TokenSpending | ReadingPrice") -> float:
        """Return the cost of these tokens."""
        return (used.input_tokens * self.input + used.output_tokens * self.output) / _PRICED_TOKENS


class DailyCap(Value):
    """Most that a tenant may spend in a day: tokens and, where their price is known, money."""

    tokens: int
    cost: float | None = None
    price: TokenPrice | None = None

    @property
    def settings(self) -> tuple[str, ...]:
        """Names of the settings that determine it."""
        money = () if self.cost is None else ("MEMORIA_LLM_DAILY_COST",)
        return ("MEMORIA_LLM_DAILY_TOKENS", *money)

    def allows(self, call: ModelCall | TokenSpending, spent: TokenSpending | None = None) -> bool:
        """Return whether a call may be made beside what was spent in the day."""
        used = [one for one in (call, spent) if one is not None]
        if sum(one.tokens for one in used) > self.tokens:
            return False
        if self.cost is None or self.price is None:
            return True
        return sum(map(self.price.cost_of, used)) <= self.cost

    def __str__(self) -> str:
        money = "" if self.cost is None else f" and {describe_cost(self.cost)} in money"
        return f"{self.tokens:,} tokens{money}"


def describe_cost(cost: float) -> str:
    """Format a sum of money in no currency, with at least two digits that say something.

    >>> describe_cost(0.01234)
    '0.012'
    """
    return f"{cost:,.2f}" if cost >= 1 else f"{cost:.2g}"


USUAL_PRICE = 3_000
"""Most tokens that reading 1,000 of conversation takes, where no price was measured yet."""


class ReadingPrice(Value):
    """Tokens that a chat model took for the conversation that it has read in some time."""

    calls: int
    input_tokens: int
    output_tokens: int
    conversation_tokens: int
    """Tokens of what people and assistants said, estimated."""

    @property
    def per_thousand(self) -> int | None:
        """Input tokens for 1,000 tokens of conversation; None where none was read."""
        if not (self.calls and self.conversation_tokens):
            return None
        return round(1000 * self.input_tokens / self.conversation_tokens)

"""Status: the product's account of itself, its extraction queue and its calls of a chat model."""

from enum import StrEnum
from typing import Literal

from memoria.model.base import Value
from memoria.model.nightly import RunState
from memoria.model.privacy import PrivateTime


class QueueKind(StrEnum):
    """Purposes for which a segment is to be read."""

    EXTRACT = "extract"
    EPISODE = "episode"


class QueueState(StrEnum):
    """States of an entry. All but the first are final unless somebody retries it."""

    WAITING = "waiting"
    DONE = "done"
    DEAD = "dead"
    DROPPED = "dropped"


class QueueEntry(Value):
    """A segment in the extraction queue, and its state. Times are UTC epoch milliseconds."""

    id: str
    kind: QueueKind
    session_id: str
    first_index: int
    last_index: int
    priority: int
    """Rank: 0 for requests to remember, which come first, to 9 for left-over segments."""
    reason: str
    """Reason for the entry: `remember`, `preference`, `session_end`."""
    state: QueueState
    attempts: int
    not_before: int
    leased_until: int
    """End of the last lease; in the future while a worker has the entry."""
    created_at: int
    finished_at: int | None
    last_error: str | None
    outcome: str | None
    """Numbers of operations applied, and of rejected ones by reason: `ADD 2, rejected: quote 1`."""


class QueueStatus(Value):
    """Numbers of entries in the queue, by state."""

    waiting: int = 0
    done: int = 0
    dead: int = 0
    dropped: int = 0
    oldest_waiting_at: int | None = None
    last_error: str | None = None


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
        """Tokens of request and answer together; while the call is open, their bound."""
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


class DaySpending(TokenSpending):
    """Tokens that a tenant's calls to a chat model took in a day."""

    day: int
    """Beginning of the day in UTC, epoch milliseconds."""
    model: str


_PRICED_TOKENS = 1_000_000


class TokenPrice(Value):
    """Price of a million tokens, of requests and of answers, in any currency."""

    input: float
    output: float

    def cost_of(self, used: "ModelCall | TokenSpending | ReadingPrice") -> float:
        """Return the cost of the tokens used."""
        return (used.input_tokens * self.input + used.output_tokens * self.output) / _PRICED_TOKENS


class DailyCap(Value):
    """Most that a tenant may spend in a day: tokens and, where their price is known, money."""

    tokens: int
    cost: float | None = None
    price: TokenPrice | None = None

    @property
    def settings(self) -> tuple[str, ...]:
        """Names of the settings that determine the cap."""
        money = () if self.cost is None else ("MEMORIA_LLM_DAILY_COST",)
        return ("MEMORIA_LLM_DAILY_TOKENS", *money)

    def allows(self, call: ModelCall | TokenSpending, spent: TokenSpending | None = None) -> bool:
        """Check whether a call is within the cap, together with the spending of the day."""
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
    """Estimated tokens of the turns of people and assistants."""

    @property
    def per_thousand(self) -> int | None:
        """Input tokens for 1,000 tokens of conversation; None where none was read."""
        if not (self.calls and self.conversation_tokens):
            return None
        return round(1000 * self.input_tokens / self.conversation_tokens)


FIX = "memoria doctor --fix"
"""Cure for faults that `doctor` mends by itself."""
RESTORE = "Restore a backup: memoria restore FILE"
"""Cure for rows that only a backup has."""


class BacklogStatus(Value):
    """Numbers of documents that still wait for their vector."""

    pending: int
    failed: int
    """Number given up after repeated failures; `memoria doctor` names the reason."""
    last_error: str | None = None


class Finding(Value):
    """Result of one check of `doctor`."""

    check: str
    state: Literal["ok", "warning", "error"]
    detail: str
    cure: str | None = None


class Repair(Value):
    """A mended fault, with doctor's words before and after."""

    check: str
    before: str
    after: str


class Health(Value):
    """Findings of `doctor`."""

    findings: tuple[Finding, ...]

    @property
    def is_sound(self) -> bool:
        """True if nothing is an error."""
        return all(finding.state != "error" for finding in self.findings)

    @property
    def notable(self) -> tuple[Finding, ...]:
        """Warnings and errors."""
        return tuple(finding for finding in self.findings if finding.state != "ok")


class Statistics(Value):
    """Contents of a tenant, in numbers."""

    tenant: str
    sessions: int
    turns: int
    turn_versions: int
    memories: dict[str, int]
    """Numbers of memories by validity."""
    raw_chunks: int
    raw_bytes: int
    stored_bytes: int
    database_bytes: int
    vectors: int
    backlog: BacklogStatus
    queue: QueueStatus
    reading: ReadingPrice
    """Tokens of the chat model in the last 30 days, and for how much conversation."""
    today: TokenSpending
    """Tokens of the chat model today (UTC)."""
    reading_cost: float | None = None
    """Cost of the last 30 days, in the currency of the stated prices."""
    cost_today: float | None = None
    waiting: int = 0
    """Number of entries of the spool that nobody has taken in yet."""
    private: tuple[PrivateTime, ...] = ()
    """Private times that are on."""


class HomeFigures(Value):
    """Figures of a whole home, summed over its tenants. Times are UTC epoch milliseconds."""

    tenants: int
    database_bytes: int
    pending: int
    """Number of documents that wait for a vector."""
    failed: int
    """Number of documents whose vector was given up."""
    queue: dict[QueueState, int]
    """Numbers of entries of the extraction queue by state; finished ones are kept until a night."""
    oldest_waiting_at: int | None
    calls: dict[str, TokenSpending]
    """Calls of chat models and their tokens by outcome, as long as they are kept."""
    nights: dict[RunState, int]
    """Numbers of tenants by the state of their last night."""
    newest_night_at: int | None
    """Beginning of the last night that was finished."""
    oldest_night_at: int | None
    """Beginning of the last finished night of the tenant whose last one is longest ago. A tenant
    without one counts from the first word."""
    hidden_forgets: int
    """Number of forgets that can still be undone, or wait to be purged."""
    overdue_forgets: int
    """Number of those whose period of grace is over."""
    is_scrub_pending: bool
    """True if erased rows may still be readable in the file."""

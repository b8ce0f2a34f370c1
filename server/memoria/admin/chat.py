"""Doctor's check of the chat model: which it is, and what it cost today. The model is not asked."""

import shutil
from urllib.parse import urlsplit

from memoria.config import Settings
from memoria.errors import name_settings
from memoria.inference.chat.command import split_command
from memoria.model import (
    DAY_MS,
    PRICED_MS,
    DailyCap,
    Finding,
    ModelCall,
    ReadingPrice,
    TokenSpending,
    now_millis,
    start_of_utc_day,
    to_iso,
)
from memoria.model.model_call import describe_cost
from memoria.store.engine import Store

_CHECK = "chat model"
NOBODY_READS = (
    "Without a chat model your conversations are kept and searched, but nobody reads them: what "
    "you only mention becomes no memory."
)
UNREAD = f"{NOBODY_READS} `memoria model` finds one that you have."
"""Consequence of having no model."""
_OFF = (
    "off: what is only mentioned in conversations becomes no memory; `memoria model` finds one "
    "that you have"
)
_DEAR = 6_000
"""Tokens for 1,000 of conversation."""
_ENOUGH_TO_TELL = 3_000
_OF_NO_CONCERN = ("ok", "open", "stopped")


def check_chat_model(store: Store, settings: Settings) -> Finding:
    """Report the chat model: its configuration, today's spending, and how the last call went.

    Neither key nor arguments nor a URL's path are shown: each may hold a secret.
    """
    named = name_model(settings)
    if named is None:
        return Finding(check=_CHECK, state="ok", detail=_OFF)
    today = start_of_utc_day(now_millis())
    with store.read(settings.tenant) as tx:
        spent, last = tx.ledger.spending(today, today + DAY_MS), tx.ledger.newest()
        price = tx.ledger.reading_price(now_millis() - PRICED_MS)
    cap = settings.daily_cap
    detail = f"{named}; today {describe_spending(spent, cap)}"
    if price.per_thousand is not None:
        detail += f"; in 30 days {price.per_thousand:,} tokens for 1,000 of conversation"
    problem = _find_problem(settings, spent, last) or _find_high_price(price)
    if problem is None:
        return Finding(check=_CHECK, state="ok", detail=detail)
    said, cure = problem
    detail = f"{detail}; {said}"
    return Finding(check=_CHECK, state="warning", detail=detail, cure=name_settings(cure))


def _find_high_price(price: ReadingPrice) -> tuple[str, str] | None:
    """Say that reading is dear, and how to lower it; None if it is not, or too little was read."""
    if (price.per_thousand or 0) <= _DEAR or price.conversation_tokens < _ENOUGH_TO_TELL:
        return None
    return (
        f"that is more than {_DEAR:,}",
        "Leave MEMORIA_EXTRACTION_WAIT_MINUTES and MEMORIA_EXTRACTION_TURNS at their defaults; "
        "many short sessions cost more than few long ones.",
    )


def name_model(settings: Settings) -> str | None:
    """Name the configured chat model, without what may hold a key; None where there is none."""
    if settings.llm_command:
        return f"the command {split_command(settings.llm_command)[0]}"
    if not settings.llm_base_url:
        return None
    url = urlsplit(settings.llm_base_url)
    port = f":{url.port}" if url.port else ""
    return f"{settings.llm_model} at {url.hostname}{port}"


def describe_spending(spent: TokenSpending, cap: DailyCap) -> str:
    """Describe a day's spending and its cap: calls, tokens, and money where prices are known."""
    said = f"{spent.calls:,} calls, {spent.tokens:,} of {cap.tokens:,} tokens"
    if cap.price is None:
        return said
    most = "" if cap.cost is None else f" of {describe_cost(cap.cost)}"
    return f"{said}, {describe_cost(cap.price.cost_of(spent))}{most} in money"


def _find_problem(
    settings: Settings, spent: TokenSpending, last: ModelCall | None
) -> tuple[str, str] | None:
    """Return what keeps questions from being answered, and its cure; None where nothing does."""
    if settings.llm_command and not shutil.which(split_command(settings.llm_command)[0]):
        return "there is no such program", "Check MEMORIA_LLM_COMMAND."
    longest = TokenSpending(calls=1, input_tokens=0, output_tokens=settings.llm_output_tokens)
    if not settings.daily_cap.allows(longest, spent):
        new = to_iso(start_of_utc_day(now_millis()) + DAY_MS)
        raised = " or ".join(settings.daily_cap.settings)
        return "that is today's cap", f"It goes on at {new}. Raise {raised} for more."
    if last is not None and last.outcome not in _OF_NO_CONCERN:
        return (
            f"the last call ({to_iso(last.at)}) was {last.outcome}",
            last.detail or "Look at the log.",
        )
    return None

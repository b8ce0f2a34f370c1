"""Findings of doctor about hooks and about the chat model, which is not asked."""

import shutil
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from memoria.bare.guard_words import count_words
from memoria.bare.spool import (
    AsideEntry,
    list_aside,
    list_waiting,
    read_failures,
    read_heard,
    spool_folder,
)
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
from memoria.model.status import describe_cost
from memoria.store.engine import Store

_CHECK = "chat model"
NOBODY_READS = (
    "Without a chat model your conversations are kept and searched, but nobody reads them: what "
    "you only mention becomes no memory."
)
UNREAD = f"{NOBODY_READS} `memoria model` finds one that you have."
"""Consequence of having no chat model, and the cure."""
_OFF = (
    "off: what is only mentioned in conversations becomes no memory; `memoria model` finds one "
    "that you have"
)
_DEAR = 6_000
"""Tokens spent per 1,000 tokens of conversation above which reading counts as dear."""
_ENOUGH_TO_TELL = 3_000
_OF_NO_CONCERN = ("ok", "open", "stopped")
_RECENT_MS = 7 * 24 * 3_600_000
_HOOKS = "hooks"
_MOST_NAMED = 5


def check_chat_model(store: Store, settings: Settings) -> Finding:
    """Report the chat model: its configuration, today's spending, and how the last call went.

    The key, a command's arguments and a URL's path are not shown: each may hold a secret.
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
    """Return that reading is dear, and a cure; None if cheap, or too little was read to tell."""
    if (price.per_thousand or 0) <= _DEAR or price.conversation_tokens < _ENOUGH_TO_TELL:
        return None
    return (
        f"that is more than {_DEAR:,}",
        "Leave MEMORIA_EXTRACTION_WAIT_MINUTES and MEMORIA_EXTRACTION_TURNS at their defaults; "
        "many short sessions cost more than few long ones.",
    )


def name_model(settings: Settings) -> str | None:
    """Name the configured chat model, without parts that may hold a key; None without one."""
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
    """Return what keeps the model from answering, and its cure; None if nothing does."""
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


def check_hooks(settings: Settings) -> Iterator[Finding]:
    """Yield findings on hooks; none if no client's hook has ever run."""
    home = str(settings.home_path)
    try:
        heard = read_heard(home, settings.tenant)
        waiting = len(list_waiting(home, settings.tenant))
        failures = read_failures(home, settings.tenant)
        aside = list_aside(home, settings.tenant)
        said, again = count_words(home, settings.tenant)
    except OSError as error:
        yield Finding(
            check=_HOOKS,
            state="warning",
            detail=f"what hooks have left in the home can't be read: {error}",
            cure="Check the owner of the home's folders hooks and spool, and that none is a link.",
        )
        return
    if aside:
        yield _describe_aside(aside, spool_folder(home, settings.tenant))
    if not heard and not waiting and not failures:
        return
    last = ", ".join(f"{client} {to_iso(at)}" for client, at in heard.items())
    detail = f"last heard of: {last or 'none'}; {waiting} entries wait to be taken in"
    if said:
        detail += f"; {said} words before a mistake said; after {again} the same was done again"
    recent = [one for one in failures if _moment(one) >= now_millis() - _RECENT_MS]
    if not recent:
        yield Finding(check=_HOOKS, state="ok", detail=detail)
        return
    newest = recent[-1]
    yield Finding(
        check=_HOOKS,
        state="warning",
        detail=f"{detail}; {len(recent)} failures in the last 7 days, the last one "
        f"{to_iso(_moment(newest))} ({newest.get('client')}): {newest.get('reason')}",
        cure="Free disk space if it says so, see that this user may write to the home, and that "
        "the client passes the key of an encrypted home (MEMORIA_ENCRYPTION_KEY). "
        "What a transcript has is not lost: memoria import adds what is missing.",
    )


def _describe_aside(aside: Sequence[AsideEntry], folder: str) -> Finding:
    """Return a finding that names the entries set aside; the log of failures has the reasons."""
    named = [
        f"{one.path}" + (f" ({one.client}: {one.transcript})" if one.transcript else "")
        for one in aside[:_MOST_NAMED]
    ]
    more = f" and {len(aside) - _MOST_NAMED} more" if len(aside) > _MOST_NAMED else ""
    return Finding(
        check=_HOOKS,
        state="warning",
        detail=f"{len(aside)} entries of hooks failed or took too long, and are set aside: "
        f"{', '.join(named)}{more}",
        cure="Look whether the transcript and the folders it names can be read: what is said next "
        "in that session, an hour later, tries again, and memoria import FILE does now. An entry "
        f"that names no transcript has what was said: move it to {folder}, with the ending .json, "
        "to have it tried again. Delete what you do not want.",
    )


def _moment(failure: dict[str, object]) -> int:
    at = failure.get("at")
    return at if isinstance(at, int) else 0

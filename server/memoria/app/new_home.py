"""A new home: what an agent is told where there is nothing yet that it could be told of."""

from pathlib import Path, PurePath

from memoria.config import Settings
from memoria.language.budget import estimate_tokens
from memoria.language.reading.invisible import show_invisible
from memoria.language.reading.lines import join_lines
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

_MOST_TOKENS = 10
"""Longest project name that is shown, in tokens."""


def describe_new_home(tx: Transaction, settings: Settings, project: str | None) -> str:
    """Describe an empty home: what can be imported, and who reads. Empty once it has records.

    Args:
        tx: sees the tenant's rows.
        settings: of the home.
        project: the session's; None for none.
    """
    everything = Filters(everywhere=True, include_history=True, include_processed=True)
    if tx.documents.recent(("memory", "turn"), everything, 1):
        return ""
    where = f", in {_name(project)} or any other" if project else ""
    lines = (f"Nothing is on record yet{where}.", *_offers(settings))
    return "".join(f"- {line}\n" for line in lines)


def _name(project: str) -> str:
    name = join_lines(show_invisible(PurePath(project).name))
    return f"project {name}" if estimate_tokens(name) <= _MOST_TOKENS else "this project"


def _offers(settings: Settings) -> list[str]:
    past = _list_programs()
    offer = f"`memoria import --all` brings in the past of {', '.join(past)}."
    reader = (
        "A chat model will read what is said."
        if settings.has_chat_model
        else "No chat model reads it: keep what lasts with `remember`."
    )
    return [*([offer] if past else []), reader]


def _list_programs() -> list[str]:
    """List the programs of which transcripts are on this machine."""
    from memoria.connectors.sources.conversations import TRANSCRIPTS  # noqa: PLC0415  (only a new home pays for it)

    return [one.title for one in TRANSCRIPTS if any(map(_holds_files, one.list_places()))]


def _holds_files(place: Path) -> bool:
    return any(one.suffix in {".json", ".jsonl"} for one in place.rglob("*"))

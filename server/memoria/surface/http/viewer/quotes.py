"""Quotes in their turns: the text of a turn in parts, of which some are words a memory rests on."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.reading.quotes import find_quote
from memoria.language.words.analyser import query_terms
from memoria.language.words.document import as_text
from memoria.model import Evidence, StoredTurn, TurnRecord
from memoria.model.provenance import MemoryRecord

_AROUND = 600
"""Characters shown on each side of a quote where the turn is long."""
_MOST_QUOTES = 40
_CUT = "… "
_SENTENCE = lazy_regex(r"[^\s.!?。！？][^.!?。！？\n]*[.!?。！？]?")
_SEARCHED = 20_000
"""Characters of a turn in which the nearest sentence is looked for."""


class TurnPassage(NamedTuple):
    """A part of a text."""

    text: str
    is_quote: bool = False


class QuotedTurn(NamedTuple):
    """A turn with the words that memories rest on marked, and the turns beside it."""

    turn: StoredTurn
    passages: Sequence[TurnPassage]
    before: Sequence[StoredTurn] = ()
    after: Sequence[StoredTurn] = ()
    is_near: bool = False
    """True if what is marked is no quote, but the sentence that comes nearest."""

    @property
    def tool(self) -> tuple[str, str] | None:
        """Arguments and result of a tool's call, as text; None for a turn without one."""
        turn = self.turn
        if turn.tool_name is None and turn.tool_args is None and turn.tool_result is None:
            return None
        return as_text(turn.tool_args), as_text(turn.tool_result)


def mark_quotes(text: str, quotes: Iterable[str], offset: int = 0) -> list[TurnPassage]:
    """Split a text where quotes begin and end; a quote that does not stand there marks nothing.

    Args:
        text: what was said, or a page of it.
        quotes: words that memories rest on.
        offset: place in the text at which the parts begin.
    """
    spans = sorted(span for one in [*quotes][:_MOST_QUOTES] if (span := _find_span(text, one)))
    passages, at = list[TurnPassage](), offset
    for start, end in spans:
        if end <= at:
            continue
        passages += [TurnPassage(text[at:start])] if start > at else []
        passages.append(TurnPassage(text[max(start, at) : end], is_quote=True))
        at = end
    return [*passages, *([TurnPassage(text[at:])] if at < len(text) else [])]


def quote_turn(record: TurnRecord, quote: str | None, statement: str) -> QuotedTurn:
    """Return a turn with a quote, what stands around it, and the turns beside it.

    Where the turn does not have the quote, because somebody has stated the memory in words of their
    own, the sentence that comes nearest to the statement is marked, if one has half of its words.
    """
    text = record.turn.content
    span = _find_span(text, quote) if quote else None
    near = None if span else _find_nearest(text, statement)
    start, end = span or near or (0, 0)
    first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
    passages = [
        TurnPassage(_CUT if first else ""),
        TurnPassage(text[first:start]),
        TurnPassage(text[start:end], is_quote=True),
        TurnPassage(text[end:last]),
        TurnPassage(_CUT.strip() if last < len(text) else ""),
    ]
    shown = [one for one in passages if one.text]
    return QuotedTurn(record.turn, shown, record.before, record.after, is_near=near is not None)


def list_further(record: MemoryRecord) -> list[Evidence]:
    """List further turns that say the present wording of a memory, the newest first.

    What says a former wording may say the opposite: it stands in the memory's history.
    """
    present = record.versions[0].said
    shown = None if present is None else present.turn_id
    return [
        one
        for one in reversed(record.evidence)
        if one.turn_id != shown and _says_present(one, record)
    ]


def _says_present(evidence: Evidence, record: MemoryRecord) -> bool:
    """Return whether the wording that a turn says, or said again, is the present one.

    A turn that was noted before all wordings came with a memory that was merged into this one.
    """
    newest_first = [one.version for one in record.versions]
    if evidence.version is not None:
        said = (one for one in newest_first if one.version == evidence.version)
    else:
        said = (one for one in newest_first if one.ingested_at <= evidence.noted_at)
    return next(said, newest_first[-1]).content == record.memory.content


def count_unread(record: MemoryRecord) -> int:
    """Return how many turns that say a memory again were not read, if it has one wording alone.

    Of a memory with several it is not known which of them those turns say.
    """
    again = sum(one.version is None for one in record.evidence)
    return record.memory.evidence - 1 - again if len(record.versions) == 1 else 0


def _find_nearest(text: str, statement: str) -> tuple[int, int] | None:
    """Return where the sentence is that has most words of a statement, and half of them."""
    wanted = {*query_terms(statement)}
    best, most = None, max(1, len(wanted) / 2)
    for sentence in _SENTENCE.finditer(text, 0, _SEARCHED):
        shared = len(wanted & {*query_terms(sentence[0])})
        if shared >= most and (best is None or shared > most):
            best, most = sentence.span(), shared
    return best


def _find_span(text: str, quote: str) -> tuple[int, int] | None:
    """Return where a quote begins and ends in a text; None if it does not stand there."""
    found = find_quote(quote, text)
    if not found:
        return None
    start = text.find(found)
    return None if start < 0 else (start, start + len(found))

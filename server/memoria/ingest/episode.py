"""Episodes: a segment of a session becomes a summary with the quotes that support it."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from memoria.bare.lazy_regex import lazy_regex
from memoria.erasure.suppression import Digester
from memoria.inference.tasks import request_episode, request_patch
from memoria.ingest.episode_patch import (
    apply_patch,
    find_patchable,
    list_statements,
    number_sentences,
)
from memoria.ingest.processing import (
    ChangedMeanwhileError,
    ExtractionOutcome,
    ProcessorTools,
    entry_turns,
    finish_entry,
    has_something_to_read,
    list_readable,
    number_lines,
    shorten_statement,
    turn_line,
)
from memoria.language.reading.clean import Tally, clean_text
from memoria.language.reading.statement import sentences_in
from memoria.language.statements.orders import instruction_shaped
from memoria.memories.conditions import condition_of_turn
from memoria.memories.episode_fields import describe_span, find_tool_name, list_tools
from memoria.memories.times import EventTime, day_of
from memoria.memories.validator import OperationValidator, PromptContents, RejectedError
from memoria.memories.wordings import (
    Interpretation,
    NewWording,
    Passage,
    StructuralLinks,
    interpretation_of_update,
)
from memoria.model import (
    NO_TEXT_VECTORS,
    EpisodeSummary,
    InferredBy,
    Memory,
    MemoryType,
    Role,
    SourceKind,
    StoredTurn,
    TextVectors,
    TurnQuote,
    Validity,
    new_id,
)
from memoria.model.metadata import MetadataValue, write_metadata
from memoria.store.rows.transaction import Transaction
from memoria.store.values import LeasedEntry, NewMemory

_SPOKEN = (Role.USER, Role.ASSISTANT)
_LEAST_SPOKEN = 3
_MOST_CHARS = 24_000
_LEAST_CHARS = 200
_MOST_TURNS = _MOST_CHARS // _LEAST_CHARS
_MOST_CHANGED = 20
_CONFIDENCE = 0.7
_CJK = lazy_regex("[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class _Passage:
    """A quote from a turn that supports a summary."""

    turn: StoredTurn
    quote: str


class Summariser:
    """Writes the summaries of closed segments, for any tenant."""

    def __init__(self, tools: ProcessorTools) -> None:
        self._tools = tools

    def run(self, entry: LeasedEntry, owner: str, along: Sequence[LeasedEntry] = ()) -> None:  # noqa: ARG002  (a summary is asked for alone)
        """Summarise a segment; see `EntryProcessor`."""
        digester = self._tools.digester(entry.tenant)
        with self._tools.store.read(entry.tenant) as tx:
            is_done = is_handed_in(tx, entry)
            turns, by_meaning = _turns_to_read(tx, entry, digester), tx.tombstones.has_meanings()
            changed = _list_changed(tx, entry)
            patchable = find_patchable(tx, entry, turns)
        if is_done:
            with self._tools.store.write(entry.tenant) as tx:
                finish_entry(tx, entry, owner, "handed in")
            return
        if patchable is not None:
            self._patch(entry, owner, *patchable)
            return
        spoken = list(filter(_is_shown, turns))
        is_enough = len(spoken) >= _LEAST_SPOKEN and has_something_to_read(spoken, turns)
        summary = self._ask(entry, turns, changed) if is_enough else EpisodeSummary()
        wording = wording_of(summary, turns) if summary.summary else ""
        meanings = self._meanings(wording) if wording and by_meaning else NO_TEXT_VECTORS
        with self._tools.store.write(entry.tenant) as tx:
            now = _turns_to_read(tx, entry, digester)
            if [turn.n for turn in now] != [turn.n for turn in turns]:
                raise ChangedMeanwhileError(f"The turns of {entry.id} changed while it was read.")
            prompt = PromptContents({i: t for i, t in enumerate(turns, 1) if _is_shown(t)}, {})
            validator = self._tools.validator(tx, entry, prompt, meanings)
            outcome = (
                apply_summary(validator, entry, summary, turns) if wording else ExtractionOutcome()
            )
            finish_entry(tx, entry, owner, str(outcome))

    def _patch(
        self, entry: LeasedEntry, owner: str, episode: Memory, changed: Sequence[str]
    ) -> None:
        """Ask for new wordings of those sentences of a summary that tell what has changed."""
        question = request_patch(
            summary=number_sentences(episode.content),
            changed=list_statements(changed, _MOST_CHANGED),
            max_output_tokens=self._tools.max_output_tokens,
        )
        wording = apply_patch(episode.content, self._tools.chat.ask(entry.tenant, question))
        with self._tools.store.read(entry.tenant) as tx:
            by_meaning = tx.tombstones.has_meanings()
        meanings = self._meanings(wording) if wording and by_meaning else NO_TEXT_VECTORS
        with self._tools.store.write(entry.tenant) as tx:
            present = tx.memories.get(episode.id)
            if present is None or present.current.n != episode.current.n:
                raise ChangedMeanwhileError(f"The summary {episode.id} changed while it was read.")
            validator = self._tools.validator(tx, entry, PromptContents({}, {}), meanings)
            outcome = _revise_as_patched(validator, present, wording)
            finish_entry(tx, entry, owner, str(outcome))

    def _ask(
        self, entry: LeasedEntry, turns: Sequence[StoredTurn], changed: Sequence[str]
    ) -> EpisodeSummary:
        most = max(_MOST_CHARS // len(turns), _LEAST_CHARS)
        question = request_episode(
            said_on=day_of(turns[-1], self._tools.store.zone),
            conversation=number_lines(
                turn_line(turn, _turn_without_results(turn), most) for turn in turns
            ),
            changed="\n".join(changed),
            max_output_tokens=self._tools.max_output_tokens,
        )
        return self._tools.chat.ask(entry.tenant, question)

    def _meanings(self, wording: str) -> TextVectors:
        """Return the vectors of a wording's sentences, to be compared with what was forgotten."""
        pieces = list(sentences_in(clean_text(wording, Tally()).strip()))
        return self._tools.recall.embed_meanings(pieces, wait=True)


def is_handed_in(tx: Transaction, entry: LeasedEntry) -> bool:
    """Check whether somebody has summed up a segment, so that no model is asked to."""
    ids = tx.episodes.list_covering(entry.session_n, entry.first_index, entry.last_index)
    covering = filter(None, map(tx.memories.get, ids))
    return any(one.current.inferred_by is InferredBy.STATEMENT for one in covering)


def may_sum_up_with_reading(turns: Sequence[StoredTurn]) -> bool:
    """Check whether a segment may be summed up in the request that reads it.

    That request shows every word that was spoken. So a segment in which a turn tries to give orders
    is summed up without that turn, by a request of its own.
    """
    spoken = [turn for turn in turns if turn.role in _SPOKEN]
    return (
        len(spoken) >= _LEAST_SPOKEN and len(turns) <= _MOST_TURNS and all(map(_is_shown, spoken))
    )


def apply_summary(
    validator: OperationValidator,
    entry: LeasedEntry,
    summary: EpisodeSummary,
    turns: Sequence[StoredTurn],
) -> ExtractionOutcome:
    """Write a summary that a model gave of a segment, with the quotes that support it."""
    outcome = ExtractionOutcome()
    if is_handed_in(validator.tx, entry):
        outcome.applied["handed in"] += 1
        return outcome
    try:
        passages = _find_passages(validator, summary.quotes, outcome)
        _write_episode(validator, entry, summary, turns, passages, outcome)
    except RejectedError as error:
        outcome.add_rejection(error)
        validator.log_rejection("EPISODE", error)
    return outcome


def _turns_to_read(tx: Transaction, entry: LeasedEntry, digester: Digester) -> list[StoredTurn]:
    """List a segment's openly told turns to read; of a long segment, its beginning and end."""
    readable = list_readable(tx, entry_turns(tx, entry), digester)
    turns = [turn for turn in readable if condition_of_turn(tx, turn) is None]
    half = _MOST_TURNS // 2
    return turns if len(turns) <= _MOST_TURNS else [*turns[:half], *turns[-half:]]


def _list_changed(tx: Transaction, entry: LeasedEntry) -> list[str]:
    """List conclusions from a segment that other statements have replaced.

    Their successors are left out: an episode has the words of its own turns alone.
    """
    changes = tx.derivations.list_changed_in(entry.session_n, entry.first_index, entry.last_index)
    statements = dict.fromkeys(shorten_statement(change.before) for change in changes)
    return [json.dumps(text, ensure_ascii=False) for text in [*statements][:_MOST_CHANGED]]


def _is_shown(turn: StoredTurn) -> bool:
    """Check whether a turn's words are shown: no tool's output, and no attempt to give orders."""
    return turn.role in _SPOKEN and not instruction_shaped(turn.content, turn.trust)


def _turn_without_results(turn: StoredTurn) -> str:
    return turn.content if _is_shown(turn) else f"({find_tool_name(turn) or 'left out'})"


def _find_passages(
    validator: OperationValidator, quotes: Sequence[TurnQuote], outcome: ExtractionOutcome
) -> dict[int, _Passage]:
    """Return the quotes that really stand in the turn that the model names, one for each turn."""
    passages_found = dict[int, _Passage]()
    for citation in quotes:
        try:
            turn, quote = validator.locate_quote(citation.turn, citation.quote)
        except RejectedError as error:
            outcome.add_rejection(error)
            validator.log_rejection("EPISODE", error)
        else:
            passages_found.setdefault(turn.n, _Passage(turn, quote))
    if not passages_found:
        raise RejectedError("nothing bears it out")
    return passages_found


def wording_of(summary: EpisodeSummary, turns: Sequence[StoredTurn]) -> str:
    """Return the summary in one line: the goal, what happened, how it ended, and the tools."""
    colon = "：" if _CJK.search(summary.summary) else ": "
    goal = f"{summary.goal}{colon}" if summary.goal else ""
    ending = f" → {summary.outcome}" if summary.outcome else ""
    tools = ", ".join(list_tools(turns))
    tools = f" [{tools}]" if tools else ""
    return f"{goal}{summary.summary}{ending}{tools}"


def _read_fields(
    validator: OperationValidator, summary: EpisodeSummary, turns: Sequence[StoredTurn]
) -> dict[str, MetadataValue]:
    """Return the fields of an episode: those of its turns, and a goal and outcome to be kept."""
    fields = describe_span(turns)
    for name, text in (("goal", summary.goal), ("outcome", summary.outcome)):
        with suppress(RejectedError):  # without it the sentence has been rejected, too
            if text:
                fields[name] = validator.check_name(text)
    return fields


def _write_episode(
    validator: OperationValidator,
    entry: LeasedEntry,
    summary: EpisodeSummary,
    turns: Sequence[StoredTurn],
    passages: dict[int, _Passage],
    outcome: ExtractionOutcome,
) -> None:
    """Write the summary as a new episode, or as the present wording of the segment's own."""
    first = next(iter(passages.values()))
    content, confirm_reason = validator.check_statement(wording_of(summary, turns), first.turn)
    wording = replace(
        _episode_wording(validator, summary, content, passages),
        valid_from=min(turn.at for turn in turns),
        metadata=write_metadata(_read_fields(validator, summary, turns)),
    )
    known_id = validator.tx.episodes.find(entry.session_n, entry.first_index, entry.last_index)
    if known_id is not None:
        _check_may_revise(validator.writer.require(known_id), confirm_reason)
        validator.writer.revise(known_id, replace(wording, structural=None))
        outcome.applied["EPISODE again"] += 1
        return
    memory = NewMemory(
        id=new_id(),
        type=MemoryType.EPISODE,
        importance=summary.importance,
        confidence=_CONFIDENCE,
        workspace=first.turn.workspace,
        validity=Validity.ACTIVE if confirm_reason is None else Validity.PENDING_CONFIRMATION,
        flag=confirm_reason,
        metadata=wording.metadata,
    )
    validator.writer.add(memory, wording)
    validator.tx.episodes.add(memory.id, entry.session_n, entry.first_index, entry.last_index)
    outcome.applied["EPISODE" if confirm_reason is None else "pending"] += 1


def _revise_as_patched(
    validator: OperationValidator, episode: Memory, text: str
) -> ExtractionOutcome:
    """Revise an episode as a patch words it."""
    outcome = ExtractionOutcome()
    if text == episode.content:
        outcome.applied["known"] += 1  # and it stays marked as what has changed
        return outcome
    try:
        validator.writer.revise(episode.id, _write_patched(validator, episode, text))
        outcome.applied["EPISODE again"] += 1
    except RejectedError as error:
        outcome.add_rejection(error)
        validator.log_rejection("EPISODE", error)
    return outcome


def _write_patched(validator: OperationValidator, episode: Memory, text: str) -> NewWording:
    """Return the wording of a patched summary, with the turn and quote of the former wording.

    Raises:
        RejectedError: it may not be written.
    """
    origin = episode.current.provenance
    turn = validator.tx.conversations.turn(origin.turn_id or "")
    if not text or turn is None:
        raise RejectedError("nothing is left of it")
    content, confirm_reason = validator.check_statement(text, turn)
    _check_may_revise(episode, confirm_reason)
    never = EventTime(None, None)
    claim = validator.claim(content, "", turn, _CONFIDENCE, never)
    consolidated = replace(claim, source=SourceKind.CONSOLIDATED)
    read = interpretation_of_update(validator.tx, episode, content, None, None)
    return validator.wording(consolidated, turn, origin.quote or "", never, read)


def _episode_wording(
    validator: OperationValidator,
    summary: EpisodeSummary,
    content: str,
    passages: dict[int, _Passage],
) -> NewWording:
    """Return the wording of a summary with its quotes, as consolidated: nobody said it so."""
    first = next(iter(passages.values()))
    never = EventTime(None, None)
    claim = validator.claim(content, "", first.turn, _CONFIDENCE, never)
    interpretation = Interpretation(
        mentions=validator.screen_mentions(summary.entities),
        confidence=_CONFIDENCE,
        inferred_by=InferredBy.MODEL,
    )
    consolidated = replace(claim, source=SourceKind.CONSOLIDATED)
    wording = validator.wording(consolidated, first.turn, first.quote, never, interpretation)
    return replace(
        wording,
        passages=tuple(Passage(n, validator.mask_quote(one.quote)) for n, one in passages.items()),
        structural=StructuralLinks(turns=tuple(one.turn.id for one in passages.values())),
    )


def _check_may_revise(episode: Memory, confirm_reason: str | None) -> None:
    """Check that a summary may be revised.

    Raises:
        RejectedError: somebody has decided about it, or the wording waits for confirmation.
    """
    present = episode.current
    if episode.validity is not Validity.ACTIVE or present.inferred_by is not InferredBy.MODEL:
        raise RejectedError("decided by the user")
    if episode.verified or episode.pinned:
        raise RejectedError("confirmed by the user")
    if confirm_reason is not None:
        raise RejectedError(confirm_reason)

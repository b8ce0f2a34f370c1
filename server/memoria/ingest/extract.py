"""Extraction: the turns of one queue entry become memories, and set the session's focus."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from memoria.erasure.suppression import Digester
from memoria.inference.tasks import Extraction, SegmentReading, request_extraction
from memoria.ingest.attribution import attribute_operations, find_participants
from memoria.ingest.episode import apply_summary, is_handed_in, may_sum_up_with_reading, wording_of
from memoria.ingest.processing import (
    ChangedMeanwhileError,
    ExtractionOutcome,
    ProcessorTools,
    entry_turns,
    finish_entry,
    has_something_to_read,
    list_readable,
    list_turns_before,
)
from memoria.ingest.reading_matter import ReadingContext, ShownSegment, list_before, text_to_relate
from memoria.ingest.resolve import Resolver
from memoria.ingest.second_look import Advice, DoubtfulConclusion, SecondLook, find_doubtful
from memoria.ingest.sessions import MOST_RECENT_TASKS
from memoria.language.names.keys import list_telling_words, names_a_task, same_task, shorten_task
from memoria.language.reading.clean import Tally, clean_text
from memoria.language.reading.quotes import find_quote
from memoria.language.reading.statement import sentences_in
from memoria.language.words.analyser import query_terms
from memoria.language.words.document import full_text
from memoria.memories.conditions import condition_of_turn
from memoria.memories.validator import OperationValidator, PromptContents, RejectedError
from memoria.memories.verdicts import ReadAhead, read_ahead
from memoria.model import (
    Add,
    Boost,
    Delete,
    EpisodeSummary,
    Focus,
    InferredBy,
    Link,
    Memory,
    Operation,
    Role,
    StoredTurn,
    TextVectors,
    Update,
)
from memoria.store.rows.transaction import Transaction
from memoria.store.values import LeasedEntry


def follow_reading(validator: OperationValidator, focus: Focus | None) -> None:
    """Update the scratchpad from a model's answer, in the transaction that applies the answer."""
    if focus is None:
        return
    try:
        _follow_model(validator, focus)
    except RejectedError as error:
        validator.log_rejection("FOCUS", error)


def _follow_model(validator: OperationValidator, focus: Focus) -> None:
    turn, _ = validator.locate_quote(focus.turn, focus.quote)
    if turn.role is not Role.USER:
        raise RejectedError("not the user's words")
    if condition_of_turn(validator.tx, turn) is not None:
        raise RejectedError("told on a condition")
    text, doubt = validator.check_statement(focus.task, turn)
    if doubt is not None or not names_a_task(text):
        raise RejectedError(doubt or "names no task")
    if list_telling_words(text).isdisjoint(query_terms(full_text(turn))):
        raise RejectedError("not the user's words")
    pads = validator.tx.scratchpads
    pad = pads.get(turn.session_id)
    task = pad.current_focus if pad else None
    at = min(turn.at, turn.ingested_at)  # a client's clock may run ahead
    if (pad is None or at > pad.updated_at) and not same_task(text, task):
        over, new = [task] if task else [], shorten_task(text)
        pads.put(turn.session_id, new, over, at, MOST_RECENT_TASKS, turn.workspace)


class Extractor:
    """Extracts memories from queue entries, for any tenant."""

    def __init__(self, tools: ProcessorTools) -> None:
        self._tools = tools

    def run(self, entry: LeasedEntry, owner: str, along: Sequence[LeasedEntry] = ()) -> None:
        """Extract memories from an entry's turns; see `EntryProcessor`."""
        in_order = sorted((entry, *along), key=lambda one: one.n)  # the last state is told last
        context = self._load_context(in_order)
        context = self._finish_idle(context, owner)
        if not context.segments:
            return
        proposed = self._ask(entry, context)
        meanings = self._tools.recall.embed_meanings(
            _sentences_proposed(proposed, context), wait=context.compare_meanings
        )
        doubts, ahead = self._look_ahead(entry, context, proposed, meanings)
        most, zone = self._tools.max_output_tokens, self._tools.store.zone
        advice = SecondLook(self._tools.chat, entry.tenant, most, zone).ask(doubts)
        with self._tools.store.write(entry.tenant) as tx:
            _check_nothing_was_forgotten(tx, context)
            validator = self._validator(tx, context, meanings)
            outcome = self._apply(validator, proposed, advice, ahead)
            lead, *others = context.segments
            finish_entry(tx, lead.entry, owner, outcome)
            for segment in others:
                finish_entry(tx, segment.entry, owner, f"read with {lead.entry.id}")
            self._write_summaries(tx, context, proposed, meanings)

    def _load_context(self, entries: Sequence[LeasedEntry]) -> ReadingContext:
        with self._tools.store.read(entries[0].tenant) as tx:
            digester = self._tools.digester(entries[0].tenant)
            segments = tuple(_load_segment(tx, entry, digester) for entry in entries)
            if all(one.is_idle for one in segments):
                return ReadingContext(segments)
            turns = [turn for each in segments for turn in _list_new(each)]
            first = next(one.turns[0] for one in segments if one.turns)
            near = list_turns_before(tx, first.session_n, first.turn_index)
            bearing = self._tools.recall.find_bearing(tx, text_to_relate(turns), first.workspace)
            known = [one for memory in bearing if (one := leave_out_rules(memory, turns))]
            if self._tools.grounds is not None:
                known = self._tools.grounds.mark(entries[0].tenant, tx, known)
            return ReadingContext(
                segments,
                before=list_before(list_readable(tx, near, digester)),
                known=tuple(known),
                participants=find_participants(tx),
                compare_meanings=tx.tombstones.has_meanings(),
            )

    def _finish_idle(self, context: ReadingContext, owner: str) -> ReadingContext:
        """Finish the entries in which nothing is to be read: small talk costs nothing."""
        idle = [one for one in context.segments if one.is_idle]
        if idle:
            with self._tools.store.write(idle[0].entry.tenant) as tx:
                for segment in idle:
                    turns = list_unread(tx, _list_new(segment))
                    tx.conversations.pass_over(turn.n for turn in turns)
                    finish_entry(
                        tx, segment.entry, owner, "small talk" if turns else "nothing left"
                    )
        rest = tuple(one for one in context.segments if one not in idle)
        return replace(context, segments=rest)

    def _ask(self, entry: LeasedEntry, context: ReadingContext) -> Extraction:
        question = request_extraction(
            SegmentReading if context.sums_up else Extraction,
            context.describe(self._tools.store.zone),
            max_output_tokens=self._tools.max_output_tokens,
        )
        proposed = self._tools.chat.ask(entry.tenant, question)
        named = [_name_in_full(one, context.memory_names) for one in proposed.operations]
        prompt = context.prompt_contents()
        placed = [_place_quote(one, prompt.turns) for one in named]
        operations = attribute_operations(placed, prompt, context.participants)
        return proposed.model_copy(update={"operations": operations})

    def _look_ahead(
        self,
        entry: LeasedEntry,
        context: ReadingContext,
        proposed: Extraction,
        meanings: TextVectors,
    ) -> tuple[list[DoubtfulConclusion], ReadAhead]:
        """Find proposals for a second look, and memories that proposals will be compared with."""
        with self._tools.store.read(entry.tenant) as tx:
            validator = self._validator(tx, context, meanings)
            doubts = find_doubtful(
                validator, proposed.operations, self._tools.recall, meanings, context.participants
            )
            claimed = [one.content for one in proposed.operations if isinstance(one, Add)]
            workspaces = {turn.workspace for turn in validator.prompt_turns}
            return doubts, read_ahead(tx, claimed, workspaces)

    def _validator(
        self, tx: Transaction, context: ReadingContext, meanings: TextVectors
    ) -> OperationValidator:
        """Return a validator that knows only those turns that are still unprocessed."""
        prompt = context.prompt_contents()
        now = tx.conversations.turns([turn.n for turn in prompt.turns.values()])
        unread = {turn.n: turn for turn in list_unread(tx, now.values())}
        turns = {i: unread[turn.n] for i, turn in prompt.turns.items() if turn.n in unread}
        left = PromptContents(turns, prompt.memories)
        return self._tools.validator(tx, context.segments[0].entry, left, meanings)

    def _apply(
        self, validator: OperationValidator, proposed: Extraction, advice: Advice, ahead: ReadAhead
    ) -> str:
        resolver = Resolver(validator, advice, ahead)
        outcome = resolver.apply(proposed.operations)
        follow_reading(validator, proposed.focus)
        finish_reading(validator, resolver)
        return str(outcome)

    def _write_summaries(
        self, tx: Transaction, context: ReadingContext, proposed: Extraction, meanings: TextVectors
    ) -> None:
        """Write the segments' summaries; one that changed meanwhile is summed up by itself."""
        if not isinstance(proposed, SegmentReading) or proposed.episodes is None:
            return
        for segment in context.segments:
            if segment.summary_n is None:
                continue
            digester = self._tools.digester(segment.entry.tenant)
            now = [turn.n for turn in list_readable(tx, entry_turns(tx, segment.entry), digester)]
            if now != [turn.n for turn in segment.turns]:
                continue
            prompt = PromptContents(context.numbers_of(segment), {})
            validator = self._tools.validator(tx, segment.entry, prompt, meanings)
            summary = _find_summary(context, segment, proposed.episodes)
            outcome = (
                apply_summary(validator, segment.entry, summary, segment.turns)
                if summary.summary
                else ExtractionOutcome()
            )
            tx.queue.finish_summary(segment.summary_n, str(outcome))


def _load_segment(tx: Transaction, entry: LeasedEntry, digester: Digester) -> ShownSegment:
    """Load the turns shown of an entry: the unread ones, or all where it is summed up as well."""
    turns = list_readable(tx, entry_turns(tx, entry), digester)
    unread = tuple(list_unread(tx, turns))
    unread_ns = frozenset(turn.n for turn in unread)
    before = list_turns_before(tx, entry.session_n, entry.first_index)
    is_idle = not has_something_to_read(unread, (*list_before(before), *turns))
    is_open = all(condition_of_turn(tx, turn) is None for turn in turns)
    if entry.attempts == 1 and is_open and may_sum_up_with_reading(turns):
        summary_n = tx.queue.find_summary(entry.session_n, entry.first_index, entry.last_index)
        if summary_n is not None and not is_handed_in(tx, entry):
            return ShownSegment(entry, tuple(turns), unread_ns, summary_n, is_idle)
    return ShownSegment(entry, unread, unread_ns, is_idle=is_idle)


def leave_out_rules(memory: Memory, turns: Sequence[StoredTurn]) -> Memory | None:
    """Return a memory without the wordings that rules read in the turns; None if none is left.

    The model is to conclude for itself what the turns say, and not to leave it out as known; what
    it does not conclude is archived. What was asked to be remembered is the user's own word.
    """
    ids = {turn.id for turn in turns}
    former = tuple(
        version
        for version in memory.versions
        if version.inferred_by is not InferredBy.RULES
        or version.is_verbatim
        or version.provenance.turn_id not in ids
    )
    return memory.model_copy(update={"versions": former}) if former else None


def _list_new(segment: ShownSegment) -> list[StoredTurn]:
    return [turn for turn in segment.turns if turn.n in segment.unread]


def _find_summary(
    context: ReadingContext, segment: ShownSegment, summaries: Sequence[EpisodeSummary]
) -> EpisodeSummary:
    """Return the first summary that quotes a turn of a segment; an empty summary without one."""
    if len(context.segments) == 1:
        return summaries[0] if summaries else EpisodeSummary()
    numbers = context.numbers_of(segment)
    own = (one for one in summaries if any(quote.turn in numbers for quote in one.quotes))
    return next(own, EpisodeSummary())


def _name_in_full(operation: Operation, ids: dict[str, str]) -> Operation:
    """Return a proposed change with full ids of memories in place of its short ids."""
    match operation:
        case Update() | Delete() | Boost():
            return operation.model_copy(update={"id": ids.get(operation.id, operation.id)})
        case Link(src=src, dst=dst):
            names = {"src": ids.get(src, src), "dst": ids.get(dst, dst)}
            return operation.model_copy(update=names)
        case _:
            return operation


def _place_quote(operation: Operation, turns: Mapping[int, StoredTurn]) -> Operation:
    """Return a proposed change with the number of the only turn that contains its quote."""
    if not isinstance(operation, Add | Update | Delete):
        return operation
    own = turns.get(operation.turn)
    if own is not None and find_quote(operation.quote, full_text(own)) is not None:
        return operation
    places = [n for n, turn in turns.items() if find_quote(operation.quote, full_text(turn))]
    return operation.model_copy(update={"turn": places[0]}) if len(places) == 1 else operation


def _sentences_proposed(proposed: Extraction, context: ReadingContext) -> list[str]:
    """List sentences that may become memories, without secrets: an embedder may be remote."""
    contents = [one.content for one in proposed.operations if isinstance(one, Add | Update)]
    if context.compare_meanings and isinstance(proposed, SegmentReading):
        contents += [wording_of(one, context.turns) for one in proposed.episodes or ()]
    return split_conclusions(contents)


def split_conclusions(contents: Iterable[str]) -> list[str]:
    """List the sentences of conclusions, without secrets, as an embedder may be given them."""
    return [piece for text in contents for piece in sentences_in(clean_text(text, Tally()).strip())]


def _check_nothing_was_forgotten(tx: Transaction, context: ReadingContext) -> None:
    """Check that nothing the model saw was forgotten meanwhile, as its answer may repeat that.

    Raises:
        ChangedMeanwhileError: something that the model saw was forgotten.
    """
    prompt = list({turn.n for turn in (*context.turns, *context.before)})
    readable = [turn.n for turn in tx.conversations.turns(prompt).values() if not turn.suppressed]
    is_forgotten = any(tx.memories.get(memory.id) is None for memory in context.known)
    if is_forgotten or len(readable) < len(prompt):
        entry_id = context.segments[0].entry.id
        raise ChangedMeanwhileError(f"Something that {entry_id} was read with is forgotten.")


def list_unread(tx: Transaction, turns: Iterable[StoredTurn]) -> list[StoredTurn]:
    """List the unread turns from which no memory awaits confirmation."""
    unprocessed = [
        turn for turn in turns if turn.current and not (turn.suppressed or turn.processed)
    ]
    ns = [turn.n for turn in unprocessed]
    read = tx.memories.list_awaiting_turns(ns) | tx.conversations.list_passed_over(ns)
    return [turn for turn in unprocessed if turn.n not in read]


def finish_reading(validator: OperationValidator, resolver: Resolver) -> None:
    """Mark the turns as read, and archive the rules' conclusions that the model does not share."""
    turns = validator.prompt_turns
    understood = [turn for turn in turns if turn.n not in validator.misread_turns]
    _archive_rule_conclusions(validator, understood, resolver.echo_ids)
    _mark_read(validator)


def _mark_read(validator: OperationValidator) -> None:
    """Mark the turns as read, except those of memories that wait for confirmation.

    Turns with a memory count as processed and leave the first level; the others are passed over.
    """
    turns, tx = validator.prompt_turns, validator.tx
    ns = [turn.n for turn in turns]
    awaiting, spoken_for = tx.memories.list_awaiting_turns(ns), tx.memories.list_spoken_for(ns)
    read = [turn for turn in turns if turn.n not in awaiting]
    tx.conversations.mark_processed(turn for turn in read if turn.n in spoken_for)
    tx.conversations.pass_over(turn.n for turn in read if turn.n not in spoken_for)


def _archive_rule_conclusions(
    validator: OperationValidator, turns: Sequence[StoredTurn], echo_ids: AbstractSet[str]
) -> None:
    """Archive the conclusions of rules from some turns that the model does not share."""
    memories = validator.tx.memories
    for memory_id in memories.list_concluded_from([turn.n for turn in turns], InferredBy.RULES):
        memory = validator.writer.require(memory_id)
        is_asked_for = memory.current.is_verbatim
        if not (is_asked_for or memory_id in echo_ids or memory.verified or memory.pinned):
            validator.writer.end(memory_id, "it read the turn and does not say the same")

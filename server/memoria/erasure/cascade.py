"""Cascade: what falls with a forgotten record because it rests on it or states it again."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from memoria.language.reading.recognition import (
    place_of,
    read_statement,
    recognition_key,
    split_sentences,
)
from memoria.language.reading.statement import peel
from memoria.language.words.analyser import name_key, word_terms
from memoria.language.words.document import full_text
from memoria.model import InferredBy, Memory
from memoria.store.rows.erasures import Dependent, Relation
from memoria.store.rows.transaction import Transaction


def find_unsupported(tx: Transaction, turn_ns: Sequence[int]) -> list[str]:
    """Find the ids of the conclusions that have no other source than the given turns."""
    return [
        one.memory_id
        for one in tx.dependencies.list_dependents([], turn_ns)
        if is_conclusion(one) and not one.has_other_source
    ]


def is_conclusion(dependent: Dependent) -> bool:
    """Check whether a memory was concluded from turns, and stated by nobody."""
    return dependent.relation == "evidence" and not dependent.is_stated


def find_dependents(
    tx: Transaction, memory_ids: Sequence[str], turn_ns: Sequence[int]
) -> dict[str, Relation]:
    """Map the memories that depend on given memories or turns, at any distance, to the reason.

    A dependent memory was derived from one of the memories, waits to correct one, or sums up turns.
    """
    found: dict[str, Relation] = {}
    new = _list_whole(tx, memory_ids, turn_ns)
    while new:
        found |= new
        further = _list_whole(tx, [*memory_ids, *found], [])
        new = {one: relation for one, relation in further.items() if one not in found}
    return found


def _list_whole(
    tx: Transaction, memory_ids: Sequence[str], turn_ns: Sequence[int]
) -> dict[str, Relation]:
    dependents = tx.dependencies.list_dependents(memory_ids, turn_ns)
    return {one.memory_id: one.relation for one in dependents if one.relation != "evidence"}


def delete_dependents(
    tx: Transaction, memory_ids: Sequence[str], turn_ns: Sequence[int], spared: Collection[str] = ()
) -> list[str]:
    """Erase the memories that were derived from given memories or sum up given turns.

    To be called before the memories and turns are erased or suppressed. The rest of a segment whose
    summary goes is queued to be summed up again. Steps of an unfinished nightly run that concern
    any of the memories are taken off its plan.

    Returns:
        The ids of what was erased.
    """
    dependents = [one for one in find_dependents(tx, memory_ids, turn_ns) if one not in spared]
    tx.nightly_runs.drop_items([*memory_ids, *dependents])
    tx.episodes.requeue_summaries(turn_ns)
    for memory_id in dependents:
        tx.memories.erase(memory_id)
    return dependents


def delete_memory(tx: Transaction, memory_id: str, now: int) -> None:
    """Erase a memory in all its wordings; turns that it summed up are not summed up again."""
    tx.episodes.stop_summarising(memory_id, now)
    tx.memories.erase(memory_id)


def drop_lost_subjects(tx: Transaction, survivors: Iterable[str], erased: Sequence[str]) -> None:
    """Remove the subjects of conclusions that no remaining text names.

    To be called after the turns were erased. What somebody stated has the subject that they gave.
    """
    for memory in filter(None, map(tx.memories.get, survivors)):
        is_stated = memory.current.inferred_by is InferredBy.STATEMENT
        subject = name_key(memory.subject or "")
        if is_stated or not any(subject and subject in name_key(text) for text in erased):
            continue
        turns = (tx.conversations.turn(one.turn_id) for one in tx.memories.list_evidence(memory.id))
        texts = [memory.content, *(full_text(turn) for turn in turns if turn is not None)]
        if not any(subject in name_key(text) for text in texts):
            tx.memories.set_subject(memory.id, None)


def part_unsupported(tx: Transaction) -> None:
    """Separate entities that a model has joined by a name that was just erased."""
    for entity_id in tx.dependencies.list_unsupported_joins():
        tx.graph.split_entity(entity_id)


def drop_unsupported(tx: Transaction, survivors: Sequence[str], now: int) -> None:
    """Delete entries and edges that lost their last source with turns that were just erased."""
    tx.dependencies.drop_unsupported_entries(now)
    tx.dependencies.drop_unsupported_edges(survivors)


_LEAST_TERMS = 2
_OF_ANSWERS = frozenset(
    word_terms(
        """yes no yeah yep nope ok okay sure right exactly correct true fine good great nice thanks
        thank please sounds sound agree agreed course absolutely definitely maybe perfect well like
        want 是 对 好 的 可以 没错 谢谢 行 嗯 不 没"""
    )
)


def list_restatements(tx: Transaction, memory: Memory) -> list[str]:
    """List the statements in which a memory could be said again, each in one spelling."""
    wordings = [version.content for version in memory.versions]
    quoted = {version.provenance.quote: version.provenance.turn_id for version in memory.versions}
    quoted |= {one.quote: one.turn_id for one in tx.memories.list_evidence(memory.id)}
    sources = list[str]()
    for quote, turn_id in quoted.items():
        turn = tx.conversations.turn(turn_id) if turn_id is not None and quote else None
        around = _list_sentences_around(quote, full_text(turn)) if quote and turn else []
        sources += [] if quote is None else around if not _list_telling(quote) else [quote]
    return derive_restatements(wordings, sources)


def derive_restatements(wordings: Sequence[str], quotes: Iterable[str]) -> list[str]:
    """List the statements in which a memory with these wordings and quotes could be said again."""
    terms = {term for wording in wordings for term in word_terms(wording)}
    texts = list(wordings)
    for quote in quotes:
        sentences = _list_telling(quote)
        texts += [one for one in sentences if terms & {*word_terms(one)}] or sentences
    found = (each for text in texts for each in _unwrap(text))
    return list({recognition_key(text): text for text in found}.values())


def _list_telling(text: str) -> list[str]:
    """List the sentences of a text that tell something by themselves."""
    return [one.strip() for one in split_sentences(text) if is_telling(one)]


def _list_sentences_around(quote: str, text: str) -> list[str]:
    """List the sentences of a turn around a quote that is too short to tell anything."""
    reading = read_statement(quote)
    return [
        sentence.strip()
        for sentence in split_sentences(text)
        if read_statement(sentence).states(reading, "anywhere") and is_telling(sentence)
    ]


def is_telling(sentence: str) -> bool:
    """Check whether a sentence tells something by itself, unlike "yes, that sounds good"."""
    if place_of(read_statement(sentence).words) != "anywhere":
        return False
    terms = [term for term in word_terms(sentence) if term not in _OF_ANSWERS]
    return len(terms) >= _LEAST_TERMS


def _unwrap(text: str) -> Iterator[str]:
    """Yield a text without its wrapping, and the whole text if the rest is too short."""
    inner = peel(text)
    if inner != text:
        yield inner
    if inner == text or place_of(read_statement(inner).words) not in ("anywhere", "end"):
        yield text

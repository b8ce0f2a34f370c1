"""Concepts: a chat model concludes from related memories, and its words are checked.

A concept must be borne out by passages of at least two of them and hold no number that none of
these has. It rests on the memories that it quotes. It may say nothing that was forgotten, nothing
personal and no order: such an answer is thrown away before it is written down anywhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.inference.chat.client import ChatClient
from memoria.inference.tasks import request_concept
from memoria.ingest.processing import compact_json, shorten_statement
from memoria.language.reading.clean import Tally, clean_text
from memoria.language.reading.quotes import find_quote
from memoria.language.reading.statement import says_the_same, sentences_in
from memoria.language.words.script import is_cjk
from memoria.lifecycle.derivation import derivation_validator
from memoria.lifecycle.interface import StepContext
from memoria.memories.days import date_of_memory
from memoria.memories.validator import RejectedError
from memoria.model import NO_TEXT_VECTORS, InferredBy, Memory
from memoria.model.reflection import Concept
from memoria.model.zone import Zone

_NUMBER = lazy_regex(r"\d+(?:[.,:]\d+)*")
MIN_QUOTED_MEMORIES = 2


@dataclass(frozen=True, slots=True)
class ProposedConcept:
    """Concept that a model has made of some memories."""

    content: str
    quoted: tuple[str, ...]
    """Ids of the memories that it quotes."""


def propose_concept(
    context: StepContext, chat: ChatClient, memories: Sequence[Memory]
) -> ProposedConcept:
    """Propose the concept that some memories amount to.

    Args:
        context: whose tokens are spent.
        chat: the chat model.
        memories: of one scope.

    Raises:
        RejectedError: they come to nothing, or to nothing that may be said.
        ChatModelError: the model gave no answer.
        EmbedderError: what was forgotten can't be known again by its meaning now.
    """
    lines = _list_memories(memories, context.store.zone)
    question = request_concept(memories="\n".join(lines), max_output_tokens=context.output_tokens)
    answer = chat.ask(context.tenant, question)
    quoted = _find_quoted(answer, memories)
    wording = _check_wording(answer, memories, quoted)
    with context.store.read(context.tenant) as tx:
        by_meaning = tx.tombstones.has_meanings()
    pieces = list(sentences_in(clean_text(wording, Tally()).strip())) if by_meaning else []
    known = (
        context.recall.embed_meanings(pieces, wait=True)
        if context.recall and pieces
        else NO_TEXT_VECTORS
    )
    with context.store.read(context.tenant) as tx:
        said = derivation_validator(tx, context, InferredBy.MODEL, known)
        content = said.check_derived(wording, memories)
    return ProposedConcept(content, tuple(memory.id for memory in quoted))


def _list_memories(memories: Sequence[Memory], zone: Zone) -> Iterator[str]:
    """Yield a line for each memory; a day stands with the first that was said on it."""
    last = ""
    for number, memory in enumerate(memories, 1):
        day = date_of_memory(memory, zone)
        said_on = {} if day == last else {"said_on": day}
        yield compact_json(
            {"number": number, "memory": shorten_statement(memory.content), **said_on}
        )
        last = day


def _find_quoted(answer: Concept, memories: Sequence[Memory]) -> list[Memory]:
    """Return the memories that the answer really quotes, in their order."""
    if answer.action == "SKIP":
        raise RejectedError("they come to nothing together")
    texts = dict(enumerate((shorten_statement(memory.content) for memory in memories), 1))
    numbers = {
        passage.memory
        for passage in answer.quotes
        if passage.memory in texts and find_quote(passage.quote, texts[passage.memory])
    }
    if len(numbers) < MIN_QUOTED_MEMORIES:
        raise RejectedError("not borne out by its memories")
    return [memories[number - 1] for number in sorted(numbers)]


def _check_wording(answer: Concept, memories: Sequence[Memory], quoted: Sequence[Memory]) -> str:
    """Return the name and the sentence in one line, if the quoted memories support them."""
    wording = _format_concept(answer)
    quoted_texts = " ".join(shorten_statement(memory.content) for memory in quoted)
    if not set(_NUMBER.findall(wording)) <= set(_NUMBER.findall(quoted_texts)):
        raise RejectedError("a number that no memory it quotes has")
    if any(says_the_same(answer.content, shorten_statement(m.content)) for m in memories):
        raise RejectedError("one of them says it already")
    return wording


def _format_concept(answer: Concept) -> str:
    colon = "：" if is_cjk(answer.content) else ": "
    return " ".join(f"{answer.name}{colon}{answer.content}".split())

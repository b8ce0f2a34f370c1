"""Conceive: a model says what memories that hang together come to, in words that are checked.

What it says must be borne out by passages of at least two of them and hold no number that none of
them has. It may say nothing that was forgotten, nothing personal and no order: such an answer is
thrown away before it is written down anywhere.
"""

import json
import re
from collections.abc import Sequence

from memoria.inference.chat.gate import Gate
from memoria.inference.tasks import concept
from memoria.ingest.clean import Tally, clean_text
from memoria.ingest.grounds import RejectedError
from memoria.ingest.quotes import find_quote
from memoria.ingest.reading import stated
from memoria.lifecycle.drawing import grounds, least_trust
from memoria.lifecycle.face import Night
from memoria.model import NO_MEANINGS, InferredBy, Memory, iso
from memoria.model.reflection import Concept
from memoria.text.script import is_cjk
from memoria.text.statement import says_the_same, sentences_in

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_LEAST_BORNE_OUT = 2


def conceive(night: Night, gate: Gate, memories: Sequence[Memory]) -> str:
    """What some memories come to.

    Args:
        night: whose tokens are spent.
        gate: the way to the model.
        memories: of one scope.

    Raises:
        RejectedError: they come to nothing, or to nothing that may be said.
        ChatModelError: the model gave no answer.
        EmbedderError: what was forgotten can't be known again by its meaning now.
    """
    lines = "\n".join(_line(number, memory) for number, memory in enumerate(memories, 1))
    question = concept(memories=lines, max_output_tokens=night.output_tokens)
    wording = _borne_out(gate.ask(night.tenant, question), memories)
    with night.store.read(night.tenant) as tx:
        by_meaning = tx.tombstones.know_meanings()
    pieces = list(sentences_in(clean_text(wording, Tally()).strip())) if by_meaning else []
    known = night.recall.meanings(pieces, wait=True) if night.recall and pieces else NO_MEANINGS
    with night.store.read(night.tenant) as tx:
        said = grounds(tx, night, InferredBy.MODEL, known)
        return said.concluded(wording, least_trust(memories))


def _line(number: int, memory: Memory) -> str:
    shown = {
        "number": number,
        "memory": stated(memory.content),
        "said_on": iso(memory.current.valid_from)[:10],
    }
    return json.dumps(shown, ensure_ascii=False)


def _borne_out(answer: Concept, memories: Sequence[Memory]) -> str:
    """The name and the sentence, in one line."""
    if answer.action == "SKIP":
        raise RejectedError("they come to nothing together")
    texts = dict(enumerate((stated(memory.content) for memory in memories), 1))
    quoted = {
        passage.memory
        for passage in answer.quotes
        if passage.memory in texts and find_quote(passage.quote, texts[passage.memory])
    }
    if len(quoted) < _LEAST_BORNE_OUT:
        raise RejectedError("not borne out by its memories")
    wording = _in_one_line(answer)
    if not set(_NUMBER.findall(wording)) <= set(_NUMBER.findall(" ".join(texts.values()))):
        raise RejectedError("a number that no memory has")
    if any(says_the_same(answer.content, text) for text in texts.values()):
        raise RejectedError("one of them says it already")
    return wording


def _in_one_line(answer: Concept) -> str:
    colon = "：" if is_cjk(answer.content) else ": "
    return " ".join(f"{answer.name}{colon}{answer.content}".split())

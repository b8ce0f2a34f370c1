"""Adjudication: a chat model rules on how one memory relates to another."""

from collections.abc import Mapping, Sequence

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import ChatModelError, InvalidAnswerError, ModelRefusedError
from memoria.inference.chat.client import ChatClient
from memoria.inference.tasks import request_rulings
from memoria.ingest.processing import compact_json, describe_pair, shorten_statement
from memoria.language.names.roles import parse_sentence
from memoria.language.reading.statement import differs_in_number_or_negation
from memoria.lifecycle.interface import StepContext
from memoria.memories.days import date_of_memory
from memoria.model import Memory, Relation
from memoria.model.zone import Zone
from memoria.policy.merging import Pair

_AT_ONCE = 20
_DIGITS = lazy_regex(r"\d+")


def adjudicate_pairs(
    context: StepContext, chat: ChatClient, memories: Mapping[str, Memory], pairs: Sequence[Pair]
) -> tuple[dict[Pair, Relation], str | None]:
    """Ask for a ruling on each pair; return them, and why some pairs were not asked about, if any.

    A ruling that two are the same is not believed where one of them turns the other round.

    Args:
        context: whose tokens are spent, and up to how many an answer may take.
        chat: the chat model.
        memories: by id.
        pairs: ids; the surest first.
    """
    ruled: dict[Pair, Relation] = {}
    pairs = [pair for pair in pairs if all(_fits_whole(memories[i]) for i in pair)]
    for first in range(0, len(pairs), _AT_ONCE):
        asked = [_oldest_first(memories, pair) for pair in pairs[first : first + _AT_ONCE]]
        try:
            found = _ask(context, chat, asked)
        except (InvalidAnswerError, ModelRefusedError):
            continue
        except ChatModelError as error:
            return (
                ruled,
                f"{len(pairs) - first} of {len(pairs)} pairs were not asked about: {error}",
            )
        for (known, new), relation in zip(asked, found, strict=True):
            doubted = relation == "same" and _may_differ(known.content, new.content)
            if relation is not None and not doubted:
                ruled[min(known.id, new.id), max(known.id, new.id)] = relation
    return ruled, None


def _may_differ(one: str, other: str) -> bool:
    """Check whether one of two statements may turn the other round, or have another number.

    Not every word for a number counts something ("一下雨就"), and two statements may deny the same
    in two ways ("can't stand", "does not like"): so the sentences are compared and not their words.
    """
    if not differs_in_number_or_negation(one, other):
        return False
    if set(_DIGITS.findall(one)) != set(_DIGITS.findall(other)):
        return True
    return parse_sentence(one).negated != parse_sentence(other).negated


def _fits_whole(memory: Memory) -> bool:
    """Check whether the whole memory fits into a question: its beginning alone would not do."""
    return shorten_statement(memory.content) == memory.content


def _oldest_first(memories: Mapping[str, Memory], pair: Pair) -> tuple[Memory, Memory]:
    """Return the two memories of a pair, the older one first."""
    one, other = sorted(
        (memories[memory_id] for memory_id in pair), key=lambda m: (m.current.valid_from, m.id)
    )
    return one, other


def _ask(
    context: StepContext, chat: ChatClient, pairs: Sequence[tuple[Memory, Memory]]
) -> list[Relation | None]:
    lines = (_line(number, *pair, context.store.zone) for number, pair in enumerate(pairs, 1))
    question = request_rulings(pairs="\n".join(lines), max_output_tokens=context.output_tokens)
    answers = {r.pair: r.relation for r in chat.ask(context.tenant, question).rulings}
    return [answers.get(number) for number in range(1, len(pairs) + 1)]


def _line(number: int, known: Memory, new: Memory, zone: Zone) -> str:
    both = ((shorten_statement(one.content), date_of_memory(one, zone)) for one in (known, new))
    return compact_json({"number": number, **describe_pair(*both)})

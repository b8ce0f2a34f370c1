"""Does it keep silent when asked about somebody else's conversations?

Every tenant is asked its own questions and, in between, some that only another tenant could answer:
the same call, the same settings. LoCoMo conversations are asked about each other, MemoryBank users
about other users of their language, and the Chinese users what CMRC's passages answer. The choice
is drawn with a fixed seed.

Users of MemoryBank talk about much the same things: read beside their chats, about a dozen of the
300 questions to them happen to have an answer there, such as a birthday. Perfect silence is not to
be wished for. LoCoMo's conversations and CMRC's passages have no such overlap worth naming.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bench.data import LOCOMO, Conversation, DataSet, Question
from bench.recall.cmrc import CMRC
from bench.recall.memorybank import SAME_LANGUAGE

_SEED = 20_260_601
_ANSWERABLE = {1, 2, 3, 4}
_OF_LOCOMO = 60
_OF_USERS = 10
_OF_CMRC = 20
"""Foreign questions for each conversation: 300 of each sort in all."""


def conversations(folder: Path) -> tuple[Conversation, ...]:
    """LoCoMo's conversations and MemoryBank's users, with foreign questions among their own."""
    passages = [q for each in CMRC.read(folder) for q in each.questions]
    return (*_locomo(LOCOMO.read(folder)), *_users(SAME_LANGUAGE.read(folder), passages))


def _locomo(conversations: Sequence[Conversation]) -> Iterator[Conversation]:
    for each in conversations:
        others = [
            q
            for other in conversations
            if other is not each
            for q in other.questions
            if q.category in _ANSWERABLE
        ]
        own = (
            replace(q, category="locomo" if q.category in _ANSWERABLE else "locomo 5")
            for q in each.questions
        )
        yield _mix_conversations(
            each, own, _draw_questions(each.name, others, _OF_LOCOMO, "locomo foreign")
        )


def _users(users: Sequence[Conversation], passages: Sequence[Question]) -> Iterator[Conversation]:
    for each in users:
        language = each.name[:2]
        others = [
            q
            for other in users
            if other is not each and other.name.startswith(language)
            for q in other.questions
        ]
        foreign = _draw_questions(each.name, others, _OF_USERS, "users foreign")
        if language == "zh":
            foreign += _draw_questions(each.name, passages, _OF_CMRC, "cmrc foreign")
        own = (replace(q, category="users") for q in each.questions)
        yield _mix_conversations(each, own, foreign)


def _draw_questions(
    name: str, pool: Sequence[Question], most: int, category: str
) -> list[Question]:
    """So many questions of others, the same in every run, with nothing that answers them here."""
    drawn = random.Random(f"{_SEED} {name} {category}").sample(pool, most)  # noqa: S311  (a sample, no secret)
    return [Question(q.text, category, frozenset()) for q in drawn]


def _mix_conversations(
    conversation: Conversation, own: Iterator[Question], foreign: Sequence[Question]
) -> Conversation:
    asked = [*own, *foreign]
    random.Random(f"{_SEED} {conversation.name}").shuffle(asked)  # noqa: S311  (an order, no secret)
    return replace(conversation, questions=tuple(asked))


FOREIGN = DataSet(
    files=(*LOCOMO.files, *SAME_LANGUAGE.files, *CMRC.files),
    read=conversations,
    slices={
        "locomo 1-4": {"locomo"},
        "locomo 5": {"locomo 5"},
        "locomo foreign": {"locomo foreign"},
        "users": {"users"},
        "users foreign": {"users foreign"},
        "cmrc foreign": {"cmrc foreign"},
        "foreign": {"locomo foreign", "users foreign", "cmrc foreign"},
        "overall": {"locomo", "users"},
    },
)
"""`overall` is what each tenant can answer, `foreign` what none of them can."""

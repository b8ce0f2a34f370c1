"""Does it keep silent when asked about somebody else's conversations?

Every tenant is asked its own questions and, in between, some that only another tenant could answer:
the same call, the same settings. LoCoMo conversations are asked about each other and about
BEAM's chats, these about LoCoMo's, MemoryBank users about other users of their language, and the
Chinese users what CMRC's passages answer and, in short questions and in long ones after much talk,
what MemDaily's users told. The choice is drawn with a fixed seed.

Users of MemoryBank talk about much the same things: read beside their chats, about a dozen of the
300 questions to them happen to have an answer there, such as a birthday. Perfect silence is not to
be wished for. LoCoMo's conversations and CMRC's passages have no such overlap worth naming. BEAM's
chats have with each other, so none is asked what another one answers.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bench.data import LOCOMO, Conversation, DataSet, Question
from bench.recall.beam import BEAM
from bench.recall.cmrc import CMRC
from bench.recall.memdaily import MEMDAILY
from bench.recall.memorybank import SAME_LANGUAGE

_SEED = 20_260_601
_ANSWERABLE = {1, 2, 3, 4}
_OF_LOCOMO = 60
_OF_USERS = 10
_OF_CMRC = 20
"""Foreign questions for each conversation: 300 of each sort in all."""
_OF_BEAM = 20
_TO_BEAM = 10
_OF_MEMDAILY = 7
_NOISY = "noisy"
"""MemDaily's class of long questions."""


def conversations(folder: Path) -> tuple[Conversation, ...]:
    """LoCoMo's conversations and MemoryBank's users, with foreign questions among their own."""
    passages = [q for each in CMRC.read(folder) for q in each.questions]
    days = [q for each in MEMDAILY.read(folder) for q in each.questions]
    friends, chats = LOCOMO.read(folder), BEAM.read(folder)
    users = SAME_LANGUAGE.read(folder)
    return (*_locomo(friends, chats), *_beam(chats, friends), *_users(users, passages, days))


def _locomo(
    conversations: Sequence[Conversation], chats: Sequence[Conversation]
) -> Iterator[Conversation]:
    at_work = [q for chat in chats for q in chat.questions if q.gold]
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
        foreign = _draw_questions(each.name, others, _OF_LOCOMO, "locomo foreign")
        foreign += _draw_questions(each.name, at_work, _OF_BEAM, "locomo of beam")
        yield _mix_conversations(each, own, foreign)


def _beam(
    chats: Sequence[Conversation], conversations: Sequence[Conversation]
) -> Iterator[Conversation]:
    among_friends = [
        q for each in conversations for q in each.questions if q.category in _ANSWERABLE
    ]
    for chat in chats:
        own = (replace(q, category="beam") for q in chat.questions if q.gold)
        foreign = _draw_questions(chat.name, among_friends, _TO_BEAM, "beam of locomo")
        yield _mix_conversations(chat, own, foreign)


def _users(
    users: Sequence[Conversation], passages: Sequence[Question], days: Sequence[Question]
) -> Iterator[Conversation]:
    long = [q for q in days if q.category == _NOISY]
    short = [q for q in days if q.category != _NOISY]
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
            foreign += _draw_questions(each.name, short, _OF_MEMDAILY, "users of memdaily")
            foreign += _draw_questions(each.name, long, _OF_MEMDAILY, "users of memdaily, long")
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
    files=(*LOCOMO.files, *BEAM.files, *MEMDAILY.files, *CMRC.files),
    read=conversations,
    slices={
        "locomo 1-4": {"locomo"},
        "locomo 5": {"locomo 5"},
        "locomo foreign": {"locomo foreign"},
        "locomo of beam": {"locomo of beam"},
        "beam": {"beam"},
        "beam of locomo": {"beam of locomo"},
        "users": {"users"},
        "users foreign": {"users foreign"},
        "cmrc foreign": {"cmrc foreign"},
        "users of memdaily": {"users of memdaily"},
        "users of memdaily, long": {"users of memdaily, long"},
        "foreign": {
            "locomo foreign",
            "users foreign",
            "cmrc foreign",
            "locomo of beam",
            "beam of locomo",
            "users of memdaily",
            "users of memdaily, long",
        },
        "overall": {"locomo", "users", "beam"},
    },
)
"""`overall` is what each tenant can answer, `foreign` what none of them can."""

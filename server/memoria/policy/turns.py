"""Turns: the speaker of a turn, and whether a turn is extracted at once, later or never.

No model is asked. A turn that asks to have something remembered, or is a standing wish
(`language/statements/plain_statements`), is extracted at once, however much was extracted before. A
turn that may contain something waits for its segment. Small talk, tool traffic, long stories and
text that nobody in the conversation wrote are only recorded.

Where turns with the role `user` carry names, two names are two people, and only one of them can be
the user: whoever was alone with the assistant until somebody spoke in another session. Where the
first session was shared from its beginning, nobody is known to be the user. Once a second person
has spoken, the answer never changes, so that one person stays one subject.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.names.keys import USER, subject_key
from memoria.language.reading.own_words import BLOT, blot_foreign_text, own_sentences
from memoria.language.statements.plain_statements import PlainStatements, find_plain_statements
from memoria.language.words.analyser import name_key
from memoria.model import Role, StoredTurn, UserSpeaker

LEAST_WEIGHT = 30
_STORY_WEIGHT = 3_000
"""Weight of the speaker's own words; a question about a long piece of code is no story."""
_LONGEST_WEIGHT = 20_000
_LONGEST_SMALL_TALK = 100
_CJK_WEIGHT = 3
_CJK = lazy_regex(
    "[\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff]"
)


class ExtractionReason(StrEnum):
    """Reason to extract a turn at once, the most urgent first."""

    REMEMBER = "remember"
    RULE = "rule"


RecordOnlyReason = Literal["empty", "small talk", "tool traffic", "story", "not their own words"]


@dataclass(frozen=True, slots=True)
class ExtractNow:
    """Verdict: the turn asks for something that lasts, and is extracted at once."""

    reason: ExtractionReason
    priority: int
    """The lower, the earlier in the queue."""


@dataclass(frozen=True, slots=True)
class ExtractLater:
    """Verdict: the turn may contain something, and is extracted with its segment."""


@dataclass(frozen=True, slots=True)
class RecordOnly:
    """Verdict: the turn is only recorded, so that no memory is made of the turn alone."""

    reason: RecordOnlyReason


Route = ExtractNow | ExtractLater | RecordOnly


def text_weight(text: str) -> int:
    """Return the length of a text: a CJK character counts three, and white space nothing."""
    cjk = 0 if text.isascii() else len(_CJK.findall(text))
    return len("".join(text.split())) + (_CJK_WEIGHT - 1) * cjk


def is_worth_extracting(text: str, *, least: int = LEAST_WEIGHT) -> bool:
    """Check whether a text that no rule matches is long enough for a call of the model."""
    return text_weight(text) >= least


def route_turn(
    role: Role, text: str, *, tool_call: bool = False, found: PlainStatements | None = None
) -> Route:
    """Decide whether a turn is extracted at once, later, or only recorded."""
    if tool_call or role in (Role.TOOL, Role.SYSTEM):
        return RecordOnly("tool traffic")
    if not text.strip():
        return RecordOnly("empty")
    if text_weight(text) >= _LONGEST_WEIGHT:
        return RecordOnly("story")
    own_text = blot_foreign_text(text)
    if text_weight(own_text.replace(BLOT, "")) >= _STORY_WEIGHT:
        return RecordOnly("story")
    reason = _find_reason(find_plain_statements(role, text) if found is None else found)
    if reason is None:
        return _route_plain_turn(text, own_text)
    return ExtractNow(reason, tuple(ExtractionReason).index(reason))


def _find_reason(found: PlainStatements) -> ExtractionReason | None:
    if found.request is not None:
        return ExtractionReason.REMEMBER
    return ExtractionReason.RULE if found.is_wish else None


def _route_plain_turn(text: str, own_text: str) -> Route:
    own_text = own_text.replace(BLOT, "")
    if 2 * text_weight(own_text) < text_weight(text) and not is_worth_extracting(own_text):
        return RecordOnly("not their own words")
    if len(own_text) <= _LONGEST_SMALL_TALK and _only_small_talk(own_text):
        return RecordOnly("small talk")
    return ExtractLater()


def is_answer(text: str, asked: str) -> bool:
    """Check whether small talk answers the turn before it: yes, no or a number."""
    return bool(_ANSWER.search(text)) and any(one.is_question for one in own_sentences(asked))


def _only_small_talk(own_text: str) -> bool:
    """Check whether a text consists of small talk from beginning to end."""
    end = 0
    for match in _SMALL_TALK.finditer(own_text):
        if match.start() > end:
            return False
        end = match.end()
    return end == len(own_text)


_ANSWER = lazy_regex(
    r"""(?xi)(?:^|[^\w\s]|\b(?:oh|ah|well|hm{1,5})\b)\s*(?:
      (?:yes|yeah|yep|yup|no|nope|ok(?:ay)?|sure|right|exactly|indeed)\b
    | (?:是的?|对[的呀]?|嗯+|好[的吧呀]?|行吧?|可以)[啊呀呢吧啦]?(?=\W|$))
    | \d | [👍👎]"""
)
"""Words of small talk that are an answer where they stand at the beginning of a clause."""
_SMALL_TALK = lazy_regex(
    r"""(?xi)\b(?:hi|hello|hey|yo|morning|evening|night|afternoon|bye|goodbye|see\s(?:you|ya)|later
      |take\scare|thanks?|thank\syou|thx|cheers|welcome|ok(?:ay)?|yes|yeah|yep|yup|no|nope|sure|right
      |exactly|indeed|cool|nice|great|awesome|amazing|wow|perfect|lovely|good|fine|done|lol|(?:ha){2,10}
      |hm{1,5}|huh|oh|ah|well|sorry|please|sounds|looks|so|very|much|a|lot|you|too|again|there|all
      |everyone|how|are|is|it|going|doing|been|have|what['’]?s|up|that['’]?s|got|i['’]?m|i|see|tired
      |nothing|hope|slept|coffee|day|weekend|having|just
      |bored|hungry|sleepy|today|now|continue|go|on|ahead|next|then|for|your|help|to|the|and|that)\b
    | 你好|您好|哈喽|嗨|早上好|早安|早|晚上好|中午好|下午好|晚安|再见|拜拜|谢谢|多谢|感谢|不客气
    | 好的|好吧|好呀|好|[嗯哦噢啊哈呵嘻唉]|是的?|对[的呀]?|行吧?|可以|没事|没关系|不错|厉害|真棒
    | 太棒|收到|明白|知道|懂|了解|继续|你|您|呢|吗|呀|吧|啦|了|最近怎么样|在吗|吃了吗|天气真好|今天
    | [累困饿烦]|无聊|累死|困死|饿死|真|太
    | [\W\d_]"""
)
_OF_USER = lazy_regex(r"^(?:the )?(?:user|用户)(['’]s\s|的)", re.IGNORECASE)
_THE_USER = lazy_regex(
    r"\b[Tt]he user\b(?!\s(?:account|agent|base|data|experience|group|guide|id|interface|manual"
    r"|name|stor(?:y|ies)|table)\b)"
    r"|(?:该|这[位个])?用户(?!界面|体验|名|手册|[账帐][号户]|群|组|数据|表|端|代理|协议|故事)"
)
"""The user as a person, and no user interface."""


@dataclass(frozen=True, slots=True)
class Participants:
    """People who speak with the role `user`."""

    user: str | None = None
    """The user's name, where one is known."""
    people: tuple[str, ...] = ()
    """Names of the people who are not the user, in the order in which they first spoke."""

    def is_users_name(self, name: str) -> bool:
        """Check whether a name is the name under which the user speaks."""
        return self.user is not None and name_key(name) == name_key(self.user)

    def find_person(self, turn: StoredTurn) -> str | None:
        """Return the speaker of a turn with the role `user` who is not the user; else None."""
        if turn.role is not Role.USER or turn.speaker is None or not self.people:
            return None
        return None if self.is_users_name(turn.speaker) else turn.speaker

    def mentions_user(self, text: str) -> bool:
        """Check whether a text names the user."""
        return self.user is not None and name_key(self.user) in name_key(text)


NOBODY_NAMED = Participants()
"""Participants of turns without names, all of which are the user's."""


def identify_participants(speakers: Sequence[UserSpeaker]) -> Participants:
    """Decide which of the speakers with the role `user` is the user."""
    firsts: dict[str, UserSpeaker] = {}
    for speaker in sorted(speakers, key=lambda one: one.first_turn):
        firsts.setdefault(name_key(speaker.name), speaker)
    if not firsts:
        return NOBODY_NAMED
    first, *others = firsts.values()
    if not others:
        return Participants(user=first.name)
    people = tuple(one.name for one in others)
    if others[0].first_session == first.first_session:
        return Participants(people=(first.name, *people))
    return Participants(user=first.name, people=people)


def attribute_subject(
    participants: Participants, turn: StoredTurn, subject: str, content: str, words: str
) -> tuple[str, str]:
    """Return the subject and the text of a conclusion from a turn with a named speaker.

    The user under their own name is the user. Where another person speaks, "the user" is that
    person, unless the words or the conclusion name the user.
    """
    if participants.is_users_name(subject):
        return USER, content
    person = participants.find_person(turn)
    if person is None or participants.mentions_user(f"{words}\n{content}"):
        return subject, content
    return name_subject(subject, person), name_person(content, person)


def name_subject(subject: str, person: str) -> str:
    """Return a subject with a person's name in the place of the user, also as an owner."""
    if subject_key(subject) == USER:
        return person
    return _OF_USER.sub(lambda match: f"{person}{match[1]}", subject)


def name_person(content: str, person: str) -> str:
    """Return a conclusion with a person's name in the place of "the user"."""
    return _THE_USER.sub(lambda _: person, content)

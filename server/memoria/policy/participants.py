"""Participants: the user and other people, where turns with the role `user` carry names.

A client may give each turn its speaker. Two names with the role `user` are two people, and only one
of them can be the user. It is decided by the order in which the turns were recorded:

- one name, or none: whoever speaks with the role `user` is the user;
- several names: the user is whoever was alone with the assistant until somebody else came, which
  means that the second person first spoke in another session than the first one did. The others are
  people of their own, and so are all of them where the first session was shared from its beginning;
- a turn without a name is the user's.

Once a second person has spoken, the answer never changes, so that one person stays one subject.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.names.keys import USER, subject_key
from memoria.language.words.analyser import name_key
from memoria.model import Role, StoredTurn, UserSpeaker

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
        """Check whether a name is the one under which the user speaks."""
        return self.user is not None and name_key(name) == name_key(self.user)

    def find_person(self, turn: StoredTurn) -> str | None:
        """Return the person who says a turn with the role `user` without being the user."""
        if turn.role is not Role.USER or turn.speaker is None or not self.people:
            return None
        return None if self.is_users_name(turn.speaker) else turn.speaker

    def mentions_user(self, text: str) -> bool:
        """Check whether a text names the user."""
        return self.user is not None and name_key(self.user) in name_key(text)


NOBODY_NAMED = Participants()
"""Participants of turns without names: they are all the user's."""


def identify_participants(speakers: Sequence[UserSpeaker]) -> Participants:
    """Decide who is the user.

    Args:
        speakers: who has spoken with the role `user` under a name, in any order.
    """
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

    Args:
        participants: who speaks with the role `user`.
        turn: the turn that the conclusion quotes.
        subject: as it was proposed.
        content: as it was proposed.
        words: the words of the turn that the conclusion rests on.
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

"""Whom an English text speaks of: "my wife's sister", "the brother of Anna", "Mom", "her dog".

The text is read from left to right. A possessive waits for the noun that it belongs to. Before a
relation it makes a person ("my" + "mother"), before anything else it speaks of its owner ("my
car"). What one says, thinks or asks ("I told you that …") is about somebody else.
"""

from functools import cache

from memoria.graph import lexicon as known
from memoria.policy.people import english_words as lists
from memoria.policy.people.english_words import (
    EnglishText,
    EnglishWord,
    is_addressed,
    is_said_of_somebody,
    is_speech,
    join_name,
    may_name_person,
)
from memoria.policy.people.kinship import (
    Relation,
    RelationWord,
    english_words,
    is_close,
    is_kin_or_pet,
)
from memoria.policy.people.persons import SOMEBODY, USER, People, Person
from memoria.text.name import name_key
from memoria.text.stopwords import STOP_WORDS

_MOST_ADJECTIVES = 2
_LEAST_BEFORE = 2


def read_english(text: str, speaker: str | None, listener: str | None) -> People:
    """Whom an English text speaks of.

    Args:
        text: as it was said.
        speaker: the root of whoever says "I"; None where that is nobody of interest.
        listener: the root of whoever is "you".
    """
    return _EnglishReader(EnglishText(text), speaker, listener).read()


@cache
def _telling_words() -> frozenset[str]:
    """All words that change what is known of the people, but names."""
    return lists.TELLING.union(english_words())


def _person(root: str | None) -> Person | None:
    return None if root is None else Person(root)


class _EnglishReader:
    """Reads one text."""

    def __init__(self, words: EnglishText, speaker: str | None, listener: str | None) -> None:
        self._words = words
        self._speaker, self._listener = speaker, listener
        self._relations = english_words()
        self._persons: list[Person] = []
        self._spoken_of: list[Person] = []
        """Those a pronoun may mean."""
        self._is_open = self._is_joint = False
        self._owner: Person | None = None
        self._before: Person | None = None
        """The owner of the last relative, for "my wife and daughter"."""
        self._introduced = -1
        """Where a name stands that somebody has just given as their own."""
        self._of: Relation | None = None
        """A relation whose owner is still to come: "the brother of"."""

    def read(self) -> People:
        """Read all words. Most tell nothing of people, and are passed by."""
        words, end = self._words, 0
        for at in words.list_telling(_telling_words()):
            if at < end:
                continue  # it was read with what stands before it
            self._pass_by(end, at)
            end = self._step(at)
            while self._owner is not None and end < len(words):
                end = self._step(end)
        self._settle()
        persons = tuple(dict.fromkeys(self._persons))
        return People(persons, self._is_open, self._is_joint)

    def _pass_by(self, start: int, end: int) -> None:
        """Words that tell nothing of people end an "and", marks what somebody is "of"."""
        if self._before is None and self._of is None:
            return
        passed = self._words.pieces[start:end]
        if not all(piece.lower() in lists.JOINING for piece in passed):
            self._before = None
        if any(piece in lists.MARKS for piece in passed):
            self._of = None

    def _step(self, at: int) -> int:
        """Read the word at a position. Gives the next position."""
        word = self._words[at]
        if self._owner is not None:
            end = self._find_relation(at)
            if end is not None:
                return self._read_relative(self._owner, end, self._qualifier(at, end))
            if word.lower in ("name", "name's") and self._read_own_name(at):
                return at + 3
            self._settle()
        if word.lower in self._relations or (
            word.lower in lists.WHICH and self._find_relation(at) is not None
        ):
            return self._read_bare_relation(at)
        if word.lower in lists.ANIMALS and self._asks_what_one_has(at, at):
            return self._wait_for_owner(Relation("pet"), at)
        if not self._read_pronoun(word, at):
            if word.is_capital and word.text not in lists.NO_PERSON and at != self._introduced:
                return self._read_name(at)
            self._read_other(word)
        return at + 1

    def _read_pronoun(self, word: EnglishWord, at: int) -> bool:
        """Read a pronoun, or "the user". False where there is none."""
        lower = word.lower
        if lower in lists.OWN or lower == "your":
            self._owner = _person(self._listener if lower == "your" else self._speaker)
        elif lower in lists.THIRD_OWNERS:
            self._owner = self._antecedent(lists.THIRD_OWNERS[lower])
        elif lower in lists.THIRD:
            self._antecedent(lists.THIRD[lower])
        elif lower in lists.SELF or (lower == "mine" and self._of is not None):
            self._read_self(word, at, self._speaker)
        elif lower in lists.LISTENER:
            self._read_self(word, at, self._listener)
        elif lower == "user":
            self._read_user(at)
        elif lower == "who":
            self._is_joint = self._is_joint or self._asks_who(at)
        else:
            return False
        return True

    def _asks_who(self, at: int) -> bool:
        """Whether somebody unnamed is asked for: who is allergic, but not who is my boss."""
        who = self._words[at]
        is_one = who.is_possessive or (
            at + 1 < len(self._words) and self._words[at + 1].lower in lists.BEING
        )
        start = at + 1 if who.is_possessive else at + 2
        named = self._words[start] if start < len(self._words) else None
        names_one = named is not None and (
            named.is_capital or named.lower in {*lists.OWN, *lists.THIRD_OWNERS, "the"}
        )
        return who.begins and not (is_one and names_one)

    def _read_other(self, word: EnglishWord) -> None:
        if word.lower in lists.JOINT:
            self._is_joint = True
        elif word.lower in lists.DEEDS:
            self._is_open = True
        elif word.text in lists.MARKS:
            self._of = None
        if word.lower not in lists.JOINING:
            self._before = None

    def _settle(self) -> None:
        """Of a possessive whose noun is no relation, its owner is spoken of."""
        if self._owner is not None:
            self._add(self._owner)
        self._owner = None

    def _add(self, person: Person) -> None:
        if self._of is not None:
            person, self._of = person.relative(self._of), None
        self._persons.append(person)
        self._spoken_of.append(person)

    def _find_relation(self, at: int) -> int | None:
        """Where the noun of a possessive stands, if it is a relation."""
        for end in range(at, min(at + _MOST_ADJECTIVES + 2, len(self._words))):
            word = self._words[end]
            if word.lower in self._relations and not self._is_adjective(end):
                after = self._words[end + 1].lower if end + 1 < len(self._words) else ""
                return None if after in lists.THINGS and not self._has_things(word) else end
            is_number = word.text[0].isdigit()
            if (
                not is_number
                and word.lower not in lists.WHICH
                and (word.is_possessive or not word.lower.isalpha() or word.lower in STOP_WORDS)
            ):
                return None
        return None

    def _is_of_thing(self, word: EnglishWord, after: EnglishWord | None) -> bool:
        """Whether a relation merely tells what kind of thing follows: Mother's Day, a dog bowl."""
        if after is None or after.lower not in ("day", *lists.THINGS):
            return False
        return after.lower == "day" or not self._has_things(word)

    def _has_things(self, word: EnglishWord) -> bool:
        """Whether what follows is theirs: my mother's appointment, but not my dentist's."""
        return word.is_possessive and is_kin_or_pet(self._relations[word.lower].relation.name)

    def _is_adjective(self, at: int) -> bool:
        """Whether a relation is said of the next one: a baby sister."""
        follows = self._words[at + 1].lower if at + 1 < len(self._words) else ""
        return self._words[at].lower in lists.WHICH and follows in self._relations

    def _qualifier(self, start: int, end: int) -> str | None:
        found = (lists.WHICH.get(word.lower) for word in self._words.between(start, end))
        return next((which for which in found if which), None)

    def _read_relative(self, owner: Person, at: int, which: str | None) -> int:
        """The relative named by the word at a position, and the name beside it."""
        word = self._words[at]
        relation = self._relations[word.lower].relation
        person = owner.relative(relation._replace(which=which or relation.which))
        self._owner = None
        if word.is_possessive:
            self._owner = person
            return at + 1
        name, end = self._name_beside(at + 1)
        name = name or self._name_before(at)
        self._before = owner
        if name:
            self._add(Person(person.root, person.path, name_key(name)))
            return end
        self._add(person)
        return at + 1

    def _name_before(self, at: int) -> str:
        """The name of whom the text says that they are this relative: Tom is my brother."""
        words = self._words
        start = next((n for n in range(at, max(at - 4, 1), -1) if words[n].lower in lists.OWN), 0)
        if start < _LEAST_BEFORE or words[start - 1].lower not in lists.BEING or not self._persons:
            return ""
        name = name_key(words[start - 2].text)
        if self._persons[-1].name != name:
            return ""
        self._persons.pop()
        return name

    def _name_beside(self, at: int) -> tuple[str, int]:
        """The name that a relation is followed by, and where it ends."""
        words = self._words
        if at < len(words) and words[at].text in (",", "("):
            at += 1
        while at < len(words) and words[at].lower in ("is", "was", "named", "called", "name"):
            if words[at].lower in ("is", "was") and not (
                at + 1 < len(words) and words[at + 1].lower in ("named", "called")
            ):
                break
            at += 1
        names = []
        while at < len(words) and words[at].is_capital and words[at].text not in lists.NO_PERSON:
            if words[at].begins or words[at].lower in self._relations:
                break
            names.append(words[at].text)
            at += 1
            if words[at - 1].is_possessive:
                break
        return " ".join(names), at

    def _read_bare_relation(self, at: int) -> int:
        """A relation with no owner before it: Mom, the cat, the brother of Anna."""
        word = self._words[at]
        end = at if word.lower in self._relations else self._find_relation(at)
        if end is None:
            return at + 1
        word, which = self._words[end], self._qualifier(at, end)
        after = self._words[end + 1] if end + 1 < len(self._words) else None
        if after is not None and after.lower == "of":
            found = self._relations[word.lower].relation
            self._of = found._replace(which=which or found.which)
            return end + 2
        if is_said_of_somebody(self._words, at) or self._is_of_thing(word, after):
            return end + 1
        if self._asks_what_one_has(at, end):
            return self._wait_for_owner(self._relations[word.lower].relation, end)
        owner = self._owner_of_bare(self._relations[word.lower], at, end)
        return self._read_relative(owner or Person(SOMEBODY), end, which)

    def _asks_what_one_has(self, start: int, end: int) -> bool:
        """Whether a question asks that one has it: which pet does Anna keep?"""
        previous = self._words[start - 1].lower if start else ""
        goes_on = self._of is not None and previous in ("and", "or")
        has = any(
            word.lower in lists.HAVING | lists.KEEPING
            for word in self._words.between(end + 1, len(self._words))
        )
        return has and (goes_on or previous in lists.ASKS_WHICH)

    def _wait_for_owner(self, relation: Relation, at: int) -> int:
        """Read a relation whose owner is still to come; of two it is open which is meant."""
        self._is_open, self._of = self._is_open or self._of is not None, relation
        return at + 1

    def _owner_of_bare(self, found: RelationWord, start: int, end: int) -> Person | None:
        word, previous = self._words[end], self._words[start - 1].lower if start else ""
        after = self._words[end + 1] if end + 1 < len(self._words) else None
        if previous in ("and", "or", ",") and self._before is not None:
            return self._before
        own = _person(self._speaker)
        before = [word.lower for word in self._words.between(max(start - 4, 0), start)]
        if previous in lists.INDEFINITE or start != end:
            has_one = not lists.HAVING.isdisjoint(before)
            return self._spoken_of[-1] if has_one and self._spoken_of else None
        if previous == "the":
            is_own = is_close(found.relation.name) and not found.needs_owner
            is_own = (is_own or word.is_possessive) and self._listener != SOMEBODY
            return own if is_own else None
        is_alone = word.lower in lists.BY_THEMSELVES or (
            word.is_capital and word.lower in lists.WITH_CAPITAL
        )
        is_title = word.is_capital and word.lower in lists.WITH_NAME
        named = after is not None and after.is_capital and after.text not in lists.NO_PERSON
        is_whole = len(self._words) == 1
        return own if is_alone or is_whole or (is_title and named) else None

    def _read_self(self, word: EnglishWord, at: int, root: str | None) -> None:
        is_me = word.lower == "me" and at > 0
        if root is None or (is_me and self._words[at - 1].lower in lists.ASKS_FOR):
            return
        if not is_speech(self._words, at):
            self._add(self._introduce(word, at, root))

    def _introduce(self, word: EnglishWord, at: int, root: str) -> Person:
        """I, or where it is followed by a name, who that is: I'm Lin."""
        follows = self._words[at + 1] if word.lower == "i'm" and at + 1 < len(self._words) else None
        if follows is None or follows.text not in known.GIVEN_NAMES:
            return Person(root)
        self._introduced = at + 1
        return Person(root, (), name_key(follows.text))

    def _read_own_name(self, at: int) -> bool:
        """My name is Lin: the name of whoever has it."""
        words, owner = self._words, self._owner
        is_told = at + 2 < len(words) and words[at + 1].lower in ("is", "was")
        if owner is None or not is_told or not words[at + 2].is_capital:
            return False
        self._owner = None
        self._add(Person(owner.root, owner.path, name_key(words[at + 2].text)))
        return True

    def _read_user(self, at: int) -> None:
        word, previous = self._words[at], self._words[at - 1].lower if at else ""
        if previous != "the" and not word.begins and not word.is_possessive:
            return
        person = Person(USER)
        if word.is_possessive:
            self._owner = person
        elif is_speech(self._words, at):
            self._spoken_of.append(person)
        else:
            self._add(person)

    def _antecedent(self, wanted: str) -> Person | None:
        """The last one spoken of whom a pronoun may mean."""
        for person in reversed(self._spoken_of):
            fits = person.gender == wanted or "-" in (wanted, person.gender)
            if fits and person.root != SOMEBODY:
                return person
        self._is_open = True
        return None

    def _read_name(self, at: int) -> int:
        """A name: possessive, listed, with a title, or where a subject stands."""
        words = self._words
        start = at
        if words[at].text in known.TITLES:
            start = at + 2 if at + 1 < len(words) and words[at + 1].text == "." else at + 1
        parts = words.read_name(start)
        end = start + len(parts)
        if not parts:
            return at + 1
        last = parts[-1]
        if last.is_possessive:
            if not last.text.isupper() and last.lower not in STOP_WORDS:
                self._owner = Person(join_name(parts))
        elif is_addressed(self._words, at, end):
            pass
        elif start > at or self._names_person(at, end):
            self._add(Person(join_name(parts)))
        elif may_name_person(self._words, at):
            self._is_open = True
        return end

    def _names_person(self, start: int, end: int) -> bool:
        words = self._words
        first = words[start]
        if first.text in known.GIVEN_NAMES:
            return True
        if first.text.isupper() or first.lower in STOP_WORDS or self._of is not None:
            return self._of is not None
        after = words[end].lower if end < len(words) else ""
        previous = words[start - 1].lower if start else ""
        is_subject = first.begins or previous in ("and", ",")
        is_subject = is_subject and (after == "from" or after in lists.SUBJECT_VERBS)
        return is_subject or (previous in lists.ASKED_AFTER and not first.begins)

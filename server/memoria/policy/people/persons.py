"""Persons: whom a text speaks of, as somebody's somebody, and whether two mentions are of one.

A person is a root and a chain of relations from it: `user`, `user's mother`, `user's wife's
sister`, `anna's brother`. Spellings and languages are gone, so that 我妈 and "my mom" are one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from memoria.graph.lexicon import GIVEN_NAMES
from memoria.policy.people.kinship import (
    PersonMatch,
    Relation,
    compare_paths,
    gender,
    is_general,
    is_kin_or_pet,
)
from memoria.text.name import name_key

USER = "user"
SOMEBODY = "?"
"""The root of one of whom nobody knows who that is."""


def is_given_name(name: str) -> bool:
    """Whether a name in its normal form is surely a person's: Chinese ones are read strictly."""
    if name in (USER, SOMEBODY, ""):
        return False
    return not name.isascii() or name.split(maxsplit=1)[0].title() in GIVEN_NAMES


class Person(NamedTuple):
    """Somebody a text speaks of."""

    root: str
    """`user`, or a name in its normal form."""
    path: tuple[Relation, ...] = ()
    """What they are to the root."""
    called: str | None = None
    """Their own name in its normal form, where the text says it beside the relation."""

    @property
    def key(self) -> str:
        """In words: `user's wife's sister`."""
        return "'s ".join((self.root, *map(str, self.path)))

    @property
    def name(self) -> str | None:
        """The name they go by."""
        return self.called or (None if self.path or self.root == USER else self.root)

    @property
    def gender(self) -> str:
        """`m`, `f`, or `-` where nothing tells."""
        return gender(self.path[-1].name) if self.path else "-"

    def relative(self, relation: Relation) -> "Person":
        """Their mother, brother, dog."""
        return Person(self.root, (*self.path, relation))


@dataclass(frozen=True)
class People:
    """Whom a text speaks of."""

    persons: tuple[Person, ...] = ()
    is_open: bool = False
    """Whether it may speak of others: of a "she" who is named elsewhere, or of what one does for
    another."""
    is_joint: bool = False
    """Whether it asks or speaks of several together: the family, everybody."""

    @cached_property
    def keys(self) -> frozenset[str]:
        """The persons in words."""
        return frozenset(person.key for person in self.persons)

    @property
    def names_people(self) -> bool:
        """Whether somebody is named who is surely a person, and no company."""
        return any(is_given_name(person.root) for person in self.persons)

    def without_strangers(self) -> "People":
        """The same without those of whom nothing tells whose they are: a doctor, the kids."""
        return replace(self, persons=tuple(p for p in self.persons if p.root != SOMEBODY))

    @property
    def is_plain(self) -> bool:
        """Whether it is plain whom it speaks of."""
        return bool(self.persons) and not self.is_open and not self.is_joint


@dataclass(frozen=True)
class Identities:
    """What is known of who is who."""

    users: frozenset[str] = frozenset()
    """Names of the user."""
    relatives: dict[str, Person] = field(default_factory=dict)
    """By name, what somebody is to the user."""
    is_user_unnamed: bool = False
    """Whether the user is taken to be none of those who are named."""
    are_names_open: bool = False
    """Whether two names may be of one person: Linnet is what the club calls Anna."""

    @classmethod
    def read(cls, texts: Iterable[People], users: Iterable[str] = ()) -> "Identities":
        """Who is who, by what texts say of a person with their name."""
        named = [person for people in texts for person in people.persons if person.called]
        own = {str(each.called) for each in named if each.root == USER and not each.path}
        kin = {str(each.called): each._replace(called=None) for each in named if each.path}
        return cls(frozenset(own | {name_key(user) for user in users}), kin)


NOBODY_KNOWN = Identities()


def compare_people(asked: People, spoken: People, known: Identities = NOBODY_KNOWN) -> PersonMatch:
    """Whether a text speaks of whom a question asks for.

    Args:
        asked: whom the question is about.
        spoken: whom the text speaks of.
        known: who is who.

    Returns:
        SAME where one asked for is among those spoken of, OTHER where it is plain that the text
        speaks of others only.
    """
    if not asked.is_plain or not spoken.persons:
        return PersonMatch.UNKNOWN
    found = [
        (compare_persons(one, other, known), bool(one.path) or one.root != USER)
        for one in asked.persons
        for other in spoken.persons
    ]
    asks_for_another = any(person.path or person.root != USER for person in asked.persons)
    if any(match is PersonMatch.SAME and (other or not asks_for_another) for match, other in found):
        return PersonMatch.SAME
    if all(match is PersonMatch.OTHER for match, _ in found) and spoken.is_plain:
        return PersonMatch.OTHER
    return PersonMatch.UNKNOWN


def compare_persons(asked: Person, spoken: Person, known: Identities = NOBODY_KNOWN) -> PersonMatch:
    """Whether somebody spoken of is the one asked for."""
    if SOMEBODY in (asked.root, spoken.root):
        return min(PersonMatch.UNKNOWN, _compare_ends(asked.path, spoken.path))
    asked, spoken = _resolve(asked, known), _resolve(spoken, known)
    named = _compare_names(asked.name, spoken.name, known)
    if named is not PersonMatch.UNKNOWN:
        return named
    if _has_another_name(asked, spoken, known):
        return PersonMatch.OTHER
    roots = _compare_roots(asked.root, spoken.root, known)
    if asked.path == spoken.path == ():
        return roots
    if not asked.path or not spoken.path:
        return _compare_with_root(asked, spoken, roots, known)
    return min(roots, compare_paths(asked.path, spoken.path))


def _compare_ends(one: tuple[Relation, ...], other: tuple[Relation, ...]) -> PersonMatch:
    """Whether somebody's relative, nobody knows whose, may be this one."""
    if not one or not other:
        return PersonMatch.UNKNOWN
    return compare_paths(one[-1:], other[-1:])


def _has_another_name(asked: Person, spoken: Person, known: Identities) -> bool:
    """Whether the relative asked for is known by a name, and the one spoken of by another."""
    if spoken.path or spoken.name is None or not asked.path or not _is_of_family(asked):
        return False
    names = [name for name, person in known.relatives.items() if person == asked]
    return bool(names) and all(
        _compare_names(name, spoken.name, known) is PersonMatch.OTHER for name in names
    )


def _is_of_family(person: Person) -> bool:
    return all(is_kin_or_pet(relation.name) for relation in person.path)


def _compare_with_root(
    asked: Person, spoken: Person, roots: PersonMatch, known: Identities
) -> PersonMatch:
    """Where one of the two is somebody themselves and the other is somebody's relative."""
    alone, relative = (asked, spoken) if not asked.path else (spoken, asked)
    if roots is PersonMatch.SAME:
        # What the user's dentist says to the user is said of the user.
        is_own = relative is asked and len(relative.path) == 1
        is_open = is_own and (not _is_of_family(relative) or is_general(relative.path[0].name))
        return PersonMatch.UNKNOWN if is_open else PersonMatch.OTHER
    if alone.root == USER:
        return PersonMatch.OTHER
    # Tom may be my brother, but a record that calls the user "I" would have said so.
    is_told = known.is_user_unnamed and not known.are_names_open
    return PersonMatch.OTHER if is_told and alone is spoken else PersonMatch.UNKNOWN


def _resolve(person: Person, known: Identities) -> Person:
    """The person as the user's, where their name is known to be the user's or a relative's."""
    root = person.root
    if root in known.users:
        return person._replace(root=USER)
    relative = known.relatives.get(root)
    if relative is None or (person.path and relative.root == root):
        return person
    called = person.called if person.path else root
    return Person(relative.root, (*relative.path, *person.path), called)


def _compare_names(one: str | None, other: str | None, known: Identities) -> PersonMatch:
    """Two names: the same, one a part of the other, or of two people."""
    if one is None or other is None or one.isascii() != other.isascii():
        return PersonMatch.UNKNOWN
    a, b = set(one.split()), set(other.split())
    if a <= b or b <= a:
        return PersonMatch.SAME
    return PersonMatch.UNKNOWN if known.are_names_open else PersonMatch.OTHER


def _compare_roots(one: str, other: str, known: Identities) -> PersonMatch:
    if one == other:
        return PersonMatch.SAME
    if USER in (one, other):  # the user may be spoken of by name
        is_told = bool(known.users) or known.is_user_unnamed
        return PersonMatch.OTHER if is_told and not known.are_names_open else PersonMatch.UNKNOWN
    return _compare_names(one, other, known)

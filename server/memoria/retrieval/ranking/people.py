"""People: whose fact a candidate tells, held against whose fact is asked for.

"What is my mother allergic to?" finds every allergy on record: the words are the same, and meaning
hardly tells a mother from a daughter. So where a question is plainly about somebody, a candidate
that plainly speaks of others only is turned away, and one that speaks of the right person comes
before what speaks of nobody in particular. Where either side leaves it open (a "she" who is named
elsewhere, the family, a long text), nothing changes.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from memoria.model import Memory, MemoryVersion, Role, StoredTurn
from memoria.policy.participants import Participants
from memoria.policy.people import NOBODY, find_people
from memoria.policy.people.kinship import PersonMatch
from memoria.policy.people.persons import SOMEBODY, USER, Identities, People, compare_people
from memoria.retrieval.query.plan import SearchPlan

_OF_THE_ONE = 1.15
"""What a conclusion gains that speaks of the relative whom the question asks about."""
_OF_OTHERS = 0.3
"""What is left of the score of a candidate that speaks of others."""


def is_asked_of_people(plan: SearchPlan) -> bool:
    """Whether a search asks plainly about somebody, so that it matters of whom a text speaks.

    Of somebody who is named, the transcript is asked by whose turns count in full (`speakers`):
    what others say to them answers as well.
    """
    asked = plan.parsed.people
    if not plan.options.stages.people or not asked.is_plain or plan.parsed.is_time_only:
        return False
    if plan.profile.scores_conclusions:
        return True
    return any(person.path or person.root == USER for person in asked.persons)


def person_factor(plan: SearchPlan, match: PersonMatch | None) -> float:
    """What a candidate's score is multiplied by.

    Somebody who is asked for by name is told by the words already. Turns gain nothing: those that
    answer often leave it to the turn before to say of whom.
    """
    if match is PersonMatch.OTHER:
        return _OF_OTHERS
    has_relation = any(person.path for person in plan.parsed.people.persons)
    gains = match is PersonMatch.SAME and plan.profile.scores_conclusions and has_relation
    return _OF_THE_ONE if gains else 1.0


def find_people_of_turn(turn: StoredTurn) -> People:
    """Whom a turn speaks of: "my" is its speaker's, and the assistant's "your" the user's."""
    match turn.role:
        case Role.USER:
            return find_people(turn.content, turn.speaker or USER, turn.speaker and SOMEBODY)
        case Role.ASSISTANT:
            return find_people(turn.content, turn.speaker, SOMEBODY if turn.speaker else USER)
        case _:
            return NOBODY


def find_people_of_memory(memory: Memory, version: MemoryVersion) -> People:
    """Whom a wording of a memory speaks of, or its subject where the wording names nobody."""
    found = find_people(version.content)
    return found if found.persons or not memory.subject else find_people(memory.subject)


def match_people(
    plan: SearchPlan,
    people: Mapping[int, People],
    participants: Participants,
    linked: Collection[int],
) -> dict[int, PersonMatch]:
    """How each candidate's people match those asked for.

    Args:
        plan: the search.
        people: whom the candidates speak of, by document.
        participants: who has spoken in the user's place, by which the user has a name.
        linked: those of the candidates that hold a name of the question, or that the graph leads to
            from one: what else they call somebody may be another name of the same person.
    """
    known = Identities.read(people.values(), [participants.user] if participants.user else ())
    asked = plan.parsed.people

    def match(known: Identities) -> dict[int, PersonMatch]:
        by_link = replace(known, are_names_open=True)
        return {
            n: compare_people(asked, found, by_link if n in linked else known)
            for n, found in people.items()
        }

    matches = match(known)
    if known.users or USER not in _list_roots(people.values()):
        return matches
    # Where the record calls the user "I" or "the user", Anna's mother is not the user's.
    has_relative = any(person.path for person in asked.persons)
    if has_relative or PersonMatch.SAME in matches.values():
        return match(replace(known, is_user_unnamed=True))
    return matches


def _list_roots(people: Iterable[People]) -> set[str]:
    return {person.root for each in people for person in each.persons}

"""People: whose fact a candidate tells, held against whose fact is asked for.

"What is my mother allergic to?" finds every allergy on record: the words are the same, and meaning
hardly tells a mother from a daughter. So where a question is plainly about somebody, a candidate
that plainly speaks of others only is turned away, and one that speaks of the right person comes
before what speaks of nobody in particular. Where either side leaves it open (a "she" who is named
elsewhere, the family, a long text), nothing changes.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, takewhile

from memoria.model import Role, StoredTurn
from memoria.policy.participants import identify_participants
from memoria.policy.people import NOBODY, find_people, may_introduce
from memoria.policy.people.kinship import PersonMatch
from memoria.policy.people.persons import SOMEBODY, USER, Identities, People, compare_people
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.boosts import combine_boosts
from memoria.retrieval.ranking.documents import MemoryWording
from memoria.retrieval.ranking.score import ScoredCandidate
from memoria.retrieval.ranking.threshold import OF_OTHERS
from memoria.store.base import Transaction

_READ_FOR_THE_USER = 10
"""Candidates that are read to see whether the record calls the user "I"."""
PEOPLE_DEPTH = 20
"""So many of the best of the transcript are ranked by whom they speak of, however many are shown;
the others follow."""
_OF_THE_ONE = 1.15
"""What a conclusion gains that speaks of the relative whom the question asks about."""
_NEARLY_THE_BEST = 0.98
_LEFT_OF_OTHERS = 0.3
"""What is left of the score of a candidate that speaks of others."""


def is_asked_of_people(plan: SearchPlan) -> bool:
    """Whether a search asks plainly about somebody, so that it matters of whom a text speaks.

    Of somebody who is named, the transcript is asked by whose turns count in full (`speakers`):
    what others say to them answers as well.
    """
    asked = plan.parsed.people
    if not plan.options.stages.people or not asked.is_plain or plan.parsed.is_time_only:
        return False
    return plan.profile.scores_conclusions or _is_asked_of_relatives(plan)


def _is_asked_of_relatives(plan: SearchPlan) -> bool:
    """Whether a search asks about somebody by how they are kin, or about the user."""
    return any(person.path or person.root == USER for person in plan.parsed.people.persons)


def apply_people(
    tx: Transaction,
    plan: SearchPlan,
    scored: Sequence[ScoredCandidate],
) -> Sequence[ScoredCandidate]:
    """The candidates by whom they speak of, best first. Only those that may be shown are read.

    Args:
        tx: where to look up who has spoken.
        plan: the search.
        scored: the candidates, best first, with their margins.
    """
    if not is_asked_of_people(plan):
        return _break_ties(plan, scored)
    if plan.profile.every_hit_must_fit:
        return _rank_by_people(tx, plan, scored, _select_to_read(plan, scored))
    best, rest = scored[:PEOPLE_DEPTH], scored[PEOPLE_DEPTH:]
    return [*_rank_by_people(tx, plan, best, best), *rest]


def _rank_by_people(
    tx: Transaction,
    plan: SearchPlan,
    scored: Sequence[ScoredCandidate],
    read: Sequence[ScoredCandidate],
) -> list[ScoredCandidate]:
    """The candidates, best first, those that are read by whom they speak of."""
    matches = _match_candidates(tx, plan, read, scored)
    applied = (_apply_match(plan, each, matches.get(each.candidate.n)) for each in scored)
    return sorted(applied, key=lambda each: -each.score)


def _break_ties(plan: SearchPlan, scored: Sequence[ScoredCandidate]) -> Sequence[ScoredCandidate]:
    """Of turns that are nearly as good as the best, those of relatives come last.

    Somebody is asked for by name, and "My mother …" is about their mother.
    """
    if not (plan.options.stages.people and plan.parsed.people.is_plain and scored):
        return scored
    least = _NEARLY_THE_BEST * scored[0].score
    near = list(takewhile(lambda each: each.score >= least, scored))
    if not any(map(_is_of_relatives, near[:-1])):
        return scored
    return [*sorted(near, key=_is_of_relatives), *scored[len(near) :]]


def _is_of_relatives(each: ScoredCandidate) -> bool:
    persons = _find_people(each).persons
    return bool(persons) and all(person.path for person in persons)


def _select_to_read(
    plan: SearchPlan, scored: Sequence[ScoredCandidate]
) -> Sequence[ScoredCandidate]:
    """Those of a search of memories that may become hits: all that fit or are linked.

    Of a relative or the user, the best of the turns that may be shown together are read as well;
    of somebody who is named, what others say to them answers.
    """
    turns = [each.candidate.n for each in scored if each.kind == "turn"]
    together = plan.profile.shows_turns_together and _is_asked_of_relatives(plan)
    best = set(turns[:PEOPLE_DEPTH]) if together else set[int]()
    return [
        each
        for each in scored
        if each.candidate.n in best or each.candidate.via is not None or each.margin >= 0
    ]


def _apply_match(
    plan: SearchPlan, each: ScoredCandidate, match: PersonMatch | None
) -> ScoredCandidate:
    """A candidate with what it gains or loses.

    Somebody who is asked for by name is told by the words already. Turns gain nothing: those that
    answer often leave it to the turn before to say of whom.
    """
    if match is PersonMatch.OTHER:
        signals = each.signals._replace(is_of_others=True)
        return _multiply(each._replace(signals=signals, margin=OF_OTHERS), _LEFT_OF_OTHERS)
    has_relation = any(person.path for person in plan.parsed.people.persons)
    gains = match is PersonMatch.SAME and plan.profile.scores_conclusions and has_relation
    return _multiply(each, _OF_THE_ONE) if gains else each


def _multiply(each: ScoredCandidate, factor: float) -> ScoredCandidate:
    boosts = {**each.boosts, "person": factor}
    return each._replace(boosts=boosts, score=each.relevance * combine_boosts(boosts))


def _match_candidates(
    tx: Transaction,
    plan: SearchPlan,
    scored: Sequence[ScoredCandidate],
    others: Sequence[ScoredCandidate],
) -> dict[int, PersonMatch]:
    """How the people of each candidate match those asked for.

    Args:
        tx: where to look up who has spoken.
        plan: the search.
        scored: the candidates.
        others: more of them, some of which are read to see whether the record calls the user "I".
    """
    people = {each.candidate.n: _find_people(each) for each in scored}
    if not any(found.persons for found in people.values()):
        return dict.fromkeys(people, PersonMatch.UNKNOWN)
    participants = identify_participants(tx.conversations.list_user_speakers())
    linked = {n for each in scored if _is_linked(plan, each, people[n := each.candidate.n])}

    def speaks_of_user() -> bool:
        more = map(_find_people, others[:_READ_FOR_THE_USER])
        return any(USER in _list_roots([found]) for found in chain(people.values(), more))

    known = Identities.read(
        chain(people.values(), _read_of_names(people, others)),
        [participants.user] if participants.user else (),
    )
    return match_people(plan, people, known, linked, speaks_of_user)


def _read_of_names(
    people: Mapping[int, People], others: Sequence[ScoredCandidate]
) -> Iterator[People]:
    """What further candidates tell of those named: that Tom is my brother."""
    named = (person.name for found in people.values() for person in found.persons)
    names = {name for name in named if name is not None}
    for each in others:
        if each.candidate.n not in people and names:
            text = each.text.lower()
            if any(name in text for name in names) and _may_introduce(each):
                yield _find_people(each)


def _may_introduce(each: ScoredCandidate) -> bool:
    document = each.document
    subject = document.memory.subject if isinstance(document, MemoryWording) else None
    return may_introduce(each.text) or (subject is not None and may_introduce(subject))


def _find_people(each: ScoredCandidate) -> People:
    """Whom a candidate speaks of; of a memory its subject, where the wording names nobody."""
    document = each.document
    if isinstance(document, StoredTurn):
        return _find_people_of_turn(document)
    found, subject = find_people(document.version.content), document.memory.subject
    return found if found.persons or not subject else find_people(subject)


def _find_people_of_turn(turn: StoredTurn) -> People:
    """Whom a turn speaks of: "my" is its speaker's, and the assistant's "your" the user's."""
    match turn.role:
        case Role.USER:
            return find_people(turn.content, turn.speaker or USER, turn.speaker and SOMEBODY)
        case Role.ASSISTANT:
            return find_people(turn.content, turn.speaker, SOMEBODY if turn.speaker else USER)
        case _:
            return NOBODY


def _is_linked(plan: SearchPlan, each: ScoredCandidate, people: People) -> bool:
    """Whether a candidate may call somebody in the question by another name.

    It holds a name of the question, or the graph knows of one of its names. What the graph leads to
    answers of somebody else at times: of the company that the one asked about works for.
    """
    names = [person.root for person in plan.parsed.people.persons if not person.path]
    item = each.candidate
    if item.graph > 0 and (USER in names or not people.names_people):
        return True
    text = each.text.lower() if names else ""
    return bool(item.entity_names) or any(name in text for name in names)


def match_people(
    plan: SearchPlan,
    people: Mapping[int, People],
    known: Identities,
    linked: Collection[int],
    speaks_of_user: Callable[[], bool],
) -> dict[int, PersonMatch]:
    """How each candidate's people match those asked for.

    Args:
        plan: the search.
        people: whom the candidates speak of, by document.
        known: who is who.
        linked: those of the candidates that hold a name of the question, or that the graph leads to
            from one: what else they call somebody may be another name of the same person.
        speaks_of_user: tells whether the record calls the user "I" or "the user".
    """
    asked = plan.parsed.people

    def match(known: Identities) -> dict[int, PersonMatch]:
        by_link = replace(known, are_names_open=True)
        return {
            n: compare_people(asked, found, by_link if n in linked else known)
            for n, found in people.items()
        }

    matches = match(known)
    if known.users:
        return matches
    # Where the record calls the user "I" or "the user", Anna's mother is not the user's.
    has_relative = any(person.path for person in asked.persons)
    if (has_relative or PersonMatch.SAME in matches.values()) and speaks_of_user():
        return match(replace(known, is_user_unnamed=True))
    return matches


def _list_roots(people: Iterable[People]) -> set[str]:
    return {person.root for each in people for person in each.persons}

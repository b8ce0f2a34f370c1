"""Binds a statement to the few parts of files that carry it."""

from collections.abc import Iterator, Sequence

from memoria.ground.anchors import Anchors, list_shown, list_terms, name_term, read_anchors
from memoria.ground.blocks import find_set, list_names_set
from memoria.ground.claims import (
    PLACE,
    UNSURE,
    mark_claim,
    mark_no_more,
    says_no_more,
    without_references,
)
from memoria.ground.fingerprints import is_telling_name, make_mark
from memoria.ground.gathering import Gathered
from memoria.ground.repository import Repository
from memoria.ground.scores import PartScores, ScoredPart, is_in
from memoria.ground.streams import is_prose
from memoria.ground.values import Binding
from memoria.model.search import ToolCall

MOST_PARTS = 8
"""Parts that a statement is bound to at most."""
_MOST_BEST = 6
_SHARE = 0.65
"""Share of the best score from which on a part is taken; of comments, of those like the statement,
and of what has a name or number of the statement that nothing taken has."""
_SHARE_OF_COMMENTS = 0.9
_SHARE_OF_LIKE_COMMENTS = 0.4
_SHARE_OF_MISSING, _SHARE_OF_MISSING_SHOWN = 0.3, 0.15
_SMALL = 8
"""Parts of a block at most that is taken whole if the statement names it and nothing within."""
_CONDITION = 2
"""Parts at most of what hangs on a condition."""
_LIKENESS, _LIKENESS_OF_ONE = 0.3, 0.45
"""Part of the statement's weight that a part must have that no call showed; with a single term."""
_LEAST_LIKE = 0.25
"""Part of the statement's weight that all its parts must have to be sure of them."""
_VERY_RARE = 2
_DIGITS = frozenset(f"#{digit}" for digit in range(10))
_EXACT = 3
"""Length of a number or name, with its sign, from which on it is hardly there by chance."""
_RARE = 4
"""Parts at most that have a rare term."""


def bind(
    statement: str,
    calls: Sequence[ToolCall],
    repository: Repository,
    commit: str | None = None,
    said: Sequence[str] = (),
    until: int | None = None,
) -> tuple[Binding, ...]:
    """Return the parts of a repository's files that carry a statement; none if none does.

    Args:
        statement: what is remembered.
        calls: the calls of its session before it, the latest last.
        repository: the repository that the session worked in.
        commit: the commit to read; without one the checkout's files are read.
        said: what was said beside the statement; its words count for less.
        until: time in ms by which a file of the checkout was written if it counts rather than the
            commit's.

    Raises:
        UnreadableRepositoryError: the commit can't be read.
    """
    anchors = read_anchors(statement, said, calls)
    gathered = Gathered(statement, calls, said, anchors, repository, commit, until)
    scores = PartScores(gathered, list_shown(calls), anchors)
    chosen = _choose(scores, anchors, gathered)
    is_like = _is_like(statement, chosen, scores)
    if not (is_like or _list_telling(chosen, scores, anchors)):
        chosen = []
    whole = _widen(chosen, scores, anchors)
    sources = {one.source for one in whole}
    whole[1:1] = [one for one in scores.rank_status() if one.source in sources]
    made = [_make(one, gathered) for one in whole]
    parts = [*dict.fromkeys(binding for binding in made if binding is not None)][:MOST_PARTS]
    claims = [*_list_places(gathered, is_bound=bool(parts))]
    if parts and says_no_more(statement):
        claims += _list_seen_whole(chosen, scores, anchors, gathered)
    is_sure = (is_like or not parts) and _has_telling(statement, chosen, anchors, gathered)
    if (parts or claims) and not is_sure:
        path = (*parts, *claims)[0].path
        claims += [Binding(path, "", mark_claim(UNSURE).encode(), gathered.commit)]
    return (*parts, *claims)


def _list_places(gathered: Gathered, *, is_bound: bool) -> Iterator[Binding]:
    """Yield the places that a statement is about; without a part that carries it, all it names."""
    for place in gathered.places or ([] if is_bound else sorted(gathered.named)):
        yield Binding(place, "", mark_claim(PLACE).encode(), gathered.commit)


def _list_seen_whole(
    chosen: Sequence[ScoredPart], scores: PartScores, anchors: Anchors, gathered: Gathered
) -> Iterator[Binding]:
    """Yield the files of code of which a statement says that there is no more of it.

    A name that stands at many places tells nothing by standing at one more.
    """
    stated = [one for one in anchors.stated if one[0] != "=" or scores.counts[one] <= _RARE]
    sources = dict.fromkeys(one.source for one in chosen if not is_prose(one.source.path))
    for source in sources:
        mark = mark_no_more(source, stated)
        if mark is not None:
            yield Binding(source.path, "", mark.encode(), gathered.commit)


def _choose(scores: PartScores, anchors: Anchors, gathered: Gathered) -> list[ScoredPart]:
    """Choose the parts that carry the statement, the best first."""
    candidates = [one for one in scores.ranked if _is_telling(one, scores, anchors, gathered)]
    if not candidates:
        return []
    top = candidates[0].score
    best = [one for one in candidates if one.score >= _find_share(one) * top][:_MOST_BEST]
    chosen = [one for one in best if not _adds_nothing(one, best, anchors)]
    bound = _list_telling(chosen, scores, anchors)
    for one in candidates:
        telling = _list_telling([one], scores, anchors)
        more = len(one.terms & anchors.stated | telling) > 1
        share = _SHARE_OF_MISSING_SHOWN if one.is_shown and more else _SHARE_OF_MISSING
        is_enough = one.score >= share * top and (one.is_shown or more)
        if telling - bound and is_enough and len(chosen) < MOST_PARTS:
            chosen.append(one)
            bound |= telling
    return chosen


def _list_telling(
    parts: Sequence[ScoredPart], scores: PartScores, anchors: Anchors
) -> frozenset[str]:
    """Return the numbers, names and quotations of the statement that parts have."""
    terms = frozenset[str]().union(*(one.terms & anchors.stated for one in parts))
    telling = {term for term in terms if term[0] == "#" or term in anchors.names}
    return frozenset(telling).union(*(scores.find_phrases(one.part) for one in parts))


def _is_like(statement: str, chosen: Sequence[ScoredPart], scores: PartScores) -> bool:
    """Check whether parts have enough of the statement to be no chance likeness together."""
    wanted = list_terms(without_references(statement))
    if any(one.part.text.isascii() for one in chosen):
        wanted = frozenset(term for term in wanted if term.isascii())
    return scores.measure(_list_terms(chosen), wanted) >= _LEAST_LIKE


def _has_telling(
    statement: str, chosen: Sequence[ScoredPart], anchors: Anchors, gathered: Gathered
) -> bool:
    """Check whether parts have a number and a name of the statement, if it has any."""
    numbers = [term for term in list_terms(without_references(statement)) if term[0] == "#"]
    is_long = any(len(term) >= _EXACT for term in numbers)
    least = _EXACT if is_long else 1  # one digit stands anywhere by chance
    amounts = {term for term in anchors.stated if numbers and term[0] == "#" and len(term) >= least}
    terms = _list_terms(chosen).union(*map(list_terms, gathered.named))
    return all(not wanted or wanted & terms for wanted in (amounts, anchors.names))


def _list_terms(parts: Sequence[ScoredPart]) -> frozenset[str]:
    """Return what parts have of a statement, and what they stand in."""
    around = (list_terms(one.source.name_place(one.part.first)) for one in parts)
    return frozenset[str]().union(*(one.terms for one in parts), *around)


def _adds_nothing(one: ScoredPart, best: list[ScoredPart], anchors: Anchors) -> bool:
    """Check whether a part only uses or sets anew what one with more of the statement has."""
    if one.part.is_prose or one.source.find_headed(one.part.first):
        return False
    name, stated = find_set(one.part.text), one.terms & anchors.stated
    return any(
        stated < each.terms & anchors.stated and name in (None, find_set(each.part.text))
        for each in best
    )


def _find_share(one: ScoredPart) -> float:
    """Return the share of the best score from which on a part is taken."""
    if not one.is_comment:
        return _SHARE
    is_like = one.likeness >= _LIKENESS_OF_ONE
    return _SHARE_OF_LIKE_COMMENTS if is_like else _SHARE_OF_COMMENTS


def _is_telling(one: ScoredPart, scores: PartScores, anchors: Anchors, gathered: Gathered) -> bool:
    """Check whether a part is more than a chance likeness."""
    stated, told = one.terms & anchors.stated, one.terms & anchors.told_names
    exact = {term for term in stated if term[0] in "#=" and len(term) >= _EXACT}
    if one.is_focus or one.is_target or one.terms & anchors.names:
        return True
    if one.is_shown or one.source.path in gathered.named:
        is_like = len(one.terms) > 1 or one.likeness >= _LIKENESS
        if (stated and (is_like or exact)) or (told and one.is_shown):
            return True
    if any(term[0] == "=" for term in told) or scores.find_phrases(one.part):
        return True
    rare = {term for term in stated if scores.counts[term] <= _RARE}
    if any(scores.counts[term] <= _VERY_RARE for term in exact) and scores.has_others(one):
        return True
    if len(rare - _DIGITS) > 1 or (exact and rare and len(stated) > 1):
        return True
    is_alone = len(stated) == 1 and min(scores.counts[term] for term in stated) > 1
    return bool(rare) and one.likeness >= (_LIKENESS_OF_ONE if is_alone else _LIKENESS)


def _widen(chosen: list[ScoredPart], scores: PartScores, anchors: Anchors) -> list[ScoredPart]:
    """Take small blocks whole: what a command runs, what hangs on a condition, what is named."""
    found = list(chosen)
    for one in chosen:
        for block in () if one.part.is_prose else one.source.find_headed(one.part.first):
            within = [each for each in one.source.parts if is_in(each, block)]
            code = [each for each in within if not each.is_prose and len(each.tokens) > 1]
            is_taken = any(
                each.source is one.source
                and each.part in code
                and len((each.terms & anchors.stated) - one.terms) > 1
                for each in chosen
            )
            is_meant = bool(block.name) and name_term(block.name) in anchors.names | anchors.stated
            is_whole = one.is_target or (is_meant and not is_taken)
            most = _SMALL if is_whole else 0 if block.name else _CONDITION
            if len(code) <= most:
                found += [scores.weigh(one.source, each, list_terms(each.text)) for each in code]
    return found


def _make(one: ScoredPart, gathered: Gathered) -> Binding | None:
    """Return the binding of a part; None if it has no tokens of its own."""
    source, part = one.source, one.part
    around = [block.name for block in source.find_blocks(part.first) if block.name][-1:]
    headed = [block.name for block in source.find_headed(part.first) if block.name]
    named = list_names_set(source.path, part.text)
    outer = [name for name in around if named and is_telling_name(name)]
    names = [] if part.is_prose else [*named, *headed, *outer]
    mark = make_mark(
        source,
        part,
        [*dict.fromkeys(names)],
        is_setting=any(map(is_telling_name, (*named, *outer))),
        is_placed=source.path in gathered.named or one.is_target or gathered.says_place(part.text),
    )
    symbol = source.name_place(part.first)
    return None if mark is None else Binding(source.path, symbol, mark.encode(), gathered.commit)

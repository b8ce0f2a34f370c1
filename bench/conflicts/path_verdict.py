"""Comparing what is believed after a case with what must be."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.conflicts.path_cases import Change, PathCase
from memoria import Hit, Memory
from memoria.model import Validity

_STOPS = " .。!！?？"
_SENTENCE_END = re.compile(r"[。！？\n]|[.!?;](?=\s|$)")


@dataclass(frozen=True, slots=True)
class Belief:
    """The memories of a tenant, and the pairs of them that are marked as contradicting."""

    memories: tuple[Memory, ...]
    marks: frozenset[frozenset[str]]

    def active(self, wording: str) -> list[Memory]:
        """The active memories that say it now."""
        return [
            one
            for one in self.memories
            if one.validity is Validity.ACTIVE and says(one.content, wording)
        ]

    def past(self, wording: str) -> list[Memory]:
        """The memories in whose history it stands."""
        return [
            one
            for one in self.memories
            if any(says(version.content, wording) for version in one.versions[1:])
            or (one.validity is Validity.SUPERSEDED and says(one.content, wording))
        ]

    def are_marked(self, one: str, other: str) -> bool:
        """Whether two believed wordings are marked as contradicting each other."""
        return any(
            frozenset((a.id, b.id)) in self.marks
            for a in self.active(one)
            for b in self.active(other)
        )


def says(text: str, wording: str) -> bool:
    """Whether a text has this wording, or one of those that a bar divides.

    One that ends in a full stop ends a sentence, any other stands anywhere in the text.
    """
    return any(_says_one(text.casefold(), one.casefold()) for one in wording.split("|"))


def _says_one(text: str, wording: str) -> bool:
    core = wording.rstrip(_STOPS)
    is_end = core != wording
    before = r"(?<!\w)" if core[0].isascii() else ""
    after = r"\Z" if is_end else r"(?!\w)" if core[-1].isascii() else ""
    sentences = [text, *_SENTENCE_END.split(text)] if is_end else []
    parts = [one.strip(_STOPS) for one in sentences] or [text]
    return any(re.search(before + re.escape(core) + after, part) for part in parts)


def compare(case: PathCase, belief: Belief, files: Mapping[str, str]) -> list[str]:
    """What of the memories and of the core files is not as it must be, a line each."""
    return [
        *_believed(case, belief),
        *(line for change in case.replaced for line in _history(case, change, belief)),
        *_marks(case, belief),
        *_ends(case, belief),
        *(
            f"not in a core file any more: {wording}"
            for wording in case.stays
            if not any(says(line, wording) for text in files.values() for line in _lines(text))
        ),
    ]


def check_first(case: PathCase, hits: Sequence[Hit]) -> list[str]:
    """What is wrong with the first hit, if anything."""
    alternatives = [wording for group in (*case.one_of, *case.marked) for wording in group]
    wanted = alternatives or case.current[:1]
    if not hits:
        return [f"nothing is found: {wanted[0]}"]
    if any(says(hits[0].text, wording) for wording in wanted):
        return []
    return [f"first is: {hits[0].kind} {hits[0].text}"]


def _believed(case: PathCase, belief: Belief) -> Iterator[str]:
    alternatives = {wording for group in case.one_of for wording in group}
    for wording in case.current:
        if wording in alternatives:
            continue
        if case.path == "rules":
            if belief.past(wording) and not belief.active(wording):
                yield f"superseded: {wording}"
        elif not belief.active(wording):
            yield f"not believed: {wording}"
    for group in case.one_of:
        if sum(len(belief.active(wording)) for wording in group) != 1:
            yield f"not one of: {group}"
    if case.kind == "repetition" and len(belief.active(case.current[0])) > 1:
        yield f"believed twice: {case.current[0]}"


def _history(case: PathCase, change: Change, belief: Belief) -> Iterator[str]:
    still = [one for one in belief.active(change.old) if not says(one.content, change.new)]
    if still:
        yield f"still believed: {change.old}"
    elif case.path != "rules" and not belief.past(change.old):
        yield f"no history: {change.old}"


def _marks(case: PathCase, belief: Belief) -> Iterator[str]:
    for one, other in case.marked:
        if not belief.are_marked(one, other):
            yield f"not marked: {one} | {other}"
    for change in case.settled:
        if belief.active(change.old) and not belief.are_marked(change.old, change.new):
            yield f"neither superseded nor marked: {change.old} | {change.new}"
    expected = len(case.marked) + len(case.settled)
    if belief.marks and not expected:
        contents = {one.id: one.content for one in belief.memories}
        for pair in belief.marks:
            yield f"marked: {' | '.join(contents.get(one, one) for one in pair)}"


def _ends(case: PathCase, belief: Belief) -> Iterator[str]:
    for wording in case.ending:
        if any(one.expires_at is None for one in belief.active(wording)):
            yield f"has no end: {wording}"
    for wording in case.lasting:
        if any(one.expires_at is not None for one in belief.active(wording)):
            yield f"has an end: {wording}"


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield re.sub(r"<!--.*?-->", "", line).lstrip("-*0123456789. ").strip()

"""Form: the lines in which hits are written, for a model that has little room.

Memories, and turns beside them, are a line each. In an answer of the record turns of one session
and day are a run: they stand together in the order in which they were said, below one line that
names the session and when the first of its hits was said. Runs and lines come in the order of their
best hit. What holds for every hit is said once, above all hits: of lines also who speaks, and the
year. What was said later than a line stands below it, further in. Every id is short: its last
characters, as many as tell it apart.

    All: trust reported, user, 2026.
    [turn 77aa0b21] The gate opens at eight (03-02)
      later: [turn 4f0a66d1] The gate opens at nine now (04-02)
    By meaning:
    [turn 0b7fe912] I left the key with the porter (03-09)

    All: trust reported.
    2026-03-02T01:14Z, session monday
      [turn 5d1c70aa] #3 assistant: What is left to do?
    [turn 0b7fe912] #4 林岚: … the gate opens at nine …
    [memory 77aa0b21] The gate opens at nine (fact, 2026-03-02)
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Self

from memoria.language.budget import count_parts
from memoria.language.reading.fences import indent_lines, join_lines
from memoria.language.words.document import as_text
from memoria.model import AdjacentTurn, Hit, Trust, Validity
from memoria.model.moments import TO_THE_DAY, TO_THE_MINUTE

_ALONE = ("unprocessed", "verbatim")
"""Status of turns among memories: each is a line by itself, as a memory is."""
RunKey = tuple[str, ...]
"""Key of a group of hits: session, client and day of turns; the id of a memory."""


def group_runs(hits: Iterable[Hit]) -> list[list[Hit]]:
    """Group hits by session, client and day, in the order of each group's best hit."""
    runs: dict[RunKey, list[Hit]] = {}
    for hit in hits:
        runs.setdefault(run_key(hit), []).append(hit)
    return list(runs.values())


def order_run(run: Sequence[Hit]) -> Sequence[Hit | AdjacentTurn]:
    """List a group's turns, and the turns beside its hits, in the order of the session."""
    if stands_alone(run[0]):
        return run
    beside = (one for hit in run for one in (*hit.before, *hit.after))
    return sorted((*run, *beside), key=find_place)


def find_place(turn: Hit | AdjacentTurn) -> int:
    """Return the place of a turn in its session."""
    index = turn.source.turn_index if isinstance(turn, Hit) else turn.turn_index
    return index or 0


def run_key(hit: Hit) -> RunKey:
    """Return the key by which hits are grouped: session, client and day, or a lone hit's id."""
    source = hit.source
    is_alone = hit.kind == "memory" or hit.status in _ALONE or hit.later_than is not None
    if is_alone or source.session_id is None:
        return (hit.id,)
    return source.session_id, source.client or "", source.at[:TO_THE_DAY]


def stands_alone(hit: Hit) -> bool:
    """Return whether a hit is a line by itself."""
    return len(run_key(hit)) == 1


ID_CHARS = 8
"""Number of an id's last characters that are written where they tell the id apart."""
_PART_CHARS = 60
"""Most characters of a sentence that no longer holds: enough to tell which sentence."""
_TO_THE_YEAR = 4
NEAREST = "By meaning:"
"""Line above the nearest by meaning, which are no hits."""
LATER = "  later: "
"""Beginning of a line that was said later than the line above."""
_CUT = "…"
_CUT_COST = 2 * count_parts(f"{_CUT} ")
"""Price of the signs where words are cut, on both sides."""


class Common(NamedTuple):
    """Facts that are said once of all hits of an answer."""

    marks: tuple[str, ...] = ()
    who: str | None = None
    """Speaker of the lines, or their type."""
    year: str | None = None

    @classmethod
    def of_hits(cls, hits: Sequence[Hit]) -> Self:
        """Return what hits share; speaker and year only if every hit is a line by itself."""
        marks = list_shared_marks(hits)
        if len(hits) == 1 or not all(map(stands_alone, hits)):
            return cls(marks)
        return cls(
            marks,
            _find_same(map(_describe_speaker, hits)),
            _find_same(hit.source.at[:_TO_THE_YEAR] for hit in hits),
        )

    def write(self) -> str | None:
        """Return the line above all hits; None where hits have nothing in common."""
        told = list(filter(None, (*self.marks, self.who, self.year)))
        return join_lines(f"All: {', '.join(told)}.") if told else None


def list_ids(hits: Iterable[Hit]) -> Iterator[str]:
    """Yield every id that stands in the lines of hits."""
    for hit in hits:
        yield from (hit.id, *hit.contradicts, *hit.outdated_by)
        yield from (one.id for one in (*hit.before, *hit.after))
        if hit.restated_by:
            yield hit.restated_by


def write_hits(hits: Sequence[Hit], id_chars: int = ID_CHARS) -> list[str]:
    """Write the hits as lines.

    Args:
        hits: best first, with their neighbours.
        id_chars: how many of an id's last characters tell all of them apart.
    """
    common = Common.of_hits(hits)
    above = common.write()
    lines = [above] if above else []
    nearest = _find_nearest(hits)
    for run in group_runs(hits):
        lines += [NEAREST] if run_key(run[0]) == nearest else []
        lines += _write_run(run, common, id_chars)
    return lines


def split_nearest(hits: Sequence[Hit]) -> tuple[Sequence[Hit], Sequence[Hit]]:
    """Split lines into those down to the last hit, and those below, which are nearest by meaning.

    All lines are above where none is a hit.
    """
    ids = {hit.id for hit in hits if hit.shown_as is None}
    ends = [
        place for place, hit in enumerate(hits, 1) if not ids.isdisjoint({hit.id, hit.later_than})
    ]
    end = ends[-1] if ends else len(hits)
    return hits[:end], hits[end:]


def _find_nearest(hits: Sequence[Hit]) -> RunKey | None:
    """Return the group key of the first line below all hits; None if there is no such line."""
    _, below = split_nearest(hits)
    return run_key(below[0]) if below else None


def list_shared_marks(hits: Sequence[Hit]) -> tuple[str, ...]:
    """List the marks that several hits have in common, in the order in which marks are written."""
    return _list_common(map(list_general_marks, hits)) if len(hits) > 1 else ()  # not said twice


def list_general_marks(hit: Hit) -> tuple[str, ...]:
    """List the marks of a hit that many hits may share."""
    source = hit.source
    status = None if hit.status == "unprocessed" else hit.status  # what it says is what was said
    marks = _list_plain_marks(hit.condition, status, source.trust, source.account)
    return (*marks, f"workspace {source.workspace}") if source.workspace else marks


@lru_cache(maxsize=64)
def _list_plain_marks(
    condition: str | None, status: str | None, trust: Trust | None, account: str | None
) -> tuple[str, ...]:
    """List the marks of a hit except its workspace."""
    marks = (
        condition,
        status,
        f"trust {trust}" if trust else None,
        "as an agent reported it" if account else None,
    )
    return tuple(mark for mark in marks if mark)


def _list_common(each: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """List the marks that stand in every group, in their order."""
    first, *others = dict.fromkeys(each)
    if not others:
        return first
    common = set(first).intersection(*others)
    return tuple(mark for mark in first if mark in common)


def write_words(hit: Hit) -> str:
    """Return the words of a hit, with a sign where words are cut off."""
    if hit.excerpt is None:
        return hit.text
    start, end = hit.excerpt
    before = f"{_CUT} " if start else ""
    after = f" {_CUT}" if hit.total_chars is None or end < hit.total_chars else ""
    return f"{before}{hit.text}{after}"


def head_cost(hit: Hit) -> int:
    """Return the most twentieths of a token that the line above a hit's group costs."""
    return 0 if stands_alone(hit) else _line_cost(_describe_run(hit))


def frame_cost(hit: Hit, common: Common, id_chars: int) -> int:
    """Return the twentieths of a token that a hit costs without its words and its tool call's."""
    marks = _own_marks(hit, common) if stands_alone(hit) else list_marks(hit, common.marks)
    line = _hit_line(hit, "", marks, id_chars)
    call = [] if hit.tool is None else [_call_line(hit.tool.name, "", "", is_cut=True)]
    below = _lines_below(hit, id_chars)
    return sum(map(_line_cost, (line, *call, *below))) + _CUT_COST


def headings_cost(hits: Sequence[Hit]) -> int:
    """Return the most twentieths of a token that lines above all hits and above the nearest cost.

    Fewer hits may have more in common: a mark that is said above all hits is left out of lines.
    """
    above = Common.of_hits(hits).write() or ("All: ." if len(hits) > 1 else None)
    below = NEAREST if _find_nearest(hits) else None
    return sum(map(_line_cost, filter(None, (above, below))))


def words_cost(text: str) -> int:
    """Return the twentieths of a token that stored words cost as written, indented."""
    return count_parts(indent_words(text))


def neighbour_cost(beside: AdjacentTurn, id_chars: int) -> int:
    """Return the twentieths of a token that a turn beside a hit costs."""
    return neighbour_frame_cost(beside, id_chars) + words_cost(beside.text)


def neighbour_frame_cost(beside: AdjacentTurn, id_chars: int) -> int:
    """Return the twentieths of a token that a turn beside a hit costs apart from its words."""
    return _line_cost(_neighbour_head(beside, id_chars))


def name_hit(hit: Hit, id_chars: int) -> str:
    """Return the name by which a hit is cited: `[turn 4f0a66d1]`."""
    return f"[{hit.kind} {short_id(hit.id, id_chars)}]"


def list_doubts(hit: Hit, id_chars: int) -> list[str]:
    """List what speaks against a hit, for a line in which the rest stands, too."""
    return [*_list_validity(hit), *_list_objections(hit, id_chars)]


def _list_objections(hit: Hit, id_chars: int) -> list[str]:
    """List what other records say against a hit."""
    named = (
        ("contradicted by", hit.contradicts),
        ("stated anew by", (hit.restated_by,) if hit.restated_by else ()),
        ("see", hit.outdated_by),
    )
    return [
        f"{what} {', '.join(short_id(one, id_chars) for one in others)}"
        for what, others in named
        if others
    ]


def short_id(record_id: str, id_chars: int) -> str:
    """Return the end of an id: its beginning is a clock, which many have in common."""
    return record_id[-id_chars:]


def indent_words(text: str) -> str:
    """Indent the further lines of stored text, so that none can pass for a line of an answer."""
    return indent_lines(text, "    ")


def _line_cost(line: str) -> int:
    return count_parts(f"{line}\n")


def _write_run(run: Sequence[Hit], common: Common, id_chars: int) -> Iterator[str]:
    known = common.marks
    is_alone = stands_alone(run[0])
    if not is_alone:
        of_run = _list_common(map(list_general_marks, run))
        marks = [mark for mark in of_run if mark not in known]
        yield join_lines(", ".join((_describe_run(min(run, key=find_place)), *marks)))
        known = (*known, *of_run)
    for turn in order_run(run):
        if isinstance(turn, AdjacentTurn):
            yield _neighbour_line(turn, id_chars)
        else:
            marks = _own_marks(turn, common) if is_alone else list_marks(turn, known)
            yield from _hit_lines(turn, marks, id_chars)


def _describe_run(hit: Hit) -> str:
    at = hit.source.at
    offset = "Z" if at.endswith("Z") else at[-len("+08:00") :]
    return f"{at[:TO_THE_MINUTE]}{offset}, session {hit.source.session_id}"


def _hit_lines(hit: Hit, marks: Sequence[str], id_chars: int) -> Iterator[str]:
    yield _hit_line(hit, indent_words(write_words(hit)), marks, id_chars)
    if hit.tool is not None:
        call = (indent_words(as_text(part)) for part in (hit.tool.args, hit.tool.result))
        yield _call_line(join_lines(hit.tool.name), *call, is_cut=hit.tool.cut)
    yield from _lines_below(hit, id_chars)


def _hit_line(hit: Hit, words: str, marks: Sequence[str], id_chars: int) -> str:
    name = name_hit(hit, id_chars)
    if stands_alone(hit):
        if hit.later_than is None:
            return write_line(name, words, marks)
        told = [*marks, *_list_objections(hit, id_chars)]
        return write_line(f"{LATER}{name}", words, told)
    said = f" ({', '.join(marks)})" if marks else ""
    place = "" if hit.source.turn_index is None else f"#{hit.source.turn_index} "
    who = hit.source.speaker or hit.source.role or ""
    return f"{join_lines(f'{name} {place}{who}{said}:')} {words}"


def write_line(name: str, words: str, details: Iterable[str]) -> str:
    """Write a line about a record: its name, its words as indented, and what is known of it."""
    return f"{name} {words} ({join_lines(', '.join(details))})"


def _call_line(name: str, args: str, result: str, *, is_cut: bool) -> str:
    return f"  tool {name}({args}) → {result}{f' {_CUT}' if is_cut else ''}"


def _lines_below(hit: Hit, id_chars: int) -> Iterator[str]:
    """Yield a line for each fact that speaks against a hit; nothing for a line further in."""
    if hit.later_than is not None:
        return
    if hit.restated_by:
        yield f"  out of date: [{short_id(hit.restated_by, id_chars)}] states the same anew"
    if hit.contradicts:
        others = ", ".join(f"[{short_id(one, id_chars)}]" for one in hit.contradicts)
        yield f"  this and {others} cannot both be true; ask the user which is"
    if hit.outdated_by:
        others = ", ".join(f"[memory {short_id(one, id_chars)}]" for one in hit.outdated_by)
        yield f"  rests on something that has changed since: see {others}"


def _neighbour_line(beside: AdjacentTurn, id_chars: int) -> str:
    return f"{_neighbour_head(beside, id_chars)}{indent_words(beside.text)}"


def _neighbour_head(beside: AdjacentTurn, id_chars: int) -> str:
    who = f"[turn {short_id(beside.id, id_chars)}] #{beside.turn_index}"
    mark = f" ({beside.condition})" if beside.condition else ""
    return f"  {join_lines(f'{who} {beside.speaker or beside.role}{mark}:')} "


def _own_marks(hit: Hit, common: Common) -> list[str]:
    """List the marks of a hit that is a line by itself: type and day first."""
    what = _describe_speaker(hit)
    kind = [what] if what and what != common.who else []
    at = hit.source.at[:TO_THE_DAY]
    day = at[_TO_THE_YEAR + 1 :] if at[:_TO_THE_YEAR] == common.year else at
    later = ["later"] if hit.shown_as == "later" and hit.later_than is None else []
    return [*kind, day, *later, *list_marks(hit, common.marks)]


def _describe_speaker(hit: Hit) -> str | None:
    """Return the type of a memory, or the speaker of a turn."""
    what = hit.type or hit.source.speaker or hit.source.role
    return str(what) if what else None


def _find_same(texts: Iterable[str | None]) -> str | None:
    """Return the text that all texts are; None where two differ."""
    different = set(texts)
    return different.pop() if len(different) == 1 else None


def list_marks(hit: Hit, known: Sequence[str]) -> list[str]:
    """List the marks of a hit without those that are known to be said above."""
    return [mark for mark in list_general_marks(hit) if mark not in known] + _list_validity(hit)


def _list_validity(hit: Hit) -> list[str]:
    """List the marks of a hit that does not hold or is the earlier of two statements."""
    earlier = ["earlier than one above"] * hit.is_earlier
    ground = [hit.ground.phrase] if hit.ground else []
    return [*filter(None, [hit.clock]), *earlier, *describe_validity(hit), *ground]


def describe_validity(hit: Hit) -> list[str]:
    """Return the mark of a hit, or of a sentence, that no longer holds; else nothing."""
    if hit.superseded_part is not None:
        part = join_lines(hit.superseded_part)
        shown = part if len(part) <= _PART_CHARS else f"{part[:_PART_CHARS]}{_CUT}"
        return [f"{Validity.SUPERSEDED}: “{shown}”"]
    return [] if hit.validity in (None, Validity.ACTIVE) else [str(hit.validity)]

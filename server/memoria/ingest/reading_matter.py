"""Reading matter: the text shown to a model for the segments that are read with one request.

What the user says is what memories come from, so it is shown in full as far as there is room. Of
an assistant's long answer the beginning and the end tell what was decided. Of a tool's output a
line is shown. Where the segment is summed up in the same request, only the tools' names are: a web
page must not speak through a summary.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from memoria.inference.tasks import ReadingMaterial
from memoria.ingest.attribution import describe_participants
from memoria.ingest.processing import compact_json, longest_that_fits, shorten_statement, turn_line
from memoria.language.reading.fences import drop_invisible, indent_lines
from memoria.language.words.characters import is_cjk
from memoria.language.words.document import as_text
from memoria.memories.episode_fields import find_tool_name
from memoria.memories.times import date_of_memory, day_of, last_date
from memoria.memories.validator import PromptContents
from memoria.model import Memory, Role, StoredTurn, Validity
from memoria.model.moments import Zone
from memoria.policy.turns import NOBODY_NAMED, Participants
from memoria.store.values import LeasedEntry

_BEFORE_CHARS = 200
_MOST_CHARS = 16_000
_LEAST_CHARS = 400
_ANSWER_CHARS = 320
_CALL_CHARS = 60
_CALLS_CHARS = 80
_RESULT_CHARS = 160
_NAME_CHARS = 60
_CJK_CHARS = 2
"""Characters of English that say as much as one of Chinese."""


@dataclass(frozen=True, slots=True)
class ShownSegment:
    """A part of a conversation that a queue entry names."""

    entry: LeasedEntry
    turns: tuple[StoredTurn, ...]
    """Turns of the segment that are shown, in order."""
    unread: frozenset[int] = frozenset()
    """Numbers of the turns that have not been read before; only these lead to conclusions."""
    summary_n: int | None = None
    """Number of the queue entry for the segment's summary, if the same request writes it."""
    is_idle: bool = False
    """True if nothing is to be read: all is small talk, or was read before."""


@dataclass(frozen=True, slots=True)
class ReadingContext:
    """Turns, memories and people that the model is shown."""

    segments: tuple[ShownSegment, ...]
    before: tuple[StoredTurn, ...] = ()
    known: tuple[Memory, ...] = ()
    participants: Participants = NOBODY_NAMED
    compare_meanings: bool = False
    """True if conclusions must be compared by meaning, too, with what was forgotten."""

    @property
    def turns(self) -> tuple[StoredTurn, ...]:
        """All turns of the segments, numbered in this order from 1."""
        return tuple(turn for segment in self.segments for turn in segment.turns)

    @property
    def sums_up(self) -> bool:
        """True if any segment is to be summed up."""
        return any(segment.summary_n is not None for segment in self.segments)

    @property
    def memory_names(self) -> dict[str, str]:
        """Ids of the known memories, by the short names that the model is shown."""
        return {f"k{number}": memory.id for number, memory in enumerate(self.known, 1)}

    def numbers_of(self, segment: ShownSegment) -> dict[int, StoredTurn]:
        """Map numbers to the turns of a segment."""
        own = {turn.n for turn in segment.turns}
        return {n: turn for n, turn in enumerate(self.turns, 1) if turn.n in own}

    def prompt_contents(self) -> PromptContents:
        """Return the turns and memories that a proposed change may name."""
        unread = frozenset[int]().union(*(segment.unread for segment in self.segments))
        turns = {n: turn for n, turn in enumerate(self.turns, 1) if turn.n in unread}
        return PromptContents(turns, {memory.id: memory for memory in self.known})

    def describe(self, zone: Zone) -> ReadingMaterial:
        """Write the turns, memories and people as the texts of a prompt."""
        known = zip(self.memory_names, self.known, strict=True)
        said = (*self.before, *self.turns)
        return ReadingMaterial(
            people=f"{describe_participants(self.participants, said)}{self._describe_project()}",
            known="\n".join(_memory_line(name, memory, zone) for name, memory in known),
            before="\n".join(_line(one, _BEFORE_CHARS, with_results=False) for one in self.before),
            conversation="\n\n".join(self._conversation_lines(zone)),
        )

    def _describe_project(self) -> str:
        """Return the last part of the project's name, in a sentence; empty for none."""
        name = PurePath(self.turns[0].workspace or "").name[:_NAME_CHARS]
        return f" The project is {json.dumps(name, ensure_ascii=False)}." if name else ""

    def _conversation_lines(self, zone: Zone) -> Iterator[str]:
        """Yield the turns with their numbers; above a new day or conversation, its day."""
        said = (len(turn.content) for turn in self.turns if _is_of_people(turn))
        most = longest_that_fits(said, _MOST_CHARS, _LEAST_CHARS)
        number = 0
        for segment in self.segments:
            results, day = segment.summary_n is None, ""
            calls = list[str]()
            for turn in segment.turns:
                number += 1
                if not results and turn.role is Role.TOOL:
                    calls.append(find_tool_name(turn) or "left out")
                    continue
                yield from _join_calls(calls)
                if day_of(turn, zone) != day:
                    day = day_of(turn, zone)
                    yield f"[{day}]"
                line = _line(turn, most, with_results=results, is_read=turn.n not in segment.unread)
                yield f"[{number}] {line}"
            yield from _join_calls(calls)


def _join_calls(calls: list[str]) -> Iterator[str]:
    """Yield the tools that were used in a row, without numbers: nothing is concluded from them."""
    if calls:
        yield " ".join(f"({', '.join(dict.fromkeys(calls))})"[:_CALLS_CHARS].split())
        calls.clear()


def text_to_relate(turns: Iterable[StoredTurn]) -> str:
    """Return people's words in some turns, by which related memories are looked up."""
    said = [turn for turn in turns if turn.role not in (Role.TOOL, Role.SYSTEM)]
    people_first = sorted(said, key=_is_of_people, reverse=True)
    return "\n".join(turn.content[:_LEAST_CHARS] for turn in people_first)


def _is_of_people(turn: StoredTurn) -> bool:
    return turn.role is Role.USER or (turn.role is Role.ASSISTANT and turn.speaker is not None)


def _line(turn: StoredTurn, most: int, *, with_results: bool, is_read: bool = False) -> str:
    if turn.role is Role.SYSTEM or _is_of_people(turn):
        words, room = turn.content, most
    elif turn.role is Role.ASSISTANT:
        words, room = turn.content, min(most, _ANSWER_CHARS)
    else:
        words = turn.content if with_results else ""
        room = _RESULT_CHARS
    call = _describe_call(turn, with_results=with_results)
    room = max(room // _CJK_CHARS if is_cjk(words[:_LEAST_CHARS]) else room, 1)
    line = turn_line(turn, words, room, "(read)" if is_read else "")
    return f"{line}{' ' if words and call else ''}{call}"


def _describe_call(turn: StoredTurn, *, with_results: bool) -> str:
    """Return a tool's call in brackets: its name, its arguments, its result."""
    if turn.tool_name is None and turn.tool_args is None and turn.tool_result is None:
        return "" if turn.content or turn.role is not Role.TOOL else "(left out)"
    args = _describe_arguments(turn)[:_CALL_CHARS]
    call = " ".join(filter(None, (turn.tool_name or "", args)))
    result = as_text(turn.tool_result) if with_results else ""
    if len(result) > _RESULT_CHARS:
        half = _RESULT_CHARS // 2
        result = f"{result[:half]} […] {result[-half:]}"
    shown = f"({call} → {result})" if result else f"({call or 'left out'})"
    return indent_lines(drop_invisible(shown), " ")


def _describe_arguments(turn: StoredTurn) -> str:
    """Return the arguments of a tool's call in a line, without their names."""
    args = turn.tool_args
    values = args.values() if isinstance(args, dict) else [args]
    return " ".join(" ".join(map(as_text, values)).split())


def _memory_line(short_id: str, memory: Memory, zone: Zone) -> str:
    fields = {
        "id": short_id,
        "subject": memory.subject,
        "predicate": memory.predicate,
        "content": shorten_statement(memory.content),
        "said_on": date_of_memory(memory, zone),
    }
    if memory.expires_at is not None:
        fields["until"] = last_date(memory, memory.expires_at, zone)
    if memory.validity is Validity.PENDING_CONFIRMATION:
        fields["waits"] = "for confirmation"
    if memory.ground is not None and memory.ground.state in ("changed", "gone"):
        fields["files"] = memory.ground.phrase
    plain = {name: value for name, value in fields.items() if value is not None}
    return compact_json(plain)


def list_before(turns: Sequence[StoredTurn]) -> tuple[StoredTurn, ...]:
    """Return the spoken turns before a segment, which help to understand it."""
    spoken = (Role.USER, Role.ASSISTANT)
    return tuple(turn for turn in turns if not turn.suppressed and turn.role in spoken)

"""What is asked: the public sets, and cases that were written by others than the rules' authors."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.command import limit_questions
from bench.data import Conversation, Question
from bench.later.cases import Case, Group, make_groups, message_id, read_cases
from bench.recall.sets import RECORDS
from memoria import Turn

PUBLIC = ("beam", "locomo", "memdaily", "memorybank", "cross-language", "cmrc")
CASES = ("pairs", "wordless", "bothtrue", "wishes", "requests", "remarks")
"""Files of cases; see `bench.later`."""
_FORTNIGHT = "fortnight"
_OTHERS = 200
"""Turns of other talk around the cases of a home."""


def read_sets(
    data: Path, held: Path | None, at_most: int | None
) -> dict[str, Sequence[Conversation]]:
    """Read every set that is there, by its name.

    Args:
        data: the folder of the public sets.
        held: the folder of the cases; None for none.
        at_most: questions of each conversation of a public set.
    """
    found: dict[str, Sequence[Conversation]] = {
        name: limit_questions(RECORDS[name].read(data), at_most)
        for name in PUBLIC
        if not RECORDS[name].missing(data)
    }
    if held is not None:
        files = ((name, held / f"{name}.jsonl") for name in CASES)
        found |= {name: _read_cases(file, data) for name, file in files if file.is_file()}
        if (held / _FORTNIGHT).is_dir():
            found[_FORTNIGHT] = [_read_fortnight(held / _FORTNIGHT)]
    return found


def _read_cases(file: Path, data: Path) -> list[Conversation]:
    groups = make_groups(read_cases(file, None), _OTHERS, data, None)
    return [_make_conversation(f"{file.stem}-{n:02}", group) for n, group in enumerate(groups, 1)]


def _make_conversation(name: str, group: Group) -> Conversation:
    keys = {str(turn.message_id): str(turn.session_id) for turn in group.turns}
    questions = tuple(_make_question(case, keys) for case in group.cases)
    return Conversation(name, group.turns, questions)


def _make_question(case: Case, sessions: Mapping[str, str]) -> Question:
    wanted = message_id(case, case.wanted)
    return Question(case.question, case.language, frozenset({(sessions[wanted], wanted)}))


def _read_fortnight(folder: Path) -> Conversation:
    lines = [
        json.loads(line) for line in (folder / "talk.jsonl").read_text("utf-8").splitlines() if line
    ]
    turns = tuple(_make_turns(lines))
    said = {turn.content: (str(turn.session_id), str(turn.message_id)) for turn in turns}
    asked = json.loads((folder / "questions.json").read_text("utf-8"))
    questions = tuple(
        Question(one["question"], one["kind"], frozenset(said[e] for e in one["evidence"]))
        for one in asked
        if one["evidence"]
    )
    return Conversation(_FORTNIGHT, turns, questions)


def _make_turns(lines: Sequence[Mapping[str, Any]]) -> Iterator[Turn]:
    for n, line in enumerate(lines):
        yield Turn(
            session_id=line["session"],
            message_id=f"m{n}",
            role=line["role"],
            content=line["content"],
            at=line["at"],
        )

"""Labelled sentences of real users, to train and to measure the classifier of plain statements.

The labels beside this file only refer to a public data set (LongMemEval, MIT licence); its text
stays outside the repository. Where the set is absent, there are no sentences.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.data import data_folder

from memoria.policy.own_words import own_sentences

_SET = Path("longmemeval_mini") / "mn_3haystacks.json"
LABELS = Path(__file__).with_name("longmemeval_labels.tsv")

Place = tuple[str, int]
"""A turn of the set: the session's id, and the turn's position in the session from 0."""
Span = tuple[int, int]
"""The first character, and the one after the last, in the text of a turn; with the full stop."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A row of the labels: a sentence, and what it is to a memory."""

    label: str
    place: Place
    sentence: Span
    part: Span | None
    """What alone states it, where the rest of the sentence asks or chats."""

    def cut(self, turn: str) -> str:
        """The sentence in one line, with brackets around the part where only a part states it."""
        start, end = self.sentence
        if self.part is None:
            return _join_lines(turn[start:end])
        first, last = self.part
        return _join_lines(f"{turn[start:first]}[{turn[first:last]}]{turn[last:end]}")


def labelled_sentences() -> Iterator[tuple[str, str]]:
    """Each (label, sentence), in the form of the written files; nothing without the data."""
    turns = user_turns()
    for reference in _references():
        if (turn := turns.get(reference.place)) is not None:
            yield reference.label, reference.cut(turn)


def lost_references() -> Iterator[Reference]:
    """References to what is no sentence of the user any more, since the rules cut otherwise."""
    turns = user_turns()
    for reference in _references():
        turn = turns.get(reference.place)
        if turn is not None and reference.sentence not in _spans(turn):
            yield reference


def user_turns() -> dict[Place, str]:
    """What the users of the set wrote, by place; empty, and told on stderr, without the data."""
    folder = data_folder()
    if folder is None or not (folder / _SET).is_file():
        print(f"no {_SET} in the data folder: no sentences of real users", file=sys.stderr)
        return {}
    haystacks = json.loads((folder / _SET).read_text("utf-8"))
    return {
        (session, position): str(turn["content"])
        for haystack in haystacks
        for session, turns in zip(
            haystack["haystack_session_ids"], haystack["haystack_sessions"], strict=True
        )
        for position, turn in enumerate(turns)
        if turn["role"] == "user"
    }


def _references() -> Iterator[Reference]:
    for row in LABELS.read_text("utf-8").splitlines():
        label, session, *numbers = row.split("\t")
        position, start, end, *part = map(int, numbers)
        yield Reference(
            label, (session, position), (start, end), (part[0], part[1]) if part else None
        )


def _spans(turn: str) -> set[Span]:
    return {
        (each.start, each.start + len(each.text) + len(each.end)) for each in own_sentences(turn)
    }


def _join_lines(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    for found in labelled_sentences():
        print(*found, sep="\t")
    for lost in lost_references():
        print("not a sentence any more:", lost, file=sys.stderr)

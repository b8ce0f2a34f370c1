"""What rules mark in texts that others have labelled: standing wishes."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench.rules.groups import Group
from bench.rules.switch import switched_off
from memoria.language.lazy import forget_results
from memoria.language.statements.plain_statements import find_plain_statements
from memoria.model.turn import Role


class Label(NamedTuple):
    """A text, and whether it is to be marked."""

    text: str
    is_meant: bool


class Marked(NamedTuple):
    """How well the marks meet the labels; each figure is 0 to 1."""

    precision: float
    recall: float


def read_labels(held: Path) -> dict[str, list[Label]]:
    """Read the labelled texts that are there, by what is marked in them."""
    found: dict[str, list[Label]] = {}
    if (file := held / "standing.jsonl").is_file():
        found["wishes: single messages"] = [
            Label(one["message"], bool(one["standing"])) for one in _read(file)
        ]
    if (file := held / "fortnight" / "labels.json").is_file():
        labels = json.loads(file.read_text("utf-8"))
        wanted = {one["content"] for one in labels["standing"]}
        talk = _read(held / "fortnight" / "talk.jsonl")
        said = (one["content"] for one in talk if one["role"] == "user")
        found["wishes: a fortnight"] = [Label(text, text in wanted) for text in said]
    return found


def measure_labels(labels: Iterable[Label], group: Group | None) -> Marked:
    """Mark every text without one group of rules, and hold the marks against the labels."""
    seams = () if group is None else group.seams
    right = wrong = missed = 0
    forget_results()
    with switched_off(seams):
        for text, is_meant in labels:
            is_marked = find_plain_statements(Role.USER, text).is_wish
            right += is_marked and is_meant
            wrong += is_marked and not is_meant
            missed += is_meant and not is_marked
    forget_results()
    return Marked(right / max(right + wrong, 1), right / max(right + missed, 1))


def _read(file: Path) -> Iterable[Mapping[str, Any]]:
    return map(json.loads, filter(None, file.read_text("utf-8").splitlines()))

"""A chat model that says what a good one would, for one case at a time."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bench.conflicts.path_cases import NightStep, PathCase, SayStep, ScriptedRuling

_TURN = re.compile(r"^\[(\d+)\] .*?: (.*?)(?=\n\n\[|\n```|\Z)", re.MULTILINE | re.DOTALL)
_LINE = re.compile(r"^\{.*\}$", re.MULTILINE)
_SIGNS: Mapping[str, Mapping[str, Any]] = {
    "`outcome`": {"summary": ""},
    "`sentences`": {"sentences": []},
    "`searches_left`": {"decision": "KEEP"},
    "SKIP: they merely": {"action": "SKIP"},
}
"""Words that stand in the instructions of one kind of question only, and an answer of nothing."""


class PathScript:
    """Answers (instructions, text) for the case at hand."""

    def __init__(self) -> None:
        self.case: PathCase | None = None
        self._contents: dict[str, str] = {}

    def begin(self, case: PathCase) -> None:
        """Follow the script of this case from now on."""
        self.case, self._contents = case, {}

    def answer(self, instructions: str, text: str) -> dict[str, Any]:
        """The JSON of an answer."""
        lines = [json.loads(line) for line in _LINE.findall(text)]
        if "`relation`" in instructions:
            return {"rulings": list(self._rulings(lines))}
        if "`supported`" in instructions:
            checked = [line["number"] for line in lines if "number" in line]
            return {"checks": [{"statement": n, "supported": "yes"} for n in checked]}
        for sign, nothing in _SIGNS.items():
            if sign in instructions:
                return dict(nothing)
        return {"operations": list(self._operations(text, lines)) or [{"op": "SKIP"}]}

    def _rulings(self, pairs: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        scripted = {(one.new, one.known): one.relation for one in self._every_ruling()}
        for pair in pairs:
            new, known = str(pair.get("new")), str(pair.get("known"))
            relation = scripted.get((new, known)) or scripted.get((known, new)) or "different"
            yield {"pair": pair["number"], "relation": relation}

    def _every_ruling(self) -> Iterator[ScriptedRuling]:
        if self.case is not None:
            yield from self.case.rulings
            for step in self.case.steps:
                if isinstance(step, NightStep):
                    yield from step.rulings

    def _operations(
        self, text: str, lines: Sequence[Mapping[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        ids = {line["content"]: line["id"] for line in lines if {"id", "content"} <= line.keys()}
        steps = [step for step in self.case.steps if isinstance(step, SayStep)] if self.case else []
        for number, content in _TURN.findall(text):
            for step in steps:
                if content.strip() == step.text:
                    for proposed in step.proposed:
                        yield self._real(dict(proposed.operation), proposed.label, int(number), ids)

    def _real(
        self, fields: dict[str, Any], label: str | None, number: int, ids: Mapping[str, str]
    ) -> dict[str, Any]:
        """The operation with real ids in the labels' place."""
        own = label or str(fields.get("id"))
        if "id" in fields:
            known = self._contents.get(fields["id"], "")
            fields["id"] = ids.get(known, f"not shown: {known}")
        if "content" in fields:
            self._contents[own] = fields["content"]
        return {**fields, **({} if fields["op"] in ("BOOST", "LINK") else {"turn": number})}

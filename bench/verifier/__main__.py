"""A night weighs memories in dispute, unconfirmed or often used: cases that others labelled.

Each case becomes a home: its turns are recorded, its memories written as a model would have
concluded them, and the step `weigh` runs at the case's moment. Confidence is compared with that of
an extraction. A memory rests on the part of each turn that shares most words with it. How files
stand is told by the case, and not read from a repository. Shown is every miss in a line.

    python -m bench.verifier FILE...      # by default the cases beside this module
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from re import split
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import anyio

import memoria.app.nightly as nights
from memoria import Settings
from memoria.app import open_memoria
from memoria.app.engine import open_store
from memoria.language.reading.statement import fingerprint
from memoria.language.words.analyser import word_terms
from memoria.memories.links import link_contradictions
from memoria.model import (
    COMMAND_LINE,
    LIBRARY,
    InferredBy,
    Memory,
    MemoryType,
    Provenance,
    Trust,
    Validity,
    new_id,
)
from memoria.model.grounds import GroundMark
from memoria.model.memory import SourceKind
from memoria.model.moments import parse_instant, use_clock
from memoria.store.rows.transaction import Transaction
from memoria.store.values import NewEvidence, NewMemory, NewVersion

CASES = Path(__file__).parent
_EXTRACTED = 0.7
_IMPORTANT, _UNIMPORTANT = 0.7, 0.5
_ORIGINS = {
    "user": (SourceKind.USER_SAID, Trust.REPORTED),
    "assistant": (SourceKind.ASSISTANT_INFERRED, Trust.REPORTED),
    "agent": (SourceKind.ASSISTANT_INFERRED, Trust.REPORTED),
    "tool": (SourceKind.TOOL_OUTPUT, Trust.TOOL),
    "document": (SourceKind.IMPORTED, Trust.REPORTED),
}
_TYPES = {"decision": MemoryType.FACT}
Case = Mapping[str, Any]


def _write_memory(tx: Transaction, case: Case, one: Case, numbers: Mapping[str, int]) -> str:
    """Write a memory with its evidence and its uses; return its id."""
    said = {
        t["id"]: (t["text"], parse_instant(s["at"])) for s in case["sessions"] for t in s["turns"]
    }
    rests_on = [turn for turn in one["rests_on"] if turn in said]
    at = max((said[turn][1] for turn in rests_on), default=parse_instant(case["sessions"][0]["at"]))
    quotes = {turn: _choose_quote(said[turn][0], one["text"]) for turn in rests_on}
    source, trust = _ORIGINS[one["said_by"]]
    first = next(iter(quotes.items()), (None, None))
    origin = Provenance(source_kind=source, trust=trust, channel="extraction", quote=first[1])
    turn_n = None if first[0] is None else numbers[first[0]]
    text = one["text"]
    version = NewVersion(text, fingerprint(text), at, at, origin, turn_n, InferredBy.MODEL)
    importance = _IMPORTANT if case["kind"] == "unconfirmed" else _UNIMPORTANT
    kind = _TYPES.get(one["type"]) or MemoryType(one["type"])
    memory = NewMemory(new_id(), kind, importance, _EXTRACTED)
    tx.memories.add(memory, version)
    for turn in rests_on[1:]:
        tx.memories.add_evidence(NewEvidence(memory.id, numbers[turn], quotes[turn], at))
    for _ in range(one["shown"]):
        tx.memories.add_use(memory.id, 0.0, at)
    return memory.id


def _choose_quote(text: str, content: str) -> str:
    """Return the part of a turn that shares most words with a memory."""
    parts = filter(None, map(str.strip, split(r"[.!?。！？\n:：\"“”「」]", text)))
    terms = {*word_terms(content)}
    return max(parts, key=lambda part: len(terms & {*word_terms(part)}), default=text)


async def _lay_home(settings: Settings, case: Case) -> dict[str, str]:
    """Record a case, and return the ids of its memories by their names in it."""
    async with open_memoria(settings=settings) as m:
        for session in case["sessions"]:
            await m.record_conversation(
                [
                    {
                        "role": "tool" if turn["role"] == "document" else turn["role"],
                        "content": turn["text"],
                        "message_id": turn["id"],
                        "at": session["at"],
                    }
                    for turn in session["turns"]
                ],
                session_id=session["id"],
            )
    with closing(open_store(settings)) as store, store.write(settings.tenant) as tx:
        turns = [
            turn
            for session in case["sessions"]
            for turn in tx.conversations.session_turns(session["id"], 0, 100)
        ]
        numbers = {turn.message_id or "": turn.n for turn in turns}
        ids = {one["id"]: _write_memory(tx, case, one, numbers) for one in case["memories"]}
    for one in case["memories"]:
        if one["confirmed_at"]:
            channel = COMMAND_LINE if one["confirmed_by"] == "user" else LIBRARY
            with use_clock(lambda at=one["confirmed_at"]: parse_instant(at)):  # type: ignore[misc]
                async with open_memoria(settings=settings, channel=channel) as m:
                    await m.revise_memory(ids[one["id"]], "confirm")
    with closing(open_store(settings)) as store, store.write(settings.tenant) as tx:
        for one in case["memories"]:
            memory = tx.memories.get(ids[one["id"]])
            assert memory is not None
            rivals = [ids[rival] for rival in one["disputed_by"]]
            link_contradictions(tx, memory, rivals, now=parse_instant(case["now"]))
    return ids


def _weigh(folder: str, case: Case) -> Iterator[tuple[str, bool, str]]:
    """Run the night of a case; yield what was wanted, whether it came so, and a line on it."""
    settings = Settings(home=folder, embedder="off")
    ids = anyio.run(_lay_home, settings, case)
    marks = {
        ids[one["id"]]: GroundMark(state=one["ground"])
        for one in case["memories"]
        if one["ground"] != "none"
    }
    told = SimpleNamespace(read_marks=lambda *_: marks)
    with (
        patch.object(nights, "build_grounding_worker", lambda *_: told),
        use_clock(lambda: parse_instant(case["now"])),
    ):
        run = nights.run_nightly(settings, ["weigh"])
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        after = {name: tx.memories.get(memory_id) for name, memory_id in ids.items()}
    reasons = {name: run.steps[0].reasons.get(memory_id) for name, memory_id in ids.items()}
    yield from _compare(case, {n: one for n, one in after.items() if one}, reasons)


def _compare(
    case: Case, after: Mapping[str, Memory], reasons: Mapping[str, str | None]
) -> Iterator[tuple[str, bool, str]]:
    want = case["want"]
    if want["active"] is not None:
        active = [name for name, one in after.items() if one.validity is Validity.ACTIVE]
        got = active[0] if len(active) == 1 else "ask"
        yield "active", got == want["active"], f"{want['active']}, got {got}"
    for name, direction in want["confidence"].items():
        confidence = after[name].confidence
        way = "up" if confidence > _EXTRACTED else "down" if confidence < _EXTRACTED else "same"
        allowed = want.get("confidence_ok", {}).get(name, [direction])
        line = f"{name} {direction}, got {way} ({reasons[name] or 'left as it was'})"
        yield direction, way in allowed, line
    told = {(line or "none").split(";")[0] for line in reasons.values()}
    if want["active"] != "ask":
        fits = told & {want["reason_contains"], *want.get("reason_ok", ())}
        yield "reason", bool(fits), f"{want['reason_contains']}, got {', '.join(sorted(told))}"


def main() -> int:
    """Weigh all cases; print every miss in a line, and how many of each label came as wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=sorted(CASES.glob("*.jsonl")))
    for file in parser.parse_args().files:
        right, asked = Counter[str](), Counter[str]()
        for case in map(json.loads, file.read_text("utf-8").splitlines()):
            with tempfile.TemporaryDirectory(prefix="memoria-bench-") as folder:
                for label, is_right, line in _weigh(folder, case):
                    asked[label] += 1
                    right[label] += is_right
                    if not is_right:
                        print(f"{case['id']} {label}: wanted {line}")
        print(f"{file.name}: " + ", ".join(f"{one} {right[one]}/{asked[one]}" for one in asked))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A night weighs memories in dispute, unconfirmed or often used: cases that others labelled.

Each case becomes a home: its turns are recorded, its memories written as a model would have
concluded them, and the step `weigh` runs at the case's moment. Confidence is compared with that of
an extraction. A memory rests on the part of each turn that shares most words with it. How files
stand is told by the case, and not read from a repository. Every miss is shown in a line.

    python -m bench.verifier [FILE...]      # by default the cases beside this module
"""

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
from memoria.model import COMMAND_LINE, LIBRARY, InferredBy, MemoryType, Provenance, Turn, new_id
from memoria.model.grounds import GroundMark
from memoria.model.moments import parse_instant, use_clock
from memoria.store.rows.transaction import Transaction
from memoria.store.values import NewEvidence, NewMemory, NewVersion

CASES = Path(__file__).parent
_EXTRACTED = 0.7
_IMPORTANCE = {"unconfirmed": 0.7}
_ORIGINS = {
    "user": ("user_said", "reported"),
    "assistant": ("assistant_inferred", "reported"),
    "agent": ("assistant_inferred", "reported"),
    "tool": ("tool_output", "tool"),
    "document": ("imported", "reported"),
}
Case = Mapping[str, Any]
Said = Mapping[str, tuple[int, int, str]]
"""Number, moment and text of each turn, by its name in the case."""


def write_memory(tx: Transaction, case: Case, one: Case, said: Said) -> str:
    """Write a memory with its evidence and its uses; return its id."""
    turns = [said[turn] for turn in one["rests_on"] if turn in said]
    quotes = [(n, _choose_quote(text, one["text"])) for n, _, text in turns]
    at = max((at for _, at, _ in turns), default=parse_instant(case["sessions"][0]["at"]))
    source, trust = _ORIGINS[one["said_by"]]
    first, quote = quotes[0] if quotes else (None, None)
    origin = Provenance(source_kind=source, trust=trust, channel="extraction", quote=quote)
    text = one["text"]
    version = NewVersion(text, fingerprint(text), at, at, origin, first, InferredBy.MODEL)
    kind = MemoryType.FACT if one["type"] == "decision" else MemoryType(one["type"])
    memory = NewMemory(new_id(), kind, _IMPORTANCE.get(case["kind"], 0.5), _EXTRACTED)
    tx.memories.add(memory, version)
    for n, words in quotes[1:]:
        tx.memories.add_evidence(NewEvidence(memory.id, n, words, at))
    for _ in range(one["shown"]):
        tx.memories.add_use(memory.id, 0.0, at)
    return memory.id


def _choose_quote(text: str, content: str) -> str:
    """Return the part of a turn that shares most words with a memory."""
    parts = filter(None, map(str.strip, split(r"[.!?。！？\n:：\"“”「」]", text)))
    terms = {*word_terms(content)}
    return max(parts, key=lambda part: len(terms & {*word_terms(part)}), default=text)


async def lay_home(settings: Settings, case: Case) -> dict[str, str]:
    """Record a case, and return the ids of its memories by their names in it."""
    async with open_memoria(settings=settings) as m:
        for session in case["sessions"]:
            at, told = session["at"], dict[str, Any]()
            for one in session["turns"]:
                role = "tool" if one["role"] == "document" else one["role"]
                told[one["id"]] = Turn(role=role, content=one["text"], message_id=one["id"], at=at)
            await m.record_conversation(told.values(), session_id=session["id"])
    said = dict[str, tuple[int, int, str]]()
    with closing(open_store(settings)) as store, store.write(settings.tenant) as tx:
        for session in case["sessions"]:
            for turn in tx.conversations.session_turns(session["id"], 0, 100):
                said[turn.message_id or ""] = (turn.n, turn.at, turn.content)
        ids = {one["id"]: write_memory(tx, case, one, said) for one in case["memories"]}
    for one in filter(lambda one: one["confirmed_at"], case["memories"]):
        channel = COMMAND_LINE if one["confirmed_by"] == "user" else LIBRARY
        with use_clock(lambda at=one["confirmed_at"]: parse_instant(at)):  # type: ignore[misc]
            async with open_memoria(settings=settings, channel=channel) as m:
                await m.revise_memory(ids[one["id"]], "confirm")
    with closing(open_store(settings)) as store, store.write(settings.tenant) as tx:
        known = {memory.id: memory for memory in tx.waiting.list_by_id([*ids.values()])}
        for one in case["memories"]:
            rivals = [ids[rival] for rival in one["disputed_by"]]
            link_contradictions(tx, known[ids[one["id"]]], rivals, now=parse_instant(case["now"]))
    return ids


def run_case(case: Case, folder: str) -> Iterator[tuple[str, bool, str]]:
    """Run the night of a case; yield what was wanted, whether it came so, and a line on it."""
    settings, want = Settings(home=folder, embedder="off"), case["want"]
    ids = anyio.run(lay_home, settings, case)
    grounds = {ids[one["id"]]: one["ground"] for one in case["memories"]}
    marks = {name: GroundMark(state=one) for name, one in grounds.items() if one != "none"}
    told = SimpleNamespace(read_marks=lambda *_: marks)
    moment = use_clock(lambda: parse_instant(case["now"]))
    with patch.object(nights, "build_grounding_worker", lambda *_: told), moment:
        run = nights.run_nightly(settings, ["weigh"])
    with closing(open_store(settings)) as store, store.read(settings.tenant) as tx:
        after = {name: tx.waiting.list_by_id([one])[0] for name, one in ids.items()}
    reasons = {name: run.steps[0].reasons.get(one, "none") for name, one in ids.items()}
    if want["active"] is not None:
        active = [name for name, one in after.items() if one.validity == "active"]
        got = active[0] if len(active) == 1 else "ask"
        yield "active", got == want["active"], f"{want['active']}, got {got}"
    for name, direction in want["confidence"].items():
        change = round(after[name].confidence - _EXTRACTED, 3)
        way = "up" if change > 0 else "down" if change < 0 else "same"
        allowed = want.get("confidence_ok", {}).get(name, [direction])
        yield direction, way in allowed, f"{name} {direction}, got {way} ({reasons[name]})"
    given = {reason.split(";")[0] for reason in reasons.values()}
    if want["active"] != "ask":
        fits = given & {want["reason_contains"], *want.get("reason_ok", ())}
        yield "reason", bool(fits), f"{want['reason_contains']}, got {', '.join(sorted(given))}"


def main() -> int:
    """Weigh all cases; print every miss in a line, and how many of each label came as wanted."""
    for file in [*map(Path, sys.argv[1:])] or sorted(CASES.glob("*.jsonl")):
        right, asked = Counter[str](), Counter[str]()
        for case in map(json.loads, file.read_text("utf-8").splitlines()):
            with tempfile.TemporaryDirectory(prefix="memoria-bench-") as folder:
                for label, is_right, line in run_case(case, folder):
                    asked[label] += 1
                    right[label] += is_right
                    if not is_right:
                        print(f"{case['id']} {label}: wanted {line}")
        print(f"{file.name}: " + ", ".join(f"{one} {right[one]}/{asked[one]}" for one in asked))
    return 0


if __name__ == "__main__":
    sys.exit(main())

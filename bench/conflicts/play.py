"""Playing a case: its turns are captured and read, one by one, by the product itself."""

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.conflicts.cases import Case, Proposal
from memoria.config import Settings
from memoria.erasure.suppression import Digester
from memoria.errors import ChatModelError, ModelMisconfiguredError
from memoria.inference.chat.base import AnswerT, ChatModel, ChatReply, ChatRequest
from memoria.inference.chat.choose import chat_limits
from memoria.inference.chat.client import ChatClient
from memoria.ingest.capture import Capture, CaptureLimits
from memoria.ingest.extract import Extractor
from memoria.ingest.processing import ProcessorTools
from memoria.model import LIBRARY, Memory, QueueKind, Role, Turn, Validity, new_id, now_millis
from memoria.retrieval.lookup.related import RelatedMemoryFinder
from memoria.store.ledger import StoreLedger
from memoria.store.sqlite import SqliteStore
from memoria.store.values import NewQueueEntry
from memoria.text.analyser import tokens
from memoria.text.statement import says_the_same

_TENANT = "bench"
_SESSION = "case"
_LEASE_MS = 600_000
_NO_CAP = 10**12
NO_ANSWER = "no answer: "
"""How an outcome begins where the model had none."""
_LIKE = 0.5
"""Share of common words from which a real model's wording counts as the one that was expected."""
_KNOWN = re.compile(r'^\{"id":.*\}$', re.MULTILINE)
_PAIR = re.compile(r'^\{"number":.*\}$', re.MULTILINE)
_NUMBERED = re.compile(r"^\[(\d+)\] \w+: ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Played:
    """A case with what was wrong in the end; nothing if all was right."""

    case: Case
    wrong: tuple[str, ...]
    outcomes: tuple[str, ...]
    """What became of each turn's operations."""

    @property
    def turns_without_answer(self) -> int:
        """Turns for which the model had no answer."""
        return sum(outcome.startswith(NO_ANSWER) for outcome in self.outcomes)


class Script:
    """A model that proposes what the case says a good one would."""

    name = "script"

    def __init__(self, case: Case) -> None:
        self._case = case
        self._contents: dict[str, str] = {}
        self.number = 0
        """Of the turn that is being read, from 1."""

    def ask(self, request: ChatRequest[AnswerT]) -> ChatReply:
        """The proposals for the turn at hand, or what they are to what is known."""
        if request.purpose == "adjudicate":
            return self._reply({"rulings": list(self._rulings(request.text))})
        if request.purpose == "verify":
            return self._reply({"checks": []})
        return self._reply({"operations": self._operations(request) or [{"op": "SKIP"}]})

    def _reply(self, answer: dict[str, object]) -> ChatReply:
        return ChatReply(json.dumps(answer, ensure_ascii=False), self.name, 1, 1)

    def _rulings(self, text: str) -> Iterator[dict[str, object]]:
        """A repetition says the same; of all other pairs the script has no opinion."""
        for pair in map(json.loads, _PAIR.findall(text)):
            if pair["new"] in self._case.repeats and pair["known"] in self._case.current:
                yield {"pair": pair["number"], "relation": "same"}

    def _operations(self, request: ChatRequest[AnswerT]) -> list[dict[str, object]]:
        """The proposals for the turn at hand, with real ids in the labels' place."""
        known = [json.loads(line) for line in _KNOWN.findall(request.text)]
        place = _NUMBERED.search(request.text)
        said = self._case.turns[self.number - 1]
        return [self._real(one, known, int(place[1]) if place else 1) for one in said.proposed]

    def close(self) -> None:
        """Nothing is under way."""

    def _real(
        self, proposal: Proposal, known: Sequence[dict[str, str]], number: int
    ) -> dict[str, object]:
        fields = proposal.operation.model_dump(mode="json")
        ids = {memory["content"]: memory["id"] for memory in known}
        for name in ("id", "src", "dst"):
            if name in fields:
                content = self._contents[fields[name]]
                fields[name] = ids.get(content, f"not shown: {content}")
        if "content" in fields:  # from now on the label means this wording
            label = proposal.label or getattr(proposal.operation, "id", None)
            self._contents[str(label)] = str(fields["content"])
        return {**fields, **({"turn": number} if "turn" in fields else {})}


def play(case: Case, model: ChatModel | None = None, settings: Settings | None = None) -> Played:
    """Capture the case's turns, let a model read each, and compare.

    Args:
        case: the case.
        model: who reads; the case's own script by default, which must be matched to the letter.
        settings: how hard the model is tried, and the longest answer; the defaults without.

    Raises:
        ModelMisconfiguredError: the model will answer nothing until a setting is mended.
    """
    script = Script(case)
    with tempfile.TemporaryDirectory(prefix="memoria-conflicts-") as folder:
        store = SqliteStore(Path(folder) / "memoria.db", busy_timeout_ms=5000, readers=1)
        try:
            outcomes = _run(case, store, script, model or script, settings or Settings())
            memories = _memories(store)
        finally:
            store.close()
    wrong = _compare(case, memories, exact=model is None)
    return Played(case, tuple(wrong), outcomes)


def _run(
    case: Case, store: SqliteStore, script: Script, model: ChatModel, settings: Settings
) -> tuple[str, ...]:
    marks = Digester(_TENANT, lambda: b"bench")
    capture = Capture(store, _TENANT, LIBRARY, CaptureLimits(1_000_000, 30), marks)
    limits = replace(chat_limits(settings), daily_tokens=_NO_CAP)
    chat = ChatClient(model, StoreLedger(store), limits)
    most = settings.llm_output_tokens
    extractor = Extractor(
        ProcessorTools(store, chat, RelatedMemoryFinder(None), lambda _: marks, most)
    )
    outcomes = []
    for number, said in enumerate(case.turns, 1):
        capture.record([Turn(role=Role(said.role), content=said.text, at=said.at)], _SESSION, None)
        if said.role == "user":
            script.number = number
            outcomes.append(_read(store, extractor, number - 1))
    return tuple(outcomes)


def _read(store: SqliteStore, extractor: Extractor, place: int) -> str:
    """Have a turn read now; gives what became of the operations."""
    with store.write(_TENANT) as tx:
        session_n = tx.conversations.session_turns(_SESSION, 0, 1)[0].session_n
        entry = NewQueueEntry(
            new_id(), QueueKind.EXTRACT, session_n, place, place, 0, "bench", now_millis()
        )
        tx.queue.add(entry)
    with store.work_queue(write=True) as queue:
        work = queue.lease_next("bench", now_millis(), _LEASE_MS)
    if work is None:
        return "was not queued"
    try:
        extractor.run(work, "bench")
    except ModelMisconfiguredError:
        raise
    except ChatModelError as error:
        with store.work_queue(write=True) as queue:
            queue.mark_dead(work, "bench", str(error))
        return f"{NO_ANSWER}{error}"
    with store.read(_TENANT) as tx:
        done = tx.queue.get_entry(work.id)
    return "" if done is None else done.outcome or ""


def _memories(store: SqliteStore) -> list[Memory]:
    with store.read(_TENANT) as tx:
        found = tx.memories.by_version_numbers(tx.documents.page("memory", 0, 10_000))
    return list({memory.id: memory for memory in found.values()}.values())


def _compare(case: Case, memories: Sequence[Memory], *, exact: bool) -> list[str]:
    active = [memory for memory in memories if memory.validity is Validity.ACTIVE]
    believed = [memory.content for memory in active]
    wrong = [f"not believed: {one}" for one in case.current if not _contains(one, believed, exact)]
    wrong += [f"believed: {one}" for one in case.absent if _contains(one, believed, exact)]
    if exact:
        wrong += [f"believed, too: {one}" for one in believed if one not in case.current]
    for past in case.history:
        if not any(
            _is_superseded_by(memory, past.content, past.superseded_by, exact)
            for memory in memories
        ):
            wrong.append(f"no history: {past.content} → {past.superseded_by}")
    if case.kept_both and exact:
        wrong += [f"superseded: {m.versions[1].content}" for m in active if _has_changed(m)]
    return wrong


def _has_changed(memory: Memory) -> bool:
    """Whether a wording was replaced by another one, beyond a rule's by a model's."""
    return len([v for v in memory.versions if v.inferred_by != "rules"]) > 1


def _is_superseded_by(memory: Memory, before: str, after: str, exact: bool) -> bool:
    contents = [version.content for version in memory.versions]
    return _matches(after, contents[0], exact) and any(
        _matches(before, content, exact) for content in contents[1:]
    )


def _contains(wanted: str, contents: Sequence[str], exact: bool) -> bool:
    return any(_matches(wanted, content, exact) for content in contents)


def _matches(wanted: str, content: str, exact: bool) -> bool:
    if exact or wanted == content:
        return wanted == content
    a, b = set(tokens(wanted)), set(tokens(content))
    return says_the_same(wanted, content) or len(a & b) >= _LIKE * len(a | b)

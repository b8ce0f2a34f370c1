"""Whatever is written gets its vector, once, whichever process makes it and whatever fails."""

import threading
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from itertools import chain
from pathlib import Path

import anyio
import anyio.to_thread
import numpy as np
import pytest
from tests.databases import open_home
from tests.limits import limit_settings

import memoria
from memoria import Memoria, Settings
from memoria.errors import EmbedderError
from memoria.model import Vector, now_millis
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction

TIMEOUT_S = 30
TURNS = [
    {"session_id": "s1", "role": "user", "content": "the port is 8080"},
    {"session_id": "s2", "role": "user", "content": "the cat is called Momo"},
    {"session_id": "s3", "role": "user", "content": "会议改到星期四"},
]
SAID = [f"user: {turn['content']}" for turn in TURNS]


class Desk:
    """Where embedders of several instances can be seen to work at the same time, or not."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at_work = 0
        self.most_at_once = 0
        self.texts: list[str] = []
        self.calls: list[list[str]] = []

    def sit_down(self, texts: Sequence[str]) -> None:
        with self._lock:
            self._at_work += 1
            self.most_at_once = max(self.most_at_once, self._at_work)
            self.texts += texts
            self.calls.append(list(texts))

    def get_up(self) -> None:
        with self._lock:
            self._at_work -= 1


class Recorder:
    """A real embedder of letter counts. It can be held up, made to fail, and asked what it did."""

    def __init__(
        self, name: str = "letters/26", *, dims: int = 26, desk: Desk | None = None
    ) -> None:
        self.name = name
        self.desk = desk or Desk()
        self.open_gate = threading.Event()
        self.open_gate.set()
        self.begun = threading.Event()
        self.failure: Exception | None = None
        self.refuses: str | None = None
        self._dims = dims

    @property
    def texts(self) -> list[str]:
        return self.desk.texts

    def embed_query(self, text: str) -> Vector:
        if self.failure is not None:
            raise self.failure
        counts = np.full(self._dims, 0.1, np.float32)
        for char in text.lower():
            counts[ord(char) % self._dims] += 1
        return counts / np.float32(np.linalg.norm(counts))

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        self.desk.sit_down(texts)
        self.begun.set()
        try:
            assert self.open_gate.wait(TIMEOUT_S)
            if any(self.refuses and self.refuses in text for text in texts):
                raise EmbedderError(f"{self.name} refuses this text")
            return [self.embed_query(text) for text in texts]
        finally:
            self.desk.get_up()


@asynccontextmanager
async def opened(
    home: Path, embedder: Recorder, tenant: str = "t", **limits: int
) -> AsyncIterator[Memoria]:
    settings = limit_settings(**limits).load(home=home, tenant=tenant)
    async with memoria.open(settings=settings, embedder=embedder) as memory:
        yield memory


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    with anyio.fail_after(TIMEOUT_S):
        while not await condition():
            await anyio.sleep(0.01)


async def until_begun(embedder: Recorder) -> None:
    assert await anyio.to_thread.run_sync(embedder.begun.wait, TIMEOUT_S)


def store_of(home: Path) -> Store:
    return open_home(home)


def chosen_model(home: Path) -> str | None:
    store = store_of(home)
    with store.backlog(write=False) as backlog:
        chosen = backlog.current_model()
    store.close()
    return chosen


async def test_whatever_is_written_has_its_vector_after_settling(home: Path) -> None:
    embedder = Recorder()
    async with opened(home, embedder) as memory:
        await memory.record_conversation(TURNS)
        await memory.remember("Momo is a cat")
        status = await memory.wait_until_idle(TIMEOUT_S)
        assert (status.pending, status.failed, status.last_error) == (0, 0, None)
        assert (await memory.statistics()).vectors == 4
    embedded = Counter(embedder.texts)
    # A statement is compared with what is known where the embedder is loaded by then.
    assert embedded.pop("Momo is a cat") in (1, 2)
    assert embedded == Counter(SAID)


async def test_a_turn_takes_the_worker_two_commits(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed: list[str] = []
    store = store_of(home)
    kind = type(store)
    write = kind.write

    def count(store: Store, tenant: str, **how: bool) -> AbstractContextManager[Transaction]:
        committed.append(threading.current_thread().name)
        return write(store, tenant, **how)

    monkeypatch.setattr(kind, "write", count)
    async with opened(home, Recorder()) as memory:
        for turn in TURNS:
            await memory.record_conversation([turn])
            await memory.wait_until_idle(TIMEOUT_S)
        with store.read("t") as tx:  # and each lease was given back
            assert tx.leases.owner("embedding", now_millis()) is None
        store.close()
    assert Counter(committed)["memoria-embed"] == 2 * len(TURNS)


async def test_a_turn_is_embedded_with_the_one_before_it(home: Path) -> None:
    embedder = Recorder()
    async with opened(home, embedder) as memory:
        await memory.record_conversation(
            [
                {"role": "user", "speaker": "Ann", "content": "x" * 1000 + " Shall we meet?"},
                {"role": "assistant", "content": "yes, Thursday"},
            ]
        )
        await memory.wait_until_idle(TIMEOUT_S)
    first, second, *_ = sorted(embedder.texts, key=len, reverse=True)
    assert first.startswith("Ann: xxx")
    assert second.endswith("x Shall we meet?\nassistant: yes, Thursday")
    assert len(second) < 400


async def test_a_long_turn_and_its_passages_are_embedded_together_in_batches_as_configured(
    home: Path,
) -> None:
    answer = " ".join(f"Step {n} is about the garden's bed number {n}." for n in range(30))
    said = {"session_id": "s1", "role": "assistant", "content": answer}
    desk = Desk()
    async with opened(home, Recorder(desk=desk), embedding_batch=4) as m:
        await m.record_conversation([said])
        await m.wait_until_idle()
    (whole,), passages = desk.calls[0][:1], [*desk.calls[0][1:], *chain(*desk.calls[1:])]
    assert whole == f"assistant: {answer}"
    assert len(passages) > 20
    assert "".join(passages) == answer
    assert max(map(len, desk.calls)) == 4
    assert all(len(call) == 4 for call in desk.calls[:-1])


async def test_what_was_edited_or_archived_meanwhile_needs_no_vector(home: Path) -> None:
    settings = Settings.load(home=home, tenant="t", embedder="off")
    async with memoria.open(settings=settings) as memory:
        turn = {"session_id": "s", "message_id": "m", "role": "user"}
        await memory.record_conversation([{**turn, "content": "the port is 8080"}])
        await memory.record_conversation([{**turn, "content": "the port is 9090"}])
        kept = await memory.remember("Momo is a cat")
        await memory.revise_memory(kept.id, "archive")
    embedder = Recorder()
    async with opened(home, embedder) as memory:
        await memory.wait_until_idle(TIMEOUT_S)
    assert embedder.texts == ["user: the port is 9090"]


async def test_one_worker_serves_every_tenant_and_each_finds_its_own(home: Path) -> None:
    embedder = Recorder()
    async with opened(home, embedder, "ann") as ann, opened(home, Recorder(), "bob") as bob:
        await ann.remember("Momo is a cat")
        await bob.remember("Momo is a dog")
        await ann.wait_until_idle(TIMEOUT_S)
        assert [hit.text for hit in (await ann.search_memory("Momo?")).hits] == ["Momo is a cat"]
        assert [hit.text for hit in (await bob.search_memory("Momo?")).hits] == ["Momo is a dog"]


async def test_without_an_embedder_search_is_by_text_and_says_so(home: Path) -> None:
    settings = Settings.load(home=home, tenant="t", embedder="off")
    async with memoria.open(settings=settings) as memory:
        await memory.record_conversation(TURNS)
        found = await memory.search_conversation_traces("port")
        assert [hit.text for hit in found.hits] == ["the port is 8080"]
        assert found.notes == ("searched without vectors: switched off",)
        assert (await memory.wait_until_idle(TIMEOUT_S)).pending == 0


async def test_an_embedder_that_is_down_stops_nothing_and_blames_no_document(home: Path) -> None:
    embedder = Recorder()
    embedder.failure = EmbedderError("the embedding endpoint failed: HTTP 500")
    async with opened(home, embedder, embedding_attempts=1) as memory:
        await memory.record_conversation(TURNS)
        status = await memory.wait_until_idle(TIMEOUT_S)
        assert (status.pending, status.failed) == (3, 0)
        assert status.last_error == "the embedding endpoint failed: HTTP 500"
        found = await memory.search_conversation_traces("星期四")
        assert [hit.text for hit in found.hits] == ["会议改到星期四"]
        assert found.notes == ("searched without vectors: the embedding endpoint failed: HTTP 500",)
        (finding,) = [f for f in (await memory.health()).findings if f.check == "backlog"]
        assert (finding.state, "HTTP 500" in finding.detail) == ("warning", True)

        embedder.failure = None

        async def caught_up() -> bool:
            return (await memory.wait_until_idle(TIMEOUT_S)).pending == 0

        await until(caught_up)
        assert (await memory.statistics()).vectors == 3
        assert (await memory.search_conversation_traces("星期四")).notes == ()


async def test_one_refused_document_is_set_aside_with_the_reason_and_the_rest_are_done(
    home: Path,
) -> None:
    embedder = Recorder()
    embedder.refuses = "Momo"
    async with opened(home, embedder, embedding_attempts=1) as memory:
        await memory.record_conversation(TURNS)
        status = await memory.wait_until_idle(TIMEOUT_S)
        assert (status.pending, status.failed) == (0, 1)
        assert status.last_error == "letters/26 refuses this text"
        assert (await memory.statistics()).vectors == 2
        found = await memory.search_conversation_traces("Momo")
        assert found.hits[0].text == "the cat is called Momo"


async def test_a_document_set_aside_is_tried_again_after_a_rebuild(home: Path) -> None:
    embedder = Recorder()
    embedder.refuses = "Momo"
    async with opened(home, embedder, embedding_attempts=1) as memory:
        await memory.record_conversation(TURNS)
        assert (await memory.wait_until_idle(TIMEOUT_S)).failed == 1
        embedder.refuses = None
        await memory.rebuild_indexes()
        status = await memory.wait_until_idle(TIMEOUT_S)
        assert (status.pending, status.failed) == (0, 0)
        assert (await memory.statistics()).vectors == 3


async def test_a_document_is_set_aside_after_the_configured_attempts(home: Path) -> None:
    settings = Settings.load(home=home, tenant="t", embedder="off")
    async with memoria.open(settings=settings) as memory:
        await memory.remember("Momo is a cat")
    store = store_of(home)
    attempts = 3
    for failures in range(1, attempts + 1):
        with store.write("t") as tx:
            (due,) = tx.backlog.list_due(now_millis(), 10, attempts)
            assert due.attempts == failures - 1
            tx.backlog.postpone([due.n], 0, f"failure {failures}")
    with store.backlog(write=False) as backlog:
        status = backlog.status(attempts)
        assert (status.pending, status.failed, status.last_error) == (0, 1, "failure 3")
        assert backlog.list_due_tenants(now_millis(), attempts) == []
        assert backlog.next_due_at(now_millis(), attempts) is None
    with store.read("t") as tx:
        assert tx.backlog.list_due(now_millis(), 10, attempts) == []
    store.close()


async def test_an_embedder_of_ones_own_may_raise_anything(home: Path) -> None:
    embedder = Recorder()
    embedder.failure = ZeroDivisionError("oops")
    async with opened(home, embedder) as memory:
        await memory.record_conversation(TURNS)
        status = await memory.wait_until_idle(TIMEOUT_S)
        assert (status.pending, status.last_error) == (
            3,
            "the embedder failed: ZeroDivisionError: oops",
        )


async def test_an_embedder_of_ones_own_may_raise_anything_at_a_question(home: Path) -> None:
    embedder = Recorder()
    async with opened(home, embedder) as memory:
        await memory.record_conversation(TURNS)
        embedder.failure = ZeroDivisionError("oops")
        found = await memory.search_conversation_traces("port")
        assert [hit.text for hit in found.hits] == ["the port is 8080"]
        assert found.notes


async def test_a_dead_owners_lease_is_taken_over_when_it_runs_out(home: Path) -> None:
    store = store_of(home)
    with store.write("t") as tx:
        assert tx.leases.take("embedding", "dead", now_millis() - 29_500, 30_000)
    store.close()
    embedder = Recorder()
    async with opened(home, embedder) as memory:
        await memory.record_conversation(TURNS)
        await memory.wait_until_idle(TIMEOUT_S)
    assert Counter(embedder.texts) == Counter(SAID)


def test_a_lease_is_one_owners_until_it_runs_out_or_is_given_back(home: Path) -> None:
    store = store_of(home)

    def takes(owner: str, now: int) -> bool:
        with store.write("t") as tx:
            return tx.leases.take("embedding", owner, now, 1000)

    assert takes("a", 0)
    assert not takes("b", 999)
    assert takes("a", 999), "its owner renews it"
    assert not takes("b", 1998)
    assert takes("b", 1999)
    with store.write("t") as tx:
        tx.leases.release("embedding", "a")
    assert not takes("a", 2000), "only its owner can give it back"
    with store.write("t") as tx:
        tx.leases.release("embedding", "b")
    assert takes("a", 2000)
    store.close()


async def test_two_instances_share_the_work_one_at_a_time_and_do_everything_once(
    home: Path,
) -> None:
    desk = Desk()

    async def say(memory: Memoria, who: str) -> None:
        for i in range(20):
            await memory.record_conversation(
                [{"session_id": f"{who}{i}", "role": "user", "content": f"{who} says {i}"}]
            )

    async with (
        opened(home, Recorder(desk=desk), embedding_batch=2) as one,
        opened(home, Recorder(desk=desk), embedding_batch=2) as other,
    ):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(say, one, "Ann")
            tasks.start_soon(say, other, "Bob")
        await one.wait_until_idle(TIMEOUT_S)
        assert (await other.wait_until_idle(TIMEOUT_S)).pending == 0
        assert (await one.statistics()).vectors == 40
    assert desk.most_at_once == 1
    assert Counter(desk.texts) == Counter(
        f"user: {who} says {i}" for who in ("Ann", "Bob") for i in range(20)
    )


async def test_the_model_of_the_process_started_last_is_the_homes_and_embeds_everything_anew(
    home: Path,
) -> None:
    async with opened(home, Recorder("letters/26")) as memory:
        await memory.record_conversation(TURNS)
        await memory.wait_until_idle(TIMEOUT_S)
    newer = Recorder("letters/40", dims=40)
    async with opened(home, newer) as memory:
        await memory.wait_until_idle(TIMEOUT_S)
        assert Counter(newer.texts) == Counter(SAID)
        found = await memory.search_conversation_traces("Momo")
        assert (found.hits[0].text, found.notes) == ("the cat is called Momo", ())
    assert chosen_model(home) == "letters/40"


async def test_going_back_to_a_model_embeds_only_what_it_has_not_seen(home: Path) -> None:
    for name, turn in zip(("a", "b"), TURNS[:2], strict=True):
        async with opened(home, Recorder(name)) as memory:
            await memory.record_conversation([turn])
            await memory.wait_until_idle(TIMEOUT_S)
    back = Recorder("a")
    async with opened(home, back) as memory:
        await memory.wait_until_idle(TIMEOUT_S)
    assert back.texts == SAID[1:2]


async def test_a_model_that_takes_over_in_the_middle_of_a_batch_gets_every_document(
    home: Path,
) -> None:
    old, new = Recorder("old"), Recorder("new")
    old.open_gate.clear()
    async with opened(home, old) as before:
        await before.record_conversation(TURNS)
        await until_begun(old)
        async with opened(home, new) as after:

            async def adopted() -> bool:
                return await anyio.to_thread.run_sync(chosen_model, home) == "new"

            await until(adopted)
            old.open_gate.set()
            await after.wait_until_idle(TIMEOUT_S)
    assert Counter(new.texts) == Counter(SAID)


async def test_a_memory_restored_under_another_model_is_back_in_every_index(home: Path) -> None:
    async with opened(home, Recorder("a")) as memory:
        kept = await memory.remember("Momo is a cat")
        await memory.wait_until_idle(TIMEOUT_S)
    async with opened(home, Recorder("b")) as memory:
        await memory.revise_memory(kept.id, "archive")
        await memory.revise_memory(kept.id, "restore")
        await memory.wait_until_idle(TIMEOUT_S)
    async with opened(home, Recorder("a")) as memory:
        await memory.wait_until_idle(TIMEOUT_S)
        (finding,) = [f for f in (await memory.health()).findings if f.check == "vectors"]
        assert finding.state == "ok"


async def test_what_one_model_gave_up_another_tries(home: Path) -> None:
    old = Recorder("old")
    old.refuses = "Momo"
    async with opened(home, old, embedding_attempts=1) as memory:
        await memory.record_conversation(TURNS)
        assert (await memory.wait_until_idle(TIMEOUT_S)).failed == 1
    new = Recorder("new")
    async with opened(home, new, embedding_attempts=1) as memory:
        assert (await memory.wait_until_idle(TIMEOUT_S)).failed == 0
    assert Counter(new.texts) == Counter(SAID)


async def test_a_batch_that_took_longer_than_its_lease_is_not_done_twice_by_its_owner(
    home: Path,
) -> None:
    slow, other = Recorder(), Recorder()
    for embedder in (slow, other):
        embedder.open_gate.clear()
    async with opened(home, slow, lease_ms=1000) as memory, opened(home, other, lease_ms=1000):
        await memory.record_conversation(TURNS)
        await until_begun(slow)
        await until_begun(other)
        slow.open_gate.set()
        assert (await memory.wait_until_idle(TIMEOUT_S)).pending == 0
        other.open_gate.set()
    assert len(slow.texts) == 3


async def test_a_model_whose_vectors_change_their_length_is_reported_not_retried_for_ever(
    home: Path,
) -> None:
    async with opened(home, Recorder(dims=26)) as memory:
        await memory.record_conversation(TURNS[:1])
        await memory.wait_until_idle(TIMEOUT_S)
    async with opened(home, Recorder(dims=30), embedding_attempts=1) as memory:
        await memory.record_conversation(TURNS[1:])
        status = await memory.wait_until_idle(1)
        assert status.last_error or status.pending == 0


async def test_a_search_survives_a_model_whose_vectors_change_their_length(home: Path) -> None:
    async with opened(home, Recorder(dims=26)) as memory:
        await memory.record_conversation(TURNS)
        await memory.wait_until_idle(TIMEOUT_S)
    async with opened(home, Recorder(dims=30)) as memory:
        found = await memory.search_conversation_traces("port")
        assert [hit.text for hit in found.hits] == ["the port is 8080"]


async def test_settling_gives_up_when_it_is_told_to_and_closing_waits_for_the_batch(
    home: Path,
) -> None:
    embedder = Recorder()
    embedder.open_gate.clear()
    async with opened(home, embedder) as memory:
        await memory.record_conversation(TURNS)
        await until_begun(embedder)
        with pytest.raises(TimeoutError):
            await memory.wait_until_idle(0.05)
        embedder.open_gate.set()
    async with opened(home, Recorder()) as memory:
        assert (await memory.statistics()).vectors == 3


async def test_an_embedder_that_never_returns_keeps_nobody_from_closing(home: Path) -> None:
    stuck, next_one = Recorder(), Recorder()
    stuck.open_gate.clear()
    with anyio.fail_after(TIMEOUT_S):
        async with opened(home, stuck, lease_ms=1000) as memory:
            await memory.record_conversation(TURNS)
            await until_begun(stuck)
    async with opened(home, next_one) as memory:
        assert (await memory.wait_until_idle(TIMEOUT_S)).pending == 0
    stuck.open_gate.set()
    assert Counter(next_one.texts) == Counter(SAID)


async def test_a_tenant_that_another_process_embeds_for_keeps_nobody_else_waiting(
    home: Path,
) -> None:
    store = store_of(home)
    embedder = Recorder()
    async with opened(home, embedder, "bob") as bob:
        with store.write("ann") as tx:
            assert tx.leases.take("embedding", "another", now_millis(), 600_000)
        async with memoria.open(
            settings=Settings.load(home=home, tenant="ann", embedder="off")
        ) as ann:
            await ann.remember("Momo is a cat")
        await bob.record_conversation(TURNS)

        async def all_of_bobs() -> bool:
            return (await bob.statistics()).vectors == len(TURNS)

        await until(all_of_bobs)
    assert Counter(embedder.texts) == Counter(SAID)
    store.close()

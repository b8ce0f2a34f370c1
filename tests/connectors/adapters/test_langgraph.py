"""`MemoriaStore` in the place of LangGraph's own store."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from langgraph.store.base import BaseStore, GetOp, Op, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

import memoria
from memoria.adapters.langgraph import MemoriaStore
from memoria.app.sync import SyncMemoria
from memoria.errors import ForgottenError, InvalidInputError, PrivateTimeError
from memoria.inference.embedder import BundledEmbedder

_ANN, _LI = ("users", "ann"), ("users", "李雷")
_VALUES: list[dict[str, object]] = [
    {},
    {"none": None, "list": [], "deep": {"a": [1, {"b": False}], "c": 1.5}, "zero": 0},
    {"text": "  spaces \n\n\t kept ", "emoji": "👩‍🚀\u200b", "中文": "我对花生过敏"},
    {"vector": [0.25, -1e-9, 1e300], "big": 2**53},
]


@pytest.fixture
def memory(home: Path, embedder: BundledEmbedder) -> Iterator[SyncMemoria]:
    with memoria.open_sync(home=home, tenant="tests", embedder=embedder) as opened:
        yield opened


@pytest.fixture
def store(memory: SyncMemoria) -> BaseStore:
    return MemoriaStore(memory)


@pytest.fixture(params=["LangGraph's own", "ours"])
def either(request: pytest.FixtureRequest, memory: SyncMemoria) -> BaseStore:
    """Both stores, where ours has to do as LangGraph's own does."""
    return MemoriaStore(memory) if request.param == "ours" else InMemoryStore()


def test_a_value_comes_back_equal_and_a_new_one_takes_its_place(store: BaseStore) -> None:
    for n, value in enumerate(_VALUES):
        store.put(_ANN, str(n), value)
    assert [store.get(_ANN, str(n)).value for n in range(len(_VALUES))] == _VALUES  # type: ignore[union-attr]
    first = store.get(_ANN, "1")
    store.put(_ANN, "1", {"theme": "dark"})
    second = store.get(_ANN, "1")
    assert first is not None
    assert second is not None
    assert second.value == {"theme": "dark"}
    assert (second.created_at, second.key, second.namespace) == (first.created_at, "1", _ANN)
    assert second.updated_at >= first.updated_at
    store.put(_ANN, "1", {"none": None})
    store.put(_ANN, "1", {"theme": "dark"})  # back to what it was
    assert store.get(_ANN, "1").value == {"theme": "dark"}  # type: ignore[union-attr]
    assert store.get(_LI, "1") is None
    assert store.get(("users",), "1") is None


def test_what_is_deleted_is_gone_from_the_memory_and_may_be_put_again(
    store: BaseStore, memory: SyncMemoria
) -> None:
    said = {"text": "The spare keys of the boathouse lie under the third flowerpot from the left"}
    store.put(_ANN, "keys", said)
    store.put(_ANN, "keys", {"text": "They lie in the shed by now, behind the blue paint"})
    store.put(_LI, "keys", said)
    store.delete(_ANN, "keys")
    store.delete(_ANN, "keys")
    assert store.get(_ANN, "keys") is None
    assert store.get(_LI, "keys").value == said  # type: ignore[union-attr]
    assert store.search(_ANN) == []
    assert store.list_namespaces() == [_LI]
    found = memory.search_conversation_traces("boathouse keys paint", include_history=True).hits
    assert {hit.source.session_id for hit in found} == {"users.李雷"}
    store.put(_ANN, "keys", said)
    assert store.get(_ANN, "keys").value == said  # type: ignore[union-attr]


def test_what_the_user_has_forgotten_or_says_in_private_is_not_put(
    store: BaseStore, memory: SyncMemoria
) -> None:
    words = "Mira has told nobody that she leaves the company at the end of March"
    store.put(_ANN, "a", {"text": "A private matter of the eleventh floor"})
    (hit,) = memory.search_conversation_traces("eleventh floor").hits
    said = memory.record_conversation([{"session_id": "s", "role": "user", "content": words}])
    memory.forget_memory([hit.id, said.turns[0].id or ""], include_source=True)
    with pytest.raises(ForgottenError, match="Another key"):
        store.batch([PutOp(_ANN, "a", {"text": "Breakfast"}), PutOp(_ANN, "b", {"text": "Lunch"})])
    assert store.get(_ANN, "a") is None
    assert store.get(_ANN, "b") is not None
    store.put(_LI, "a", {"text": f"{words}. Her dog is called Rex."})
    (item,) = store.search(_LI)
    assert "Rex" in item.value["text"]
    assert "March" not in item.value["text"]
    memory.private.turn_on()
    with pytest.raises(PrivateTimeError):
        store.put(_ANN, "c", {"text": "Dinner"})


def test_a_search_ranks_what_fits_within_its_namespaces_and_then_lists_the_rest(
    store: BaseStore, memory: SyncMemoria
) -> None:
    store.put(_ANN, "food", {"data": "Ann likes pizza with olives", "kind": "taste", "n": 1})
    store.put(_ANN, "job", {"data": "Ann works as a nurse in Ghent", "kind": "life", "n": 2})
    store.put(_LI, "food", {"data": "李雷对花生过敏", "kind": "health", "n": 3})
    store.put(("docs",), "food", {"data": "How to bake a pizza", "kind": "taste", "n": 4})
    memory.record_conversation([{"session_id": "users.ann", "role": "user", "content": "Pizza!"}])
    memory.wait_until_idle(30)

    def keys(prefix: tuple[str, ...], query: str | None = None, **more: object) -> list[object]:
        found = store.search(prefix, query=query, **more)  # type: ignore[arg-type]
        return [(one.namespace, one.key) for one in found]

    assert keys(_ANN, "pizza")[0] == (_ANN, "food")
    assert keys(_ANN, "where does she work?")[0] == (_ANN, "job")
    assert len(keys(_ANN, "pizza")) == 2
    assert keys(("users",), "花生")[0] == (_LI, "food")
    assert {ns for ns, _ in keys(("users",), "pizza")} <= {_ANN, _LI}  # type: ignore[misc, has-type]
    best, *others = store.search(_ANN, query="pizza")
    assert best.score is not None
    assert all(one.score is None or one.score < best.score for one in others)
    assert keys(("users",)) == [(_ANN, "food"), (_ANN, "job"), (_LI, "food")]
    assert keys(("users",), limit=1, offset=1) == [(_ANN, "job")]
    assert keys((), filter={"kind": "taste"}) == [(("docs",), "food"), (_ANN, "food")]
    assert keys((), filter={"n": {"$gt": 1, "$lte": 3}}) == [(_ANN, "job"), (_LI, "food")]
    assert keys((), filter={"n": {"$gt": "x"}}) == []
    assert keys((), "pizza", filter={"kind": {"$ne": "taste"}, "n": 2}) == [(_ANN, "job")]
    assert keys(("nobody",), "pizza") == []
    with pytest.raises(InvalidInputError, match=r"\$near"):
        keys((), filter={"n": {"$near": 1}})


def test_filters_choose_by_the_fields_of_a_value(either: BaseStore) -> None:
    values: list[dict[str, object]] = [
        {"n": 1, "kind": "a", "deep": {"x": [1, 2]}},
        {"n": 2, "kind": "b", "deep": {"x": [1], "y": None}},
        {"n": 3.5, "kind": "a"},
    ]
    for n, value in enumerate(values):
        either.put(_ANN, str(n), value)
    chosen: list[tuple[dict[str, object], list[str]]] = [
        ({}, ["0", "1", "2"]),
        ({"kind": "a"}, ["0", "2"]),
        ({"kind": {"$ne": "a"}}, ["1"]),
        ({"kind": {"$eq": "a"}, "n": {"$gt": 1}}, ["2"]),
        ({"n": {"$gte": 2, "$lt": 3.5}}, ["1"]),
        ({"n": {"$lte": 2}}, ["0", "1"]),
        ({"deep": {"x": [1]}}, ["1"]),
        ({"missing": None}, ["0", "1", "2"]),
        ({"missing": 1}, []),
    ]
    for wanted, keys in chosen:
        assert sorted(one.key for one in either.search(_ANN, filter=wanted)) == keys, wanted


def test_namespaces_are_listed_by_prefix_suffix_and_depth(either: BaseStore) -> None:
    for namespace in [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "x", "c"), ("z", "c")]:
        either.put(namespace, "k", {"v": 1})
    everything = [("a", "b", "c"), ("a", "b", "d", "e"), ("a", "x", "c"), ("z", "c")]
    assert either.list_namespaces() == everything
    assert either.list_namespaces(prefix=("a", "*"), suffix=("c",)) == [
        everything[0],
        everything[2],
    ]
    assert either.list_namespaces(prefix=("a", "b"), max_depth=2) == [("a", "b")]
    assert either.list_namespaces(limit=2, offset=1) == everything[1:3]


async def test_a_batch_answers_in_its_order_and_the_event_loop_runs_on(either: BaseStore) -> None:
    await either.aput(_ANN, "a", {"v": 1})
    ops: list[Op] = [
        GetOp(_ANN, "a"),
        PutOp(_ANN, "a", {"v": 2}),
        SearchOp(_ANN),
        PutOp(_ANN, "b", None),
    ]
    item, nothing, found, deleted = await either.abatch(ops)
    assert (item.value, nothing, deleted) == ({"v": 1}, None, None)  # type: ignore[union-attr]
    assert [one.value for one in found] == [{"v": 1}]  # type: ignore[union-attr]
    assert (await either.aget(_ANN, "a")).value == {"v": 2}  # type: ignore[union-attr]


def test_another_process_that_opens_the_home_has_the_items(home: Path) -> None:
    settings = memoria.Settings(embedder="off")
    with memoria.open_sync(home=home, tenant="t", settings=settings) as first:
        MemoriaStore(first).put(_LI, "language", {"speaks": "中文"})
    with memoria.open_sync(home=home, tenant="t", settings=settings) as second:
        assert MemoriaStore(second).get(_LI, "language").value == {"speaks": "中文"}  # type: ignore[union-attr]


def test_a_framework_that_is_missing_is_named_with_its_extra() -> None:
    script = "import sys; sys.modules['langgraph'] = None; import memoria.adapters.langgraph"
    ended = subprocess.run(  # noqa: S603  (our own script)
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert "pip install 'memoria-server[langgraph]'" in ended.stderr.splitlines()[-1]

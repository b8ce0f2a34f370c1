"""A line of a core file says that another memory contradicts it, and takes that for no edit."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.lifecycle.desk import TOKENS, Desk

from memoria.erasure.forget import Eraser
from memoria.erasure.selection import ErasureRequest
from memoria.lifecycle.core.current import compose_core
from memoria.memories.links import link_contradictions
from memoria.model import COMMAND_LINE, MemoryType, now_millis
from memoria.model.core import CONTRADICTED
from memoria.store.sqlite import SqliteStore

PAIRS = [
    ("MEMORY.md", MemoryType.FACT, "Rex is the dog's name", "the rabbit eats Momo's hay"),
    ("USER.md", MemoryType.PREFERENCE, "用户喜欢猫", "下雨天适合睡觉"),
]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = SqliteStore(tmp_path / "memoria.db", busy_timeout_ms=5000, readers=2)
    yield Desk(store, tmp_path)
    store.close()


def contradict(desk: Desk, one: str, other: str) -> None:
    with desk.store.write(desk.tenant) as tx:
        link_contradictions(tx, desk.get(one), [other], now=now_millis())


def shown(desk: Desk) -> str:
    with desk.store.read(desk.tenant) as tx:
        found = compose_core(tx, desk.files, now_millis(), TOKENS, None)
    return "\n".join(core.text for core in found.values())


@pytest.mark.parametrize(("file", "kind", "one", "other"), PAIRS)
def test_a_line_says_so_as_long_as_it_is_true(
    desk: Desk, file: str, kind: MemoryType, one: str, other: str
) -> None:
    first, second = desk.say(one, kind), desk.say(other, kind)
    desk.night()
    contradict(desk, first, second)
    for text in (one, other):
        assert f"- {text}{CONTRADICTED}\n" in shown(desk)
    assert desk.night().edits == []
    for text in (one, other):
        assert f"- {text}{CONTRADICTED} <!-- m:" in desk.read(file)
    again = desk.night()
    assert (again.edits, again.written) == ([], [])
    desk.chat.revise(second, "archive", None)
    assert f"- {one}\n" in shown(desk)
    assert CONTRADICTED not in shown(desk)
    assert desk.night().edits == []
    assert CONTRADICTED not in desk.read(file)


def test_a_line_corrected_beside_its_label_takes_the_label_for_no_word(desk: Desk) -> None:
    first, second = desk.say("Rex is the dog's name"), desk.say("the rabbit eats Momo's hay")
    contradict(desk, first, second)
    desk.night()
    desk.edit(f"Rex is the dog's name{CONTRADICTED}", f"Rex is the cat's name{CONTRADICTED}")
    assert desk.night().effects == {"corrected": 1}
    assert desk.get(first).content == "Rex is the cat's name"


def test_a_memory_whose_words_end_like_the_label_is_no_edit_by_hand(desk: Desk) -> None:
    desk.say(f"Rex is a dog{CONTRADICTED}{CONTRADICTED}")
    desk.night()
    again = desk.night()
    assert (again.edits, again.written) == ([], [])


def test_forgetting_reaches_a_line_with_a_label(desk: Desk) -> None:
    first, second = desk.say("PIN 1"), desk.say("the rabbit eats hay")
    contradict(desk, first, second)
    desk.night()
    Eraser(desk.store, "default", COMMAND_LINE, desk.marks, desk.home).run(
        ErasureRequest.for_ids([first])
    )
    assert "PIN" not in desk.read()
    assert "rabbit" in desk.read()

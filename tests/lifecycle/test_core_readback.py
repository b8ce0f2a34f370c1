"""Edits by hand: whatever is done to the lines of a file is known again, and nothing else."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.lifecycle.lines import MEMORIES, core, written

from memoria.lifecycle.core.apply import Edit
from memoria.lifecycle.core.parse import parse
from memoria.lifecycle.core.readback import (
    Action,
    ArchiveMemory,
    AskFirst,
    CorrectMemory,
    KeepLine,
    RememberLine,
    SettleDispute,
    ShowConflict,
    StoredState,
    WithdrawEdit,
    find_edits,
)
from memoria.model import MemoryType, Validity
from memoria.model.core import CoreLine, CoreMemory, EditConflict, LineStatus

PORT = core(1, "the API listens on port 8080")
CAT = core(2, "猫叫 Momo，今年三岁。")
RULE = core(3, "Never deploy on Friday", MemoryType.RULE)
ANNA = core(4, "Anna leads ops", MemoryType.RELATIONSHIP)
ALL = [PORT, CAT, RULE, ANNA]
FIRST = written(ALL)


def standing(*memories: CoreMemory) -> dict[str, LineStatus]:
    return {memory.id: LineStatus(memory, Validity.ACTIVE) for memory in memories}


def actions(
    text: str,
    now: dict[str, LineStatus] | None = None,
    base: tuple[CoreLine, ...] = FIRST.lines,
    *disputes: EditConflict,
) -> list[Action]:
    known = StoredState(base, standing(*ALL) if now is None else now, disputes)
    return find_edits(parse(text, "MEMORY.md"), known)


def test_a_changed_a_deleted_and_a_new_line_are_three_actions() -> None:
    text = FIRST.text.replace("8080", "9090").replace("- Anna leads ops <!-- m:00000004 -->\n", "")
    text = text.replace("## Rules\n", "## Rules\n- 周五不发布\n")
    assert actions(text) == [
        CorrectMemory(memory_id=PORT.id, text="the API listens on port 9090"),
        ArchiveMemory(memory_id=ANNA.id),
        RememberLine(text="周五不发布", group="Rules"),
    ]


def test_a_line_changed_in_chinese_is_a_correction() -> None:
    assert actions(FIRST.text.replace("三岁", "四岁")) == [
        CorrectMemory(memory_id=CAT.id, text="猫叫 Momo，今年四岁。")
    ]


@pytest.mark.parametrize(
    "line",
    [
        "- new",
        "* new",
        "new",
        "1. new",
        "2、new",
        "・ new",
        " -  new ",
        "- new <!-- m:abcdef01 -->",
    ],
)
def test_a_line_below_a_heading_of_ours_is_new_with_any_bullet_or_none(line: str) -> None:
    assert actions(FIRST.text.replace("## Rules\n", f"## Rules\n{line}\n")) == [
        RememberLine(text="new", group="Rules")
    ]


@pytest.mark.parametrize(
    "line",
    ["> quoted", "```\n- code\n```", "| a | b |", "### mine\nno bullet", "<!-- a\n- hidden\n-->",
     "    - indented", "-", "***", "Mine\n----\n- [ ] a box", ""],
)  # fmt: skip
def test_what_is_no_line_of_a_list_is_somebodys_own(line: str) -> None:
    assert actions(FIRST.text.replace("## Rules\n", f"{line}\n## Rules\n{line}\n")) == []


@pytest.mark.parametrize(
    "text",
    [
        FIRST.text.replace("\n", "\r\n"),
        "\ufeff" + FIRST.text,
        FIRST.text.rstrip("\n"),
        FIRST.text.replace("\n- ", "\n* "),
        FIRST.text.replace("-->", "-->   "),
        FIRST.text.replace("the API", "the  API"),
        FIRST.text.replace(" <!-- m:00000001 -->", ""),
        FIRST.text + FIRST.text,
        "\n".join(line for line in reversed(FIRST.text.splitlines()) if "<!-- m:" in line),
    ],
    ids=["crlf", "bom", "no end", "bullets", "blanks", "spaces", "lost mark", "twice", "reversed"],
)
def test_what_changes_no_word_is_no_edit(text: str) -> None:
    assert actions(text) == []


def test_a_mark_that_stands_twice_is_the_first_lines_and_the_other_line_is_new() -> None:
    text = FIRST.text.replace(
        "<!-- m:00000001 -->\n", "<!-- m:00000001 -->\n- the UI on 3000 <!-- m:00000001 -->\n"
    )
    assert actions(text) == [RememberLine(text="the UI on 3000", group="Facts and concepts")]


def test_words_behind_the_mark_belong_to_the_line() -> None:
    assert actions(FIRST.text.replace("<!-- m:00000004 -->", "<!-- m:00000004 --> in Oslo")) == [
        CorrectMemory(memory_id=ANNA.id, text="Anna leads ops in Oslo")
    ]


def test_a_line_of_which_only_the_mark_is_left_is_deleted() -> None:
    assert actions(FIRST.text.replace("- Anna leads ops ", "- ")) == [
        ArchiveMemory(memory_id=ANNA.id)
    ]


def test_when_most_lines_are_gone_they_are_asked_about() -> None:
    many = [core(n, f"fact number {n}") for n in range(1, 9)]
    file = written(many)
    kept = [line for line in file.text.splitlines() if " number " not in line]
    asked = actions("\n".join(kept), standing(*many), file.lines)
    assert asked == [AskFirst(memory_id=line.memory_id) for line in file.lines]
    half = file.text.splitlines()
    half = [line for line in half if not any(f" number {n} " in line for n in (1, 2, 3, 4))]
    assert {type(one) for one in actions("\n".join(half), standing(*many), file.lines)} == {
        ArchiveMemory
    }


def test_what_was_asked_about_is_archived_when_it_is_deleted_again_and_stays_when_moved() -> None:
    base = tuple(
        replace(line, mark=f"d:{line.mark[2:]}") if line.memory_id == PORT.id else line
        for line in FIRST.lines
    )
    file = written(ALL, base=base)
    asked = "- taken out here, kept so far: the API listens on port 8080 <!-- d:00000001 -->\n"
    assert file.text.endswith(asked)
    assert actions(file.text, None, file.lines) == []
    gone = file.text.replace(asked, "")
    assert actions(gone, None, file.lines) == [ArchiveMemory(memory_id=PORT.id)]
    moved = gone.replace("## Rules\n", f"## Rules\n{asked}")
    assert actions(moved, None, file.lines) == [KeepLine(memory_id=PORT.id)]


def test_a_fact_changed_by_hand_and_in_conversation_is_a_conflict() -> None:
    now = standing(replace(PORT, content="the API listens on port 7070", version_n=9), CAT, RULE)
    assert actions(FIRST.text.replace("8080", "9090"), now) == [
        ShowConflict(
            memory_id=PORT.id,
            user_edit="the API listens on port 9090",
        )
    ]
    deleted = FIRST.text.replace("- the API listens on port 8080 <!-- m:00000001 -->\n", "")
    assert actions(deleted, now) == [AskFirst(memory_id=PORT.id)]
    assert actions(FIRST.text, now) == []
    assert actions(FIRST.text.replace("8080", "7070"), now) == []


def test_a_line_whose_memory_was_put_aside_or_forgotten_meanwhile() -> None:
    aside = {PORT.id: LineStatus(PORT, Validity.ARCHIVED)}
    changed = FIRST.text.replace("8080", "9090")
    assert [type(one) for one in actions(changed, aside)] == [ShowConflict]
    assert actions(FIRST.text.replace("Anna", "Anne"), {}) == []
    deleted = FIRST.text.replace("- the API listens on port 8080 <!-- m:00000001 -->\n", "")
    assert actions(deleted, aside) == []


HAND = core(9, "the API listens on port 9090")
DISPUTE = EditConflict(HAND, PORT, against_is_active=True)
DISPUTED = written(ALL, disputes=[DISPUTE])
FILE_LINE = "- file says: the API listens on port 9090 <!-- c:00000009 -->\n"
CHAT_LINE = "- chat says: the API listens on port 8080 <!-- c:00000001 -->\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", []),
        (FILE_LINE, "", [WithdrawEdit(pending_id=HAND.id)]),
        (CHAT_LINE, "", [SettleDispute(memory_id=PORT.id, pending_id=HAND.id, text=HAND.content)]),
        (FILE_LINE + CHAT_LINE, "",
         [WithdrawEdit(pending_id=HAND.id), ArchiveMemory(memory_id=PORT.id)]),
        ("8080", "7070", [SettleDispute(memory_id=PORT.id, pending_id=HAND.id,
                                 text="the API listens on port 7070")]),
        ("file says: ", "", []),
    ],
    ids=["nothing", "the file's", "the chat's", "both", "a third wording", "the label"],
)  # fmt: skip
def test_deleting_one_of_two_wordings_settles_a_conflict(
    old: str, new: str, expected: list[Action]
) -> None:
    text = DISPUTED.text.replace(old, new)
    assert text != DISPUTED.text or not old
    assert actions(text, None, DISPUTED.lines, DISPUTE) == expected


def test_a_conflict_whose_other_side_has_changed_again_is_shown_again_first() -> None:
    anew = replace(DISPUTE, against=replace(PORT, version_n=12))
    assert actions(DISPUTED.text.replace(FILE_LINE, ""), None, DISPUTED.lines, anew) == []


@pytest.mark.parametrize(
    "action",
    [ArchiveMemory(memory_id="a"), AskFirst(memory_id="a"), KeepLine(memory_id="a"),
     WithdrawEdit(pending_id="a"),
     CorrectMemory(memory_id="a", text="b"), RememberLine(text="b", group="Rules"),
     ShowConflict(memory_id="a", user_edit="b"),
     SettleDispute(memory_id="a", pending_id="b", text="c")],
)  # fmt: skip
def test_an_action_that_was_written_down_is_read_as_the_same(action: Action) -> None:
    edit = Edit(file="USER.md", action=action)
    assert Edit.model_validate_json(edit.model_dump_json()) == edit


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[CoreMemory], str, list[Action]]:
    """A file, the same edited by hand line by line, and what should be found."""
    memories = draw(MEMORIES)
    words = st.text("abc 天地人", min_size=1, max_size=9).map(lambda text: f"n{len(text)} {text}.")
    fresh = iter(f"{draw(words)}{n}" for n in range(1000))
    file = written(memories)
    marks = {line.mark: line.memory_id for line in file.lines}
    out, changed, gone, added = list[str](), list[Action](), list[str](), list[Action]()
    group = ""
    for line in file.text.splitlines():
        group = line[3:] if line.startswith("## ") else group
        memory_id = next((one for mark, one in marks.items() if f"<!-- {mark} -->" in line), None)
        what = draw(st.sampled_from(["keep", "change", "delete"])) if memory_id else "keep"
        if what == "change" and memory_id:
            text = " ".join(next(fresh).split())
            changed.append(CorrectMemory(memory_id=memory_id, text=text))
            out.append(f"- {text} {line[line.rindex('<!--') :]}")
        elif what == "delete" and memory_id:
            gone.append(memory_id)
        else:
            out.append(line)
        if group and draw(st.booleans()):
            text = " ".join(next(fresh).split())
            added.append(RememberLine(text=text, group=group))
            out.append(f"- {text}")
    many = len(gone) > 3 and len(gone) * 2 > len(memories)
    taken: list[Action] = [(AskFirst if many else ArchiveMemory)(memory_id=one) for one in gone]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return memories, end.join(out), [*changed, *taken, *added]


@given(edited())
def test_any_edits_line_by_line_are_recovered(
    case: tuple[list[CoreMemory], str, list[Action]],
) -> None:
    memories, text, expected = case
    found = actions(text, standing(*memories), written(memories).lines)
    assert sorted(map(repr, found)) == sorted(map(repr, expected))

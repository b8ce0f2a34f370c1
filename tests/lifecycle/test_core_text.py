"""A core file as text: what is rendered is read back as it was, whatever stands around it."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lifecycle.lines import MEMORIES, ROOM, core, written

from memoria.language.budget import estimate_tokens
from memoria.lifecycle.core.document import BOM, compare_lines, decode_text, parse
from memoria.lifecycle.core.edits import (
    Action,
    ArchiveMemory,
    AskFirst,
    CorrectMemory,
    Edit,
    KeepLine,
    RememberLine,
    SettleDispute,
    ShowConflict,
    StoredState,
    WithdrawEdit,
    find_edits,
)
from memoria.lifecycle.core.lines import render_head
from memoria.model import MemoryType, Validity
from memoria.model.core import USER_EDIT_NAME, CoreLine, CoreMemory, EditConflict, LineStatus
from memoria.policy.core import CONFLICTS, group_for, groups_in, rank_for_core, take_within_budget

PROSE = [
    "Some prose of my own.",
    "## My own heading",
    "### 我的笔记",
    "- a bullet of mine",
    "| a | table |",
    "```",
    "> quoted",
    "",
    "    indented",
    "<!-- a comment -->",
    "Underlined",
    "==========",
    "---",
]
OWN = st.lists(st.sampled_from(PROSE), max_size=8)


@given(MEMORIES)
def test_what_is_rendered_parses_back_to_no_edits_and_renders_the_same(
    memories: list[CoreMemory],
) -> None:
    first = written(memories)
    edits = compare_lines(first.lines, parse(first.text, "MEMORY.md"))
    assert (edits.changed, edits.gone, edits.added) == ((), (), ())
    assert len(edits.kept) == len(memories) == first.count
    assert written(memories, text=first.text, base=first.lines) == first


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_lines_joined_again_are_the_file(text: str) -> None:
    assert parse(text, "USER.md").text == text


@given(MEMORIES, MEMORIES, OWN, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_what_is_somebodys_own_stays_word_for_word_and_in_order(
    before: list[CoreMemory],
    after: list[CoreMemory],
    own: list[str],
    end: str,
    bom: bool,
    final: bool,
) -> None:
    first = written(before)
    text = BOM * bom + end.join([*own, *first.text.splitlines(), "## Mine", *own]) + end * final
    anew = written(after, text=text, base=first.lines)
    mine = anew.text.removeprefix(BOM)
    assert mine.startswith("".join(line + end for line in own))
    assert end.join(["## Mine", *own]).rstrip() + end in mine
    assert anew.text.startswith(BOM) is bom
    assert "\n" not in anew.text.replace(end, "")
    again = written(after, text=anew.text, base=anew.lines)
    assert again == anew


def test_what_stands_between_our_lines_stays_behind_the_line_it_stood_behind() -> None:
    rules = [core(n, f"rule {n}", MemoryType.RULE, importance=1 - n / 10) for n in (1, 2, 3)]
    first = written(rules)
    commented = first.text.replace("- rule 2 ", "- rule 2 ").replace(
        "<!-- m:00000002 -->\n", "<!-- m:00000002 -->\n  > since the outage in May\n"
    )
    third_first = [rules[2], *rules[:2]]
    again = written(third_first, text=commented, base=first.lines)
    lines = again.text.splitlines()
    assert lines[lines.index("- rule 2 <!-- m:00000002 -->") + 1] == "  > since the outage in May"
    without = written([rules[0], rules[2]], text=commented, base=first.lines).text.splitlines()
    assert (
        without[without.index("- rule 1 <!-- m:00000001 -->") + 1] == "  > since the outage in May"
    )


def test_a_line_moved_below_a_heading_of_ones_own_stays_there() -> None:
    memories = [core(1, "the port is 8080"), core(2, "the cat is called Momo")]
    first = written(memories)
    line = "- the port is 8080 <!-- m:00000001 -->"
    moved = first.text.replace(line + "\n", "") + f"\n## Ports\nall of them:\n{line}\n"
    again = written(memories, text=moved, base=first.lines)
    assert again.text.endswith(f"## Ports\nall of them:\n{line}\n")
    assert again.text.count("8080") == 1


def test_a_head_line_that_was_deleted_comes_back_behind_the_title() -> None:
    first = written([core(1, "one")])
    without = "".join(line for line in first.text.splitlines(True) if "memoria -->" not in line)
    again = written([core(1, "one")], text=without, base=first.lines)
    assert again.text.splitlines()[:3] == ["# MEMORY.md", "", render_head(1, 1)]
    bare = written([core(1, "one")], text="## Rules\n- mine\n").text.splitlines()
    assert bare[0] == render_head(1, 1)
    assert bare.count(render_head(1, 1)) == 1


def test_two_ends_of_ids_that_are_alike_are_told_apart() -> None:
    one, other = core(1, "one"), core(2, "other")
    twin = CoreMemory("019b0000-0000-7000-8000-000000000001", MemoryType.FACT, "twin", 3, 3)
    marks = {line.memory_id: line.mark for line in written([one, other, twin]).lines}
    assert len(set(marks.values())) == 3
    assert sorted(map(len, marks.values())) == [10, 10, 14]


@given(MEMORIES, st.integers(80, 500))
def test_the_budget_is_kept_no_line_is_cut_and_the_head_says_how_many(
    memories: list[CoreMemory], tokens: int
) -> None:
    file = written(memories, tokens=tokens)
    start = written([], text="").text
    ours = file.text.split("people and projects.\n\n")[1]
    assert estimate_tokens(ours) <= max(tokens, estimate_tokens(start))
    rules = sum(one.type is MemoryType.RULE for one in memories)
    shown = {line.memory_id for line in file.lines}
    rules -= sum(one.type is MemoryType.RULE and one.id in shown for one in memories)
    assert render_head(file.count, len(memories), rules) in file.text
    whole = set(written(memories).text.splitlines())
    assert {line for line in file.text.splitlines() if " <!-- m:" in line} <= whole


def test_the_head_says_what_was_left_out_and_which_command_shows_it() -> None:
    memories = [core(n, f"rule number {n}", MemoryType.RULE) for n in range(1, 21)]
    memories += [core(n, f"fact number {n}") for n in range(21, 41)]
    file = written(memories, tokens=250)
    rules = sum("- rule number" in line for line in file.text.splitlines())
    assert 0 < rules < 20
    (head,) = (line for line in file.text.splitlines() if "memories are shown" in line)
    assert head.startswith(
        f"{file.count} of 40 memories are shown; there is no room for {40 - file.count}, which "
        f"`memoria list` shows: {20 - rules} of them are rules (`memoria list --type rule`). "
    )
    assert "no room" not in written(memories, tokens=3000).text


def test_a_long_line_makes_room_for_shorter_ones() -> None:
    memories = [core(1, "x" * 4000, pinned=True), core(2, "short")]
    file = written(memories, tokens=200)
    assert (file.count, file.total) == (1, 2)
    assert "- short " in file.text
    assert "xxx" not in file.text


@pytest.mark.parametrize(
    "data",
    [b"", b" \n\n", b"\xff\xfe\x00", "\ufeff\n".encode(),
     b"# USER.md\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n"],
)  # fmt: skip
def test_an_emptied_an_unreadable_and_an_unmerged_file_is_not_read(data: bytes) -> None:
    assert decode_text(data) is None


def test_a_file_is_read_with_and_without_byte_order_mark() -> None:
    assert decode_text("\ufeff# 用户\n".encode()) == "\ufeff# 用户\n"


def test_conflicts_are_shown_whatever_the_budget() -> None:
    known = core(1, "the port is 9090")
    dispute = EditConflict(core(2, "the port is 7070"), known, against_is_active=True)
    file = written([known], disputes=[dispute], tokens=1)
    assert file.text.splitlines()[-2:] == [
        "- file says: the port is 7070 <!-- c:00000002 -->",
        "- chat says: the port is 9090 <!-- c:00000001 -->",
    ]
    assert f"## {CONFLICTS}" in file.text
    assert written([known], disputes=[dispute], text=file.text, base=file.lines).text == file.text
    settled = written([known], text=file.text, base=file.lines)
    assert CONFLICTS not in settled.text
    assert "Delete the line" not in settled.text


def test_what_the_user_vouches_for_comes_first() -> None:
    order = [
        core(1, "pinned", pinned=True),
        core(2, "by hand", channel=USER_EDIT_NAME),
        core(3, "a rule", MemoryType.RULE),
        core(4, "verified", verified=True),
        core(5, "a name", subject="user", predicate="name"),
        core(6, "weighs more", importance=0.9),
        core(8, "newer"),
        core(7, "older"),
    ]
    assert rank_for_core(reversed(order)) == order
    assert rank_for_core(order, lambda memory: float(memory.version_n == 7))[5].version_n == 7


def test_every_kind_has_its_group_and_work_has_none() -> None:
    def group(kind: MemoryType, content: str = "x", **more: object) -> str | None:
        found = group_for(core(1, content, kind, **more))
        return None if found is None else f"{found.file}/{found.heading}"

    assert group(MemoryType.FACT, subject="user") == "USER.md/Identity"
    passing: dict[str, Any] = {"subject": "user", "importance": 0.4}
    assert group(MemoryType.FACT, **passing) is None
    assert group(MemoryType.FACT, predicate="habit", **passing) == "USER.md/Habits"
    assert group(MemoryType.FACT, subject="user", importance=0.4, verified=True) is not None
    assert group(MemoryType.FACT, subject="user", predicate="habit") == "USER.md/Habits"
    assert group(MemoryType.FACT, subject="momo") == "MEMORY.md/Facts and concepts"
    assert group(MemoryType.FACT, content="用户叫陈伟") == "USER.md/Identity"
    assert group(MemoryType.GOAL, content="The user wants to move") == "USER.md/Goals"
    assert group(MemoryType.FACT, content="我们周五开会") == "MEMORY.md/Facts and concepts"
    assert (
        group(MemoryType.FACT, content="用户叫陈伟", channel=USER_EDIT_NAME) != "USER.md/Identity"
    )
    assert group(MemoryType.PREFERENCE) == "USER.md/Preferences"
    assert group(MemoryType.PREFERENCE, subject="anna") == "MEMORY.md/People"
    assert group(MemoryType.RULE) == "MEMORY.md/Rules"
    assert group(MemoryType.RULE, subject="assistant") == "PERSONA.md/Rules for the assistant"
    assert group(MemoryType.GOAL, subject="user") == "USER.md/Goals"
    assert group(MemoryType.GOAL) == "MEMORY.md/Decisions and goals"
    assert group(MemoryType.EPISODE) is None
    assert group(MemoryType.TOOL_EXPERIENCE) is None


def test_what_is_added_below_a_heading_belongs_there() -> None:
    for file in ("MEMORY.md", "USER.md", "PERSONA.md"):
        for group in groups_in(file):
            added = core(1, "x", group.type, subject=group.subject, predicate=group.predicate)
            assert group_for(added) == group


@settings(max_examples=30)
@given(st.lists(st.integers(0, 50), max_size=20), st.integers(0, ROOM))
def test_no_more_is_taken_than_fits(prices: list[int], budget: int) -> None:
    taken = take_within_budget(prices, lambda price: price, budget)
    assert sum(taken) <= budget
    assert taken == prices or sum(prices) > budget


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
        ShowConflict(memory_id=PORT.id, user_edit="the API listens on port 9090")
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

"""The core files of a home: written from memories, edited by hand, read back, written anew."""

import hashlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.databases import open_home
from tests.empty_home import lay_empty_home
from tests.lifecycle.desk import TOKENS, Desk

import memoria
from memoria import Settings
from memoria.disk.folders import tenant_folder
from memoria.disk.home_files import read_seed, strip_marks
from memoria.erasure.files import TextFileEraser
from memoria.erasure.forget import Eraser
from memoria.erasure.selection import ErasureRequest
from memoria.errors import ForgottenError
from memoria.language.budget import estimate_tokens
from memoria.language.reading.statement import Phrases
from memoria.lifecycle.core.cycle import (
    note_core_written,
    plan_core,
    read_core_edits,
    recover_core,
    replace_core,
)
from memoria.lifecycle.core.edits import apply_edit
from memoria.model import (
    COMMAND_LINE,
    EdgeType,
    Memory,
    MemoryType,
    Node,
    Provenance,
    SourceKind,
    Trust,
    Validity,
    new_id,
    now_millis,
)
from memoria.model.core import CORE_FILES, CoreFile
from memoria.store.values import Filters, NewMemory, NewVersion
from memoria.surface.mcp.resources import core_text

PORT = "The API listens on port 8080"
NAME = "用户叫陈伟，住在上海。"
RULE = "Never deploy on Friday"
SAFE = "the safe's number is 4711"


def users(memory: Memory) -> bool:
    """Whether what it says is the user's own word, confirmed."""
    came = memory.current.provenance
    stated = came.trust is Trust.USER and came.source_kind is SourceKind.USER_SAID
    return stated and came.channel == "hand-edit" and memory.verified


def test_a_home_without_memories_gets_no_file(desk: Desk) -> None:
    assert desk.night().written == []
    assert not any(desk.files.exists(name) for name in CORE_FILES)


def test_an_untouched_seed_has_no_edits_and_makes_way(desk: Desk) -> None:
    for name in CORE_FILES:
        desk.put(name, read_seed(name))
    desk.say(PORT)
    report = desk.night()
    assert (report.edits, report.written) == ([], ["MEMORY.md"])
    assert "Nothing is kept" not in desk.read()
    assert f"- {PORT} <!-- m:" in desk.read()
    assert desk.read("PERSONA.md") == read_seed("PERSONA.md")


def test_three_edits_by_hand_are_three_memories_of_the_users_and_nothing_else_changes(
    desk: Desk,
) -> None:
    port, rule, cat = desk.say(PORT), desk.say(RULE, MemoryType.RULE), desk.say("猫叫 Momo")
    other = desk.say("Anna leads ops", MemoryType.RELATIONSHIP)
    desk.night()
    desk.edit("8080", "9090")
    desk.lose("猫叫 Momo")
    desk.edit("## Rules\n", "## Rules\n- 周五不发布，周四也不发布\n")
    before = desk.get(rule), desk.get(other)
    report = desk.night()
    assert report.effects == {"corrected": 1, "archived": 1, "remembered": 1}
    assert desk.get(port).content == "The API listens on port 9090"
    assert users(desk.get(port))
    assert [version.content for version in desk.get(port).versions][1] == PORT
    assert desk.get(cat).validity is Validity.ARCHIVED
    (new,) = [memory for memory in desk.all() if memory.id not in {port, rule, cat, other}]
    assert (new.content, new.type) == ("周五不发布，周四也不发布", MemoryType.RULE)
    assert users(new)
    assert (desk.get(rule), desk.get(other)) == before
    assert desk.read().count("周五不发布") == 1
    assert f"- {new.content} <!-- m:" in desk.read()
    with desk.store.read("default") as tx:
        assert [entry.channel for entry in tx.audit.list_entries(cat)] == ["library", "hand-edit"]


@pytest.mark.parametrize("file", ["USER.md", "PERSONA.md"])
def test_a_line_added_below_a_heading_is_there_after_the_night(desk: Desk, file: CoreFile) -> None:
    heading = {"USER.md": "Identity", "PERSONA.md": "Rules for the assistant"}[file]
    desk.put(file, f"# {file}\n\nmy words\n\n## {heading}\n{NAME}\n")
    assert desk.night().effects == {"remembered": 1}
    assert desk.read(file).splitlines()[-2:] == [f"## {heading}", desk.read(file).splitlines()[-1]]
    assert desk.read(file).splitlines()[-1].startswith(f"- {NAME} <!-- m:")
    assert "\nmy words\n" in desk.read(file)


def test_a_second_night_writes_nothing(desk: Desk) -> None:
    for text in (PORT, NAME, RULE):
        desk.say(text)
    desk.night()
    stamp = desk.files.find_state("MEMORY.md")
    report = desk.night()
    assert (report.edits, report.written) == ([], [])
    assert desk.files.find_state("MEMORY.md") == stamp


def conflict(desk: Desk) -> str:
    port = desk.say(PORT)
    desk.say(RULE, MemoryType.RULE)
    desk.night()
    desk.edit("8080", "9090")
    desk.chat.revise(port, "correct", "The API listens on port 7070")
    assert desk.night().effects == {"conflict": 1}
    return port


def test_the_same_fact_changed_in_chat_and_file_is_a_conflict_that_is_seen(desk: Desk) -> None:
    port = conflict(desk)
    shown = desk.read()[desk.read().index("## Conflicts") :]
    assert "- file says: The API listens on port 9090 <!-- c:" in shown
    assert "- chat says: The API listens on port 7070 <!-- c:" in shown
    assert desk.read().count("port") == 2
    assert desk.get(port).content == "The API listens on port 7070"
    with desk.store.read("default") as tx:
        (held,) = tx.waiting.list_pending(10)
        (tie,) = [
            edge
            for edge in tx.graph.list_edges(Node("memory", held.id), Filters(include_history=True))
            if edge.type is EdgeType.CONTRADICTS
        ]
    assert (held.content, held.flag) == ("The API listens on port 9090", "conflict")
    assert {tie.src.id, tie.dst.id} == {held.id, port}
    again = desk.night()
    assert (again.edits, again.written) == ([], [])


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("chat says", "The API listens on port 9090"), ("file says", "The API listens on port 7070")],
)
def test_deleting_one_of_two_wordings_settles_the_conflict(
    desk: Desk, wrong: str, right: str
) -> None:
    port = conflict(desk)
    desk.lose(wrong)
    desk.night()
    assert desk.get(port).content == right
    assert "Conflicts" not in desk.read()
    assert desk.read().count("port") == 1
    with desk.store.read("default") as tx:
        assert tx.waiting.list_pending(10) == []
    assert desk.night().written == []


def test_a_line_deleted_by_hand_and_changed_in_chat_stays_until_it_is_deleted_again(
    desk: Desk,
) -> None:
    port = desk.say(PORT)
    desk.night()
    desk.lose("8080")
    desk.chat.revise(port, "correct", "The API listens on port 7070")
    assert desk.night().effects == {"asked": 1}
    assert "- taken out here, kept so far: The API listens on port 7070 <!-- d:" in desk.read()
    assert desk.get(port).validity is Validity.ACTIVE
    desk.lose("7070")
    assert desk.night().effects == {"archived": 1}
    assert desk.get(port).validity is Validity.ARCHIVED


def test_a_line_that_says_what_was_forgotten_is_refused_and_stays_where_it_was_written(
    desk: Desk,
) -> None:
    secret = desk.say(SAFE)
    desk.say(RULE, MemoryType.RULE)
    desk.night()
    assert "4711" in desk.read()
    forget = Eraser(desk.store, "default", COMMAND_LINE, desk.marks, desk.home)
    forget.run(ErasureRequest.for_ids([secret]))
    assert "4711" not in desk.read()
    assert desk.night().edits == []
    desk.edit("## Rules\n", f"## Rules\n- {SAFE}\n")
    ((_, applied),) = desk.night().edits
    assert applied.effect == "refused"
    assert "forgotten" in (applied.reason or "")
    assert f"- {SAFE}\n" in desk.read()
    with pytest.raises(ForgottenError):
        desk.say(SAFE)


def test_a_correction_to_what_was_forgotten_is_refused_and_stays_too(desk: Desk) -> None:
    forget = Eraser(desk.store, "default", COMMAND_LINE, desk.marks, desk.home)
    forget.run(ErasureRequest.for_ids([desk.say(SAFE)]))
    port = desk.say(PORT)
    desk.night()
    desk.edit(PORT, SAFE)
    assert desk.night().effects == {"refused": 1}
    assert desk.get(port).content == PORT
    assert f"- {SAFE} <!-- m:" in desk.read()
    assert PORT not in desk.read()


def test_a_short_line_goes_from_the_file_when_it_is_forgotten(desk: Desk) -> None:
    pin = desk.say("PIN 1")
    desk.night()
    forget = Eraser(desk.store, "default", COMMAND_LINE, desk.marks, desk.home)
    assert forget.run(ErasureRequest.for_ids([pin])).files == (desk.files.name("MEMORY.md"),)
    assert "PIN" not in desk.read()


def test_a_key_typed_into_a_file_is_kept_neither_there_nor_in_the_store(desk: Desk) -> None:
    desk.say(RULE, MemoryType.RULE)
    desk.night()
    key = "sk-ant-api03-" + "Ab1" * 30
    desk.edit("## Rules\n", f"## Rules\n- log in with {key} first\n")
    assert desk.night().effects == {"remembered": 1}
    assert key not in desk.read()
    assert all(key not in memory.content for memory in desk.all())


def test_a_line_known_already_is_no_second_memory(desk: Desk) -> None:
    desk.say(RULE, MemoryType.RULE)
    desk.night()
    desk.edit("## Rules\n", "## Rules\n- never deploy on FRIDAY\n")
    desk.night()
    assert len(desk.all()) == 1
    assert desk.read().casefold().count("never deploy") == 1


def test_an_edit_of_letter_case_alone_is_a_correction(desk: Desk) -> None:
    cat = desk.say("the cat is called momo")
    desk.night()
    desk.edit("momo", "Momo")
    assert desk.night().effects == {"corrected": 1}
    assert desk.get(cat).content == "the cat is called Momo"


def test_an_edit_saved_between_reading_and_writing_is_read_the_next_night(desk: Desk) -> None:
    cat, port = desk.say("the cat is called momo"), desk.say(PORT)
    desk.night()
    desk.say("fresh")
    with desk.store.read("default") as tx:
        assert read_core_edits(tx, desk.files) == ([], [])
    desk.edit("momo", "Momo")
    desk.edit("8080", "9090")
    with desk.store.read("default") as tx:
        (draft,) = plan_core(tx, desk.files, now_millis(), TOKENS)
    assert replace_core(desk.files, draft)
    with desk.store.write("default") as tx:
        note_core_written(tx, draft)
    assert "Momo" in desk.read()
    assert "9090" in desk.read()
    assert desk.night().effects == {"corrected": 2}
    assert desk.get(cat).content == "the cat is called Momo"
    assert users(desk.get(port))


def test_two_lines_made_one_put_one_memory_aside(desk: Desk) -> None:
    one, other = desk.say(PORT), desk.say("The UI listens on port 3000")
    desk.night()
    desk.edit("The UI listens on port 3000", PORT)
    desk.night()
    states = {desk.get(one).validity, desk.get(other).validity}
    assert states == {Validity.ACTIVE, Validity.ARCHIVED}
    assert desk.read().count(PORT) == 1
    assert desk.night().edits == []


def test_most_lines_gone_at_once_are_asked_about_first(desk: Desk) -> None:
    ids = [desk.say(f"fact number {n} of many") for n in range(6)]
    desk.night()
    desk.lose("fact number")
    assert desk.night().effects == {"asked": 6}
    assert desk.read().count("taken out here, kept so far: fact number") == 6
    assert {desk.get(one).validity for one in ids} == {Validity.ACTIVE}
    desk.lose("fact number")
    assert desk.night().effects == {"archived": 6}


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\xfa", b"<<<<<<< HEAD\n- a\n=======\n"])
def test_a_file_that_cannot_be_read_is_left_alone_and_reported(desk: Desk, content: bytes) -> None:
    port = desk.say(PORT)
    desk.night()
    desk.put("MEMORY.md", content)
    report = desk.night()
    assert (report.unreadable, report.edits, report.written) == (["MEMORY.md"], [], [])
    assert desk.files.read("MEMORY.md") == content
    assert desk.get(port).validity is Validity.ACTIVE
    desk.files.delete("MEMORY.md")
    assert desk.night().written == ["MEMORY.md"]
    assert PORT in desk.read()


@pytest.mark.sqlite("a folder on disk")
def test_a_folder_in_the_place_of_a_file_is_in_nobodys_way(desk: Desk) -> None:
    desk.say(PORT)
    (desk.home / "MEMORY.md").mkdir()
    report = desk.night()
    assert (report.unreadable, report.written) == (["MEMORY.md"], [])
    assert TextFileEraser(desk.home, "default", desk.files).erase_phrases(Phrases([PORT]), {}) == []


def test_windows_line_ends_and_a_byte_order_mark_stay(desk: Desk) -> None:
    desk.say(PORT)
    desk.night()
    text = "\ufeff" + desk.read().replace("\n", "\r\n").replace("8080", "9090").rstrip()
    desk.put("MEMORY.md", text.encode())
    assert desk.night().effects == {"corrected": 1}
    after = desk.read()
    assert after.startswith("\ufeff# MEMORY.md\r\n")
    assert after.endswith("-->\r\n")
    assert after.count("\n") == after.count("\r\n")


def test_what_is_seen_in_one_project_only_has_expired_or_tells_of_work_is_not_written(
    desk: Desk,
) -> None:
    desk.say(PORT, workspace="/projects/api")
    with desk.store.write("default") as tx:
        origin = Provenance(source_kind="user_said", trust="user", channel="test")
        version = NewVersion("the demo is on Friday", b"f", 1, 1, origin, None, expires_at=2)
        tx.memories.add(NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5), version)
    desk.say("I like tea", MemoryType.PREFERENCE, workspace="/projects/api")
    desk.say("the deploy went well", MemoryType.TASK_OUTCOME)
    desk.night()
    assert not desk.files.exists("MEMORY.md")
    assert "I like tea" in desk.read("USER.md")


def test_tenants_have_files_of_their_own_and_read_no_others(desk: Desk) -> None:
    ann, bob = Desk(desk.store, desk.home, "ann"), Desk(desk.store, desk.home, "Ann")
    for one, text in ((desk, "the default's"), (ann, "ann's"), (bob, "the other Ann's")):
        one.say(f"{text} port is 8080")
        assert one.night().written == ["MEMORY.md"]
    for one, text in ((desk, "the default's"), (ann, "ann's"), (bob, "the other Ann's")):
        assert one.read().count("port is") == 1
        assert f"- {text} port is 8080 <!-- m:" in one.read()
        assert one.night().edits == []


def test_forgetting_leaves_other_tenants_files_alone(desk: Desk) -> None:
    ann = Desk(desk.store, desk.home, "ann")
    mine, hers = desk.say(SAFE), ann.say(SAFE)
    desk.night()
    ann.night()
    Eraser(desk.store, "default", COMMAND_LINE, desk.marks, desk.home).run(
        ErasureRequest.for_ids([mine])
    )
    assert "4711" in ann.read()
    Eraser(desk.store, "ann", COMMAND_LINE, ann.marks, desk.home).run(
        ErasureRequest.for_ids([hers])
    )
    assert "4711" not in ann.read()


def test_what_agents_are_shown_has_no_marks(desk: Desk) -> None:
    desk.say(PORT)
    desk.night()
    assert "<!--" in desk.read()
    shown = strip_marks(desk.read())
    assert f"- {PORT}\n" in shown
    assert "<!--" not in shown
    assert "memories are shown" not in shown


def stop_before_the_file(desk: Desk) -> None:
    with desk.store.write("default") as tx:
        (draft,) = plan_core(tx, desk.files, now_millis(), TOKENS)
        tx.core.announce_write(draft.file, draft.digest)


def stop_after_the_file(desk: Desk) -> None:
    with desk.store.write("default") as tx:
        (draft,) = plan_core(tx, desk.files, now_millis(), TOKENS)
        tx.core.announce_write(draft.file, draft.digest)
    assert replace_core(desk.files, draft)


def apply_edits(desk: Desk) -> None:
    with desk.store.read("default") as tx:
        edits, _ = read_core_edits(tx, desk.files)
    for edit in edits:
        with desk.store.write("default") as tx:
            apply_edit(tx, desk.hand, edit)


@pytest.mark.parametrize("stop", [stop_before_the_file, stop_after_the_file])
def test_a_night_stopped_while_a_file_is_written_reads_no_edit_twice(
    desk: Desk, stop: Callable[[Desk], None]
) -> None:
    port, gone = desk.say(PORT), desk.say("gone before the next night")
    desk.night()
    desk.edit("8080", "9090")
    desk.edit("## Facts and concepts\n", "## Facts and concepts\n- added by hand\n")
    desk.say("fresh")
    apply_edits(desk)
    stop(desk)
    desk.chat.revise(gone, "archive", None)
    assert desk.night().edits == []
    assert desk.get(port).content == "The API listens on port 9090"
    assert len(desk.get(port).versions) == 2
    assert "gone before" not in desk.read()
    for words in ("9090", "fresh", "added by hand"):
        assert desk.read().count(words) == 1
    assert desk.night().written == []


def test_after_a_stop_a_line_that_was_refused_is_still_as_it_was_written(desk: Desk) -> None:
    forget = Eraser(desk.store, "default", COMMAND_LINE, desk.marks, desk.home)
    forget.run(ErasureRequest.for_ids([desk.say(SAFE)]))
    desk.say(PORT)
    desk.night()
    desk.edit(PORT, SAFE)
    desk.say("fresh")
    apply_edits(desk)
    stop_after_the_file(desk)
    assert desk.night().effects == {"refused": 1}
    assert f"- {SAFE} <!-- m:" in desk.read()


def test_after_a_stop_what_chat_has_changed_meanwhile_is_no_edit_by_hand(desk: Desk) -> None:
    port = desk.say(PORT)
    stop_after_the_file(desk)
    desk.chat.revise(port, "correct", "The API listens on port 7070")
    with desk.store.write("default") as tx:
        assert recover_core(tx, desk.files, now_millis()) == ["MEMORY.md"]
        assert recover_core(tx, desk.files, now_millis()) == []
    assert desk.night().edits == []
    assert "7070" in desk.read()
    assert "8080" not in desk.read()


@pytest.mark.parametrize("tokens", [200, 800])
def test_a_file_of_ours_keeps_the_budget_whole(desk: Desk, tokens: int) -> None:
    for n in range(60):
        desk.say(f"第{n}条规则：周五下午三点以后不发布新版本", MemoryType.RULE)
        desk.say(f"service number {n} listens on port {n + 8000}")
    desk.night(tokens)
    text = desk.read()
    assert estimate_tokens(text) <= tokens
    assert estimate_tokens(text) > tokens - 60
    count = text.count("<!-- m:")
    assert f"{count} of 120 memories are shown" in text


def test_a_file_saved_while_it_is_to_be_written_is_not_overwritten(desk: Desk) -> None:
    desk.say(PORT)
    desk.night()
    desk.say("fresh")
    with desk.store.read("default") as tx:
        (draft,) = plan_core(tx, desk.files, now_millis(), TOKENS)
    desk.edit("8080", "9090")
    assert not replace_core(desk.files, draft)
    assert "9090" in desk.read()
    assert desk.night().effects == {"corrected": 1}


def test_the_digest_of_what_was_written_is_kept_and_no_word_of_it(desk: Desk) -> None:
    desk.say(PORT)
    desk.night()
    with desk.store.write("default") as tx:
        state = tx.core.file_state("MEMORY.md")
        (draft,) = plan_core(tx, desk.files, now_millis(), TOKENS)
        note_core_written(tx, draft)
        assert tx.core.file_state("MEMORY.md") == state
    assert state.pending is None
    assert state.digest == hashlib.sha256(desk.read().encode()).digest()


async def test_resources_and_packages_show_ones_own_files_only(home: Path) -> None:
    with closing(open_home(lay_empty_home(home))) as store:
        for tenant in ("default", "ann", "Ann"):
            Desk(store, home, tenant).put("USER.md", f"# USER.md\n\nthis is {tenant}'s\n")
    for tenant in ("default", "ann", "Ann", "carol"):
        settings = Settings(home=home, tenant=tenant, embedder="off")
        async with memoria.open(settings=settings) as opened:
            resource = await core_text(opened, "USER.md")
            package = (await opened.build_context("who am I?")).persona
        for other in ("default", "ann", "Ann"):
            assert (f"this is {other}'s" in resource) is (other == tenant)
            assert (f"this is {other}'s" in package) is (other == tenant)


def test_no_two_tenants_share_a_folder_and_none_leaves_the_home() -> None:
    names = [
        "a",
        "A",
        "ä",
        "陈伟",
        "陈玮",
        "..",
        "../x",
        "a/b",
        "a-b",
        "a b",
        "x" * 200,
        "con",
        ".",
        "用户二七一二九",  # the first 32 bits of these two digests are the same
        "用户二七五四二",
    ]
    folders = [tenant_folder(Path("home"), name) for name in names]
    slugs = [folder.name for folder in folders]
    assert {folder.parent for folder in folders} == {Path("home", "tenants")}
    assert len({one.casefold() for one in slugs}) == len(names)
    assert all(one.isascii() and one.strip("-.") == one and "/" not in one for one in slugs)
    assert all(len(one) < 60 for one in slugs)

"""A repository's history as a source: who did what, why, and in which files."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from tests.connectors.sources.repositories import ADA, BO, ROBOT, Workshop

from memoria.connectors.sources.git import GIT, find_repositories
from memoria.connectors.transcripts import TranscriptSource, TranscriptTurn, UnusableLine
from memoria.errors import InvalidInputError
from memoria.language.reading.commits import read_commit_message
from memoria.model import Role, Turn


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path / "lexer")
    with closing(made.repo):
        yield made


def items(workshop: Workshop) -> list[object]:
    return [*GIT.read(TranscriptSource(workshop.folder, "lexer"))]


def turns(workshop: Workshop) -> list[Turn]:
    return [one.turn for one in items(workshop) if isinstance(one, TranscriptTurn)]


def texts(workshop: Workshop, commit: str) -> list[str]:
    """The contents of turns, with `ID` for the short id of a commit."""
    return [one.content.replace(commit[:7], "ID") for one in turns(workshop)]


def test_a_commit_is_its_authors_words_with_a_line_of_its_files(workshop: Workshop) -> None:
    first = workshop.commit("Begin", {"src/lexer.rs": "1", "old.rs": "1"})
    second = workshop.commit(
        "Read comments within comments\n\nThe old way lost the last line.\n\n"
        "Fixes: #12\nSigned-off-by: Ada <a@b>\nCo-authored-by: Bo <b@c>\n",
        {"src/lexer.rs": "2", "old.rs": None, "说明.md": "新"},
        by=BO,
        zone=480,
    )
    one, other = turns(workshop)
    assert (one.content, one.speaker) == (
        f"Begin\n\nCommit {first[:7]}: old.rs (new), src/lexer.rs (new)",
        "Ada Byron",
    )
    assert other.content.replace(second[:7], "ID") == snapshot(
        """\
Read comments within comments

The old way lost the last line.

Fixes: #12

Commit ID: old.rs (deleted), src/lexer.rs, 说明.md (new)\
"""
    )
    assert (other.role, other.speaker, other.message_id) == (Role.ASSISTANT, "林岚", second)
    assert (other.session_id, other.at, other.utc_offset) == (
        "2026-03 lexer",
        1_772_442_000_000,
        480,
    )


def test_a_commit_belongs_to_the_month_of_its_authors_clock(workshop: Workshop) -> None:
    workshop.at = 1_775_000_000  # 2026-03-31T23:33:20Z
    workshop.commit("In March", zone=0)
    workshop.at = 1_775_000_000
    workshop.commit("In April", zone=120)
    workshop.at = -1_000
    workshop.commit("Before 1970", zone=0)
    assert [(one.session_id, one.content.split("\n")[0]) for one in turns(workshop)] == [
        ("1969-12 lexer", "Before 1970"),
        ("2026-03 lexer", "In March"),
        ("2026-04 lexer", "In April"),
    ]


def test_a_revert_names_what_it_takes_back_and_says_why(workshop: Workshop) -> None:
    bad = workshop.commit("Lex in two threads", {"a": "1"})
    workshop.commit(
        f'Revert "Lex in two threads"\n\nThis reverts commit {bad}.\n\nIt raced on the last token.',
        {"a": "0"},
    )
    workshop.commit("Take back what is not here\n\nThis reverts commit 0123456789.", {"a": "2"})
    assert turns(workshop)[1].content.split("\n\n")[:2] == [
        'Revert "Lex in two threads"',
        "It raced on the last token.",
    ]
    assert f'Reverts {bad[:7]} "Lex in two threads"\n' in turns(workshop)[1].content
    assert "Reverts 0123456, which is not in this history\n" in turns(workshop)[2].content


def test_merges_without_own_words_are_left_out_and_others_kept(workshop: Workshop) -> None:
    root = workshop.commit("Begin", {"a": "1"})
    side = workshop.commit("On the side", {"b": "1"}, parents=[root])
    last = side
    for message in (
        "Merge branch 'side'",
        "Merge branch 'x' into 'main'\n\nSee merge request a/b!7\n",
        "Merge pull request #3 from ada/side\n\nLex faster",
        "Bring the two lexers together",
    ):
        last = workshop.commit(message, parents=[last, root])
    kept = [one.content for one in turns(workshop)]
    assert [text.split("\n")[0] for text in kept] == [
        "Begin",
        "On the side",
        "Merge pull request #3 from ada/side",
        "Bring the two lexers together",
    ]


def test_a_merge_of_a_pull_request_keeps_its_title(workshop: Workshop) -> None:
    root = workshop.commit("Begin", {"a": "1"})
    side = workshop.commit("On the side", {"b": "1"}, parents=[root])
    last = workshop.commit(
        "Merge pull request #3 from ada/side\n\nLex faster", parents=[root, side]
    )
    assert texts(workshop, last)[-1] == (
        "Merge pull request #3 from ada/side\n\nLex faster\n\nCommit ID"
    )


def test_a_robot_is_no_person(workshop: Workshop) -> None:
    workshop.commit("Bump serde from 1 to 2", {"Cargo.lock": "2"}, by=ROBOT)
    (one,) = turns(workshop)
    assert (one.role, one.speaker) == (Role.TOOL, None)
    assert one.content.endswith(" by dependabot[bot]: Cargo.lock (new)")


def test_a_tag_is_a_release_with_its_taggers_words(workshop: Workshop) -> None:
    first = workshop.commit("Begin", {"a": "1"})
    workshop.tag("v1.0.0", first, "The first that reads comments\n")
    workshop.tag("nightly", first)
    _, plain, release = turns(workshop)
    assert (plain.content, plain.speaker) == (f'Tag nightly on {first[:7]} "Begin"', "Ada Byron")
    assert release.content == (
        f'The first that reads comments\n\nTag v1.0.0 on {first[:7]} "Begin"'
    )
    assert (release.speaker, release.message_id) == ("林岚", "tag:v1.0.0")


def test_packed_tags_are_read_as_loose_ones_are(workshop: Workshop) -> None:
    first = workshop.commit("Begin", {"a": "1"})
    packed = f"# pack-refs with: peeled\n{first} refs/tags/v1.0.0\n{first} refs/heads/old\n"
    (workshop.folder / ".git" / "packed-refs").write_text(packed, "ascii")
    workshop.tag("lexer/v1.1.0", first)
    assert [one.message_id for one in turns(workshop)[1:]] == ["tag:lexer/v1.1.0", "tag:v1.0.0"]


def test_records_of_decisions_are_notes_with_their_status_and_commit(workshop: Workshop) -> None:
    record = "# 3. Use a hand-written lexer\n\n## Status\n\nAccepted\n\n## Decision\n\nBy hand.\n"
    workshop.commit("Begin", {"docs/adr/README.md": "# Decisions", "src/a.md": "# no record"})
    wrote = workshop.commit("Decide", {"docs/adr/0003-lexer.md": record}, by=BO)
    workshop.commit("Go on", {"src/a.md": "2"})
    (note,) = [one for one in turns(workshop) if one.session_id == "decisions lexer"]
    assert note.content == (
        f"Decision record docs/adr/0003-lexer.md, status: Accepted, commit {wrote[:7]}\n\n"
        + record.strip()
    )
    assert (note.speaker, note.message_id) == ("林岚", "docs/adr/0003-lexer.md")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("---\nstatus: superseded by 0012\n---\n# A\n", "superseded by 0012"),
        ("# A\n\n* Status: proposed\n* Deciders: Ada\n", "proposed"),
        ("# 决定\n\n## 状态\n\n已接受\n\n## 背景\n", "已接受"),
        ("# A\n\n| Status | accepted |\n", "accepted"),
    ],
)
def test_a_status_is_read_however_a_record_gives_it(
    workshop: Workshop, text: str, status: str
) -> None:
    workshop.commit("Decide", {"doc/adr/a.md": text})
    assert f"doc/adr/a.md, status: {status}, commit" in turns(workshop)[-1].content


def test_a_long_page_of_decisions_is_given_by_its_sections(workshop: Workshop) -> None:
    page = "# Speed\n" + "".join(f"\n## {n}. Why\n\n{'Because. ' * 400}\n" for n in range(3))
    workshop.commit("Decide", {"docs/decisions/speed.md": page})
    found = [one for one in turns(workshop) if one.session_id == "decisions lexer"]
    assert [one.message_id for one in found] == [
        f"docs/decisions/speed.md#Speed / {n}. Why" for n in range(3)
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "CHANGELOG.md",
            "# Changelog\n\n## [Unreleased]\n\n- soon\n\n"
            "## [1.2.0](https://x) - 2026-02-03\n\n### Fixed\n\n- comments\n\n## v1.1.0\n\n- all\n",
        ),
        (
            "HISTORY.rst",
            "1.2.0 (2026-02-03)\n------------------\n\n- comments\n\n1.1.0\n===\n\n- all",
        ),
        (
            "NEWS",
            "* Noteworthy changes in release 1.2.0 (2026-02-03) [stable]\n\n  comments\n\n"
            "* Noteworthy changes in release 1.1.0 (2025-01-01) [stable]\n\n  all\n",
        ),
    ],
)
def test_each_release_of_a_changelog_is_a_note_with_its_day_and_tag(
    workshop: Workshop, name: str, text: str
) -> None:
    tagged = workshop.commit("Release", {name: text})
    workshop.tag("v1.2.0", tagged)
    newer, older = [one for one in turns(workshop) if one.session_id == "changelog lexer"]
    assert newer.content.startswith(f"{name}, tag v1.2.0, commit {tagged[:7]}\n\n")
    assert "comments" in newer.content
    assert "soon" not in newer.content
    assert "all" in older.content
    assert (newer.message_id, older.message_id) == (f"{name}#1.2.0", f"{name}#1.1.0")
    assert newer.at is not None
    assert abs(newer.at - 1_770_076_800_000) <= 86_400_000  # 2026-02-03, wherever this runs


def test_a_message_in_another_encoding_is_read(workshop: Workshop) -> None:
    workshop.commit("Größe".encode("latin-1"), {"a": "1"}, encoding=b"ISO-8859-1")
    workshop.commit("修复词法分析器在嵌套注释里丢失最后一行的问题".encode("gb18030"), {"a": "2"})
    assert [one.content.split("\n")[0] for one in turns(workshop)] == [
        "Größe",
        "修复词法分析器在嵌套注释里丢失最后一行的问题",
    ]


def test_of_many_files_the_first_are_named_and_the_rest_counted(workshop: Workshop) -> None:
    workshop.commit("Begin", {f"f{n:02}": "1" for n in range(45)})
    assert turns(workshop)[0].content.endswith("f19 (new), and 25 more")


def test_what_a_shallow_clone_lacks_is_said(workshop: Workshop) -> None:
    first = workshop.commit("Begin", {"a": "1"})
    workshop.commit("Go on", {"a": "2"})
    workshop.lose(first)
    *said, missing = items(workshop)
    assert [
        one.turn.content.split(":")[0][:5] for one in said if isinstance(one, TranscriptTurn)
    ] == ["Go on"]
    assert isinstance(missing, UnusableLine)
    assert "what came before 2026-03-02 is not here. Run git fetch --unshallow" in missing.problem


def test_a_folder_without_a_repository_is_refused_with_what_to_do(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "gone"):
        with pytest.raises(InvalidInputError, match="Name a folder that is in one"):
            find_repositories([folder])
    empty = Workshop(tmp_path / "new")
    with closing(empty.repo), pytest.raises(InvalidInputError, match="has no commit yet"):
        find_repositories([empty.folder])


def test_a_folder_in_a_repository_stands_for_all_of_it(workshop: Workshop) -> None:
    workshop.commit("Begin", {"a": "1"}, by=ADA)
    inner = workshop.folder / "src"
    inner.mkdir()
    (found,) = find_repositories([inner, workshop.folder])
    assert found.path == workshop.folder.resolve()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Fix it\n\nSigned-off-by: Ada <a@b>", "Fix it"),
        (
            "Fix it\n\nNote: this is prose.\nIt goes on.",
            "Fix it\n\nNote: this is prose.\nIt goes on.",
        ),
        ("Fix it\n\nReviewed-by: A\n  and B\nRefs: #3", "Fix it\n\nRefs: #3"),
        ("Signed-off-by: a subject", "Signed-off-by: a subject"),
        ("Fix it\n\n# Conflicts:\n#\tsrc/a.rs\n", "Fix it"),
        ("Fix it\r\n\r\n\r\n  indented\r\n", "Fix it\n\n  indented"),
        ("Fix\n\n(cherry picked from commit 0123456789)", "Fix"),
        ("", ""),
    ],
)
def test_a_message_keeps_what_its_author_wrote(text: str, words: str) -> None:
    assert read_commit_message(text).words == words

"""What is forgotten is found in files, however it is written there, and nothing else goes."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.erasure.files import TextFileEraser
from memoria.language.reading.phrases import Phrases
from memoria.language.reading.statement import occurs_in

WORDS = st.lists(
    st.sampled_from([*"the door code is 4711 星期四 C++ - ﬁ".split(), '"so"', "“他”", "\n"]),
    max_size=8,
).map(" ".join)


@given(WORDS, WORDS)
def test_sayings_stand_where_statements_stand(statement: str, text: str) -> None:
    assert Phrases([statement]).occur_in(text) == occurs_in(statement, text)


@given(WORDS, WORDS, WORDS)
def test_a_record_goes_whatever_it_escapes(before: str, statement: str, after: str) -> None:
    if not Phrases([statement]).distinctive.statements:
        return
    sayings = Phrases([statement])
    for text in (f"{before} {statement} {after}", statement):
        for plain in (True, False):
            line = json.dumps({"role": "user", "content": text}, ensure_ascii=plain)
            assert sayings.may_occur_in(line) or "\\u" in line


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ('he said "no" to\nthe offer', {"content": 'So he said "no" to\nthe offer, twice.'}),
        ("会议改到星期四下午三点", {"role": "user", "content": "好的，会议改到星期四\n下午三点。"}),
        (r"the path is C:\new\table", {"tool_result": {"said": [r"the path is C:\new\table"]}}),
        ("yes", {"role": "user", "content": "Yes."}),
        ("a\u2028line and another one", {"content": "a\u2028line and another one"}),
    ],
)
@pytest.mark.parametrize("plain", [True, False])
def test_a_statement_is_found_in_json(
    statement: str, line: dict[str, object], plain: bool, tmp_path: Path
) -> None:
    file = tmp_path / "talk.jsonl"
    kept = json.dumps({"role": "user", "content": "Something else."}) + "\n"
    file.write_text(json.dumps(line, ensure_ascii=plain) + "\n" + kept, "utf-8")
    assert TextFileEraser(tmp_path, "default").erase_phrases(Phrases([statement]), {}) == [file]
    assert file.read_text("utf-8") == kept


def test_a_short_word_takes_no_record_along_that_only_names_it(tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text('{"role": "user", "content": "Hello."}\n', "utf-8")
    assert TextFileEraser(tmp_path, "default").erase_phrases(
        Phrases(["user", "content", "hello"]), {}
    ) == [tmp_path / "talk.jsonl"]
    (tmp_path / "talk.jsonl").write_text('{"role": "user", "content": "Hi."}\n', "utf-8")
    assert TextFileEraser(tmp_path, "default").erase_phrases(Phrases(["user", "content"]), {}) == []


def test_a_statement_goes_that_runs_over_lines_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(b"# Mine\r\n\r\n- my door code\r\n  is 4711 today\r\n- the cat is Momo\r\n")
    assert TextFileEraser(tmp_path, "default").erase_phrases(
        Phrases(["My door code is 4711"]), {}
    ) == [file]
    assert file.read_bytes() == b"# Mine\r\n\r\n- the cat is Momo\r\n"


def test_a_mark_hides_no_short_line(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_text("- Momo <!-- m:7f3a91c2 -->\n- Momo is a cat <!-- m:7f3a91c3 -->\n", "utf-8")
    assert TextFileEraser(tmp_path, "default").erase_phrases(Phrases(["momo"]), {}) == [file]
    assert file.read_text("utf-8") == "- Momo is a cat <!-- m:7f3a91c3 -->\n"


def test_backups_and_other_tenants_are_left_alone_and_what_was_put_aside_is_not(
    tmp_path: Path,
) -> None:
    places = ("backups/a.md", "tenants/bob/a.md", "before-restore-1/a.md", "deep/er/a.txt")
    for place in places:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("my door code is 4711\n", "utf-8")
    erased = TextFileEraser(tmp_path, "default").erase_phrases(
        Phrases(["my door code is 4711"]), {}
    )
    assert erased == [tmp_path / "before-restore-1/a.md", tmp_path / "deep/er/a.txt"]


def test_a_second_look_is_for_what_has_changed_alone(tmp_path: Path) -> None:
    papers, sayings = TextFileEraser(tmp_path, "default"), Phrases(["my door code is 4711"])
    old, new = tmp_path / "old.md", tmp_path / "new.md"
    old.write_text("nothing\n", "utf-8")
    assert papers.erase_phrases(sayings, {}) == []
    new.write_text("my door code is 4711\n", "utf-8")
    assert papers.erase_phrases(sayings, {}) == [new]


def test_what_was_half_written_goes(tmp_path: Path) -> None:
    draft = tmp_path / ".talk.jsonl.0123456789abcdef"
    draft.write_text('{"content": "my door code is 4711"}\n{"cont', "utf-8")
    assert TextFileEraser(tmp_path, "default").erase_phrases(
        Phrases(["my door code is 4711"]), {}
    ) == [draft]
    assert not draft.exists()

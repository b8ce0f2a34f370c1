"""What is not in UTF-8 is read as what it is, and the summary says as what."""

import json
import random
from pathlib import Path

import pytest
from tests.connectors.sources.samples.base import dump
from tests.connectors.sources.samples.chats import claude_conversations
from tests.surface.shell import Shell

from memoria.connectors.transcripts.encoding import UnknownEncodingError, decode_text

CHINESE = "车床在二楼。\n合同放在书房的保险柜里。\n猫叫团团。\n"
TEXTS = {
    "GB18030": ("gb18030", CHINESE, "保险柜"),
    "UTF-16": ("utf-16", CHINESE, "保险柜"),
    "Big5": ("big5", "今天下雨，記得帶傘。\n鑰匙在抽屜裡。\n", "鑰匙"),
    "Shift-JIS": ("cp932", "鍵は引き出しの中にあります。\n猫の名前はタマです。\n", "タマ"),
    "EUC-KR": ("cp949", "안녕하세요, 오늘은 비가 옵니다. 열쇠는 서랍 안에 있습니다.\n", "열쇠"),
    "Windows-1252": ("cp1252", "El año pasado fui a Málaga — “increíble”.\n", "Málaga"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_notes_lines_and_documents_are_read_in_other_encodings_and_that_is_said(
    shell: Shell, tmp_path: Path, name: str
) -> None:
    codec, text, word = TEXTS[name]
    conversations = json.loads(dump(claude_conversations()[:1]))
    conversations[0]["chat_messages"][1]["content"][0]["text"] = text
    files = {
        "note.txt": text,
        "note.md": f"# Beet\r\n\r\n{text}",
        "turns.jsonl": dump({"role": "user", "content": text}) + "\r\n",
        "conversations.json": dump(conversations),
    }
    for file, content in files.items():
        path = tmp_path / file
        path.write_bytes(content.encode(codec))
        report = shell.json("import", path)
        assert report["encodings"] == [{"file": str(path), "encoding": name}]
        assert report["bad"] == 0
        shell("import", path, COLUMNS="300")
    hits = shell.json("traces", word)["hits"]
    assert sum(word in hit["text"] for hit in hits) == len(files)
    said = shell("import", tmp_path, "--no-wait").out
    assert f" read as {name}: " in " ".join(said.split())


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-8-sig"])
def test_a_mark_of_byte_order_is_neither_needed_nor_in_the_way(codec: str) -> None:
    assert decode_text(CHINESE.encode(codec))[0] == CHINESE


def test_three_short_chinese_lines_are_enough_to_tell_gbk() -> None:
    words = (
        "车床 二楼 合同 书房 保险柜 团团 爸爸 周三 杭州 下雨 带伞 钥匙 抽屉 妈妈 生日 蛋糕".split()
    )
    chance = random.Random(3)  # noqa: S311  (the same in every run)
    for _ in range(300):
        text = "\n".join("".join(chance.sample(words, 2)) for _ in range(3))
        assert decode_text(text.encode("gbk")) == (text, "GB18030")


def test_a_line_in_another_encoding_among_lines_in_utf_8_is_read(
    shell: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "turns.jsonl"
    lines = [dump({"role": "user", "content": words}) for words in ("钥匙在抽屉里", "车床在二楼")]
    path.write_bytes(lines[0].encode() + b"\n" + lines[1].encode("gbk") + b"\n")
    report = shell.json("import", path)
    assert (report["recorded"], report["bad"], report["recoded"]) == (2, 0, 1)
    assert "车床在二楼" in shell("traces", "车床").out


def test_damaged_utf_8_and_scripts_that_are_not_known_are_refused_and_never_guessed() -> None:
    for data in (
        "钥匙在抽屉里".encode()[:-1] + b".",
        CHINESE.encode().replace("书".encode(), b"\xff"),
        "Привет, как дела?".encode("cp1251"),
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\xf4\x08\x06",
    ):
        with pytest.raises(UnknownEncodingError):
            decode_text(data)


@pytest.mark.parametrize("codec", ["utf-8", "gb18030", "cp1252"])
def test_a_text_that_holds_a_nul_is_still_refused_as_binary(
    shell: Shell, tmp_path: Path, codec: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Bücher 车床".encode(codec, "ignore") + b"\x00 leeks and more leeks")
    report = shell.json("import", path, "--format", "notes", code=3)
    assert (report["recorded"], report["bad"]) == (0, 1)

"""Data that no documentation describes: odd values and parts, damaged files, other encodings."""

import json
import random
import sqlite3
import zipfile
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.connectors.sources.samples import SAMPLES
from tests.connectors.sources.samples.base import Sample, dump
from tests.connectors.sources.samples.chats import claude_conversations, write_chatgpt
from tests.surface.shell import Shell

from memoria import Memoria
from memoria.admin.importer import Importer
from memoria.app import project_of
from memoria.connectors.sources.detect import SOURCES, count_items, find_files
from memoria.connectors.sources.interface import read_file
from memoria.connectors.transcripts import TranscriptSource, TranscriptTurn
from memoria.connectors.transcripts.base import FoldersLeftOut
from memoria.connectors.transcripts.encoding import UnknownEncodingError, decode_text
from memoria.model import Turn
from memoria.model.provenance import transcript_channel
from memoria.model.turn import content_text

BY_PATH = partial(project_of, "")
"""Of no home, which knows of no project that was moved."""
ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    0.5,
    "",
    "odd",
    [],
    [None],
    {},
    {"odd": [1]},
    "\ud800",
)
TIMES = 10


def spoil(value: Any, chance: random.Random) -> Any:  # noqa: ANN401  (any JSON)
    """The value with one of its parts exchanged for another type's."""
    if not isinstance(value, dict | list) or not value or chance.random() < 0.15:
        return chance.choice(ODD)
    key: Any = (
        chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
    )
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[key] = spoil(value[key], chance)
    return copy


def spoil_text(text: str, chance: random.Random) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        return json.dumps(spoil(json.loads(text), chance))
    except ValueError:
        place = chance.randrange(len(lines))
        try:
            lines[place] = json.dumps(spoil(json.loads(lines[place]), chance))
        except ValueError:
            lines[place] = chance.choice(("", "---", "- [x]", "```", "# ", "[[", "\0"))
        return "\n".join(lines)


def spoil_database(path: Path, chance: random.Random) -> None:
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        table = chance.choice(names)[0]
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        column = chance.choice(columns)
        query = f"SELECT rowid, {column} FROM {table}"  # noqa: S608
        for rowid, value in connection.execute(query).fetchall():
            try:
                odd: object = json.dumps(spoil(json.loads(value), chance))
            except (TypeError, ValueError):
                odd = chance.choice((None, -1, 0.5, "odd", b"\xff", "{}"))
            update = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid = ?"  # noqa: S608
            with suppress(sqlite3.IntegrityError):  # a key can't be just anything
                connection.execute(update, (odd, rowid))
        connection.commit()


def spoil_file(path: Path, chance: random.Random) -> None:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name).decode() for name in archive.namelist()}
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                is_json = name.endswith(".json")
                archive.writestr(name, spoil_text(content, chance) if is_json else content)
    elif path.read_bytes().startswith(b"SQLite"):
        spoil_database(path, chance)
    else:
        text = spoil_text(path.read_text("utf-8"), chance)
        path.write_text(text, "utf-8", errors="surrogatepass")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: f"{one.source}-{one.write.__name__}")
async def test_a_field_of_another_type_is_no_crash(
    quiet: Memoria, tmp_path: Path, sample: Sample
) -> None:
    chance = random.Random(sample.write.__name__)  # noqa: S311  (the same in every run)
    source = SOURCES[sample.source]
    memory = quiet.with_channel(transcript_channel(source.client))
    for number in range(TIMES):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        path = sample.write(folder)
        files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        spoil_file(chance.choice(files), chance)
        found = find_files(source, [path])
        (count,) = count_items([found], lambda _f, _d: None)
        importer = Importer(
            memory, source, found.files, lambda _f, _d: None, BY_PATH, workspace="none"
        )
        report = await importer.run()
        assert report.bad >= count.bad


IMAGE = {"type": "image", "source": {"type": "base64", "data": "aGk="}}
PARTS: tuple[Any, ...] = (
    [{"type": "text", "text": "Whet the scythe"}, IMAGE],
    ["Whet the scythe", IMAGE],
    [["Whet the scythe"], [IMAGE]],
    [{"type": "text", "text": ["Whet the scythe"]}, IMAGE],
)


def read(tmp_path: Path, source: str, name: str, content: object) -> list[Turn]:
    path = tmp_path / name
    path.write_text(json.dumps(content), "utf-8")
    items = read_file(TranscriptSource(path, "s"), SOURCES[source].read, FoldersLeftOut())
    return [item.turn for item in items if isinstance(item, TranscriptTurn)]


@pytest.mark.parametrize("parts", PARTS)
def test_words_beside_a_picture_are_read_from_every_client(tmp_path: Path, parts: object) -> None:
    said: list[Turn] = [
        *read(tmp_path, "jsonl", "a.jsonl", {"role": "user", "content": parts}),
        *read(
            tmp_path,
            "claude-code",
            "b.jsonl",
            {"type": "user", "sessionId": "s", "message": {"role": "user", "content": parts}},
        ),
        *read(
            tmp_path,
            "codex",
            "rollout-c.jsonl",
            {
                "type": "response_item",
                "payload": {"type": "message", "role": "user", "content": parts},
            },
        ),
        *read(
            tmp_path,
            "claude-ai",
            "d.json",
            [{"uuid": "c", "chat_messages": [{"sender": "human", "content": parts}]}],
        ),
        *read(
            tmp_path,
            "chatgpt",
            "e.json",
            [
                {
                    "title": "",
                    "mapping": {
                        "a": {"message": {"author": {"role": "user"}, "content": {"parts": parts}}}
                    },
                }
            ],
        ),
        *read(
            tmp_path,
            "goose",
            "f.jsonl",
            {"role": "user", "created": 1_767_225_600, "content": parts},
        ),
        *read(tmp_path, "cursor", "g.jsonl", {"role": "user", "message": {"content": parts}}),
    ]
    assert len(said) == 7
    assert all("Whet the scythe" in turn.content for turn in said)


@pytest.mark.parametrize("result", [*PARTS, {"content": PARTS[0]}])
def test_a_tools_result_in_parts_keeps_its_words(tmp_path: Path, result: object) -> None:
    block = {"type": "tool_result", "tool_use_id": "t", "content": result}
    message = {"role": "user", "content": [block]}
    (turn,) = read(
        tmp_path, "claude-code", "a.jsonl", {"type": "user", "sessionId": "s", "message": message}
    )
    assert "Whet the scythe" in str(turn.tool_result)
    payload = {"type": "function_call_output", "call_id": "t", "output": result}
    (turn,) = read(
        tmp_path, "codex", "rollout-b.jsonl", {"type": "response_item", "payload": payload}
    )
    assert "Whet the scythe" in str(turn.tool_result)


def test_a_content_in_parts_is_its_texts_and_marks_of_the_rest() -> None:
    assert content_text("as it is ") == "as it is "
    assert content_text([{"type": "text", "text": "a"}, IMAGE]) == "a\n\n[image]"
    assert content_text([{"type": "input_image"}, {"type": "image_url"}]) == "[image]\n\n[image]"
    assert content_text([{"type": "thinking", "text": "hm"}, None, 3, {}]) == ""
    deep: object = "bottom"
    for _ in range(500):
        deep = [deep]
    assert content_text(deep) == "[…]"


async def test_a_recorded_turn_of_text_and_picture_keeps_the_text(quiet: Any) -> None:  # noqa: ANN401
    turns = [{"role": "user", "content": [{"type": "text", "text": "Whet the scythe"}, IMAGE]}]
    receipt = await quiet.record_conversation(turns, session_id="s")
    assert receipt.recorded == 1
    (hit,) = (await quiet.search_conversation_traces("scythe")).hits
    assert hit.text == "Whet the scythe\n\n[image]"


@pytest.mark.parametrize("form", ["obsidian", "notes", "basic-memory"])
def test_a_binary_file_is_named_and_makes_no_turn(shell: Shell, tmp_path: Path, form: str) -> None:
    for content in (b"\x01\x02\x03", b"Leeks\x00\x00\x10 in bed 3", b"\xff\xfe\x00\x01\x00\xd8"):
        path = tmp_path / "bin.dat"
        path.write_bytes(content)
        report = shell.json("import", path, "--format", form, code=3)
        (bad,) = report["bad_lines"]
        assert (bad["file"], report["recorded"], report["memories"]) == (str(path), 0, {})
        assert "is no text" in bad["problem"] or "is not UTF-8" in bad["problem"]
    for name in ("bin.md", "bin.txt"):
        (tmp_path / name).write_bytes(b"\x01\x02\x03")
        assert "nothing that could be read" in shell("import", tmp_path / name).err
    note = tmp_path / "log.txt"  # a terminal's colours are no reason to refuse a text
    note.write_text("# Beete 苗圃\n\n\x1b[32mAnna waters the leeks.\x1b[0m\f\n", "utf-8")
    assert shell.json("import", note, "--format", form)["bad"] == 0


@pytest.mark.parametrize("kept", [0.1, 0.9])
def test_a_zip_that_was_cut_off_is_said_to_be_damaged_whether_a_format_is_given_or_not(
    shell: Shell, tmp_path: Path, kept: float
) -> None:
    path = write_chatgpt(tmp_path).rename(tmp_path / "cut.zip")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    alone = shell("import", path)
    assert (alone.code, alone.out) == (1, "")
    assert "is a damaged zip" in alone.err
    assert "Download it again" in alone.err
    assert "--format" not in alone.err
    for form in ("chatgpt", "claude-ai"):
        forced = shell("import", path, "--format", form)
        assert forced.code == 3
        assert "is a damaged zip" in forced.out
        assert "Download it again" in forced.out
        assert "Next:" not in forced.out
    assert "next" not in shell.json("import", path, "--format", "chatgpt", code=3)
    counted = shell("import", path, "--format", "chatgpt", "--dry-run")
    assert "Import it:" not in counted.out


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

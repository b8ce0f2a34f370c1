"""Files that come with messages are kept once, found by name and text, given back and forgotten."""

import base64
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.admin.exports.homes import carry, opened, settings_of
from tests.databases import change_rows
from tests.empty_home import lay_empty_home
from tests.forgetting.remains import remains
from tests.ingest.files import message, part, pdf, picture

import memoria
from memoria import Memoria
from memoria.app.nightly import run_nightly
from memoria.config import Settings
from memoria.errors import InvalidInputError, NotFoundError
from memoria.model import DAY_MS, TurnRecord, use_clock
from memoria.model.attachment import AttachmentRecord, read_attachments

NOON = 1_795_176_000_000
LEASE = "# 合同\n\n租金每月四千元，钥匙在门房。\n"


@pytest.fixture
async def m(home: Path) -> AsyncIterator[Memoria]:
    lay_empty_home(home)
    async with memoria.open(settings=Settings(home=home, embedder="off")) as memory:
        yield memory


async def send(m: Memoria, *parts: dict[str, Any], own_id: str = "m1") -> TurnRecord:
    """Record a message with files, and return its turn."""
    receipt = await m.record_conversation([message("See here", *parts, own_id=own_id)])
    return await m.get_turn(receipt.turns[0].id or "")


async def only(m: Memoria, *parts: dict[str, Any]) -> AttachmentRecord:
    (attached,) = (await send(m, *parts)).attachments
    return attached


def count_chunks(home: Path) -> int:
    with change_rows(home) as connection:
        return int(connection.tuples("SELECT count(*) FROM raw_chunks")[0][0])


async def test_a_picture_is_given_back_to_the_byte_and_the_message_stays_as_it_was(
    m: Memoria,
) -> None:
    sent = await send(m, part(picture(), media_type="image/jpeg"))
    assert sent.turn.content == "See here\n\n[image]"
    (told,) = sent.attachments
    assert (told.media_type, told.size, told.not_kept) == ("image/png", len(picture()), None)
    assert (await m.get_attachment(told.id)).content == picture()
    assert (await m.get_attachment(sent.turn.id)).content == picture()
    assert (await m.get_turn(told.id)).attachments == (told,)


async def test_a_message_captured_again_brings_no_file_twice(m: Memoria, home: Path) -> None:
    files = (part(picture(1)), part(picture(2)), part(LEASE.encode(), "合同.md", "text/markdown"))
    first = await send(m, *files)
    chunks = count_chunks(home)
    again = await send(m, *files)
    assert again.attachments == first.attachments
    assert len({one.id for one in again.attachments}) == 3
    assert count_chunks(home) == chunks


async def test_a_conversation_without_ids_sent_whole_each_time_is_recorded_once(m: Memoria) -> None:
    turns = [{**message("One", part(picture())), "message_id": None}, *_plain("Two", "Three")]
    await m.record_conversation(turns[:2], session_id="s")
    receipt = await m.record_conversation(turns, session_id="s")
    assert [one.status for one in receipt.turns] == [*["already_recorded"] * 2, "recorded"]
    assert (await m.get_session("s")).total == 4


def _plain(*texts: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text, "session_id": "s"} for text in texts]


async def test_the_same_bytes_lie_there_once_and_go_with_the_last_message(
    m: Memoria, home: Path
) -> None:
    first = await send(m, part(picture(), "a.png"))
    second = await send(m, part(picture(), "b.png"), own_id="m2")
    with change_rows(home) as connection:
        query = "SELECT count(*) FROM raw_chunks WHERE hash IN (SELECT file_hash FROM turns)"
        assert connection.tuples(query)[0][0] == 1
    await m.forget_memory([first.turn.id], include_source=True)
    assert (await m.get_attachment(second.turn.id)).content == picture()
    await m.forget_memory([second.turn.id], include_source=True)
    with change_rows(home) as connection:
        assert connection.tuples("SELECT data FROM raw_chunks") == []


@pytest.mark.parametrize("asked", ["租金", "合同-2026", "门房的钥匙"])
async def test_a_search_of_the_record_finds_a_file_by_its_name_and_its_text(
    m: Memoria, asked: str
) -> None:
    attached = await only(m, part(LEASE.encode(), "合同-2026.md", "text/markdown"))
    hits = (await m.search_conversation_traces(asked)).hits
    (found,) = [hit for hit in hits if hit.id == attached.id]
    assert found.tool is not None
    assert "合同-2026.md" in str(found.tool.args)


async def test_the_words_of_a_pdf_are_found_and_it_is_given_back_whole(m: Memoria) -> None:
    data = pdf("The roof was mended by Halvorsen in May")
    attached = await only(m, part(data, "invoice.pdf", "application/pdf"))
    hits = (await m.search_conversation_traces("Who mended the roof?")).hits
    assert attached.id in {hit.id for hit in hits}
    assert (await m.get_attachment(attached.id)).content == data


async def test_a_pdf_that_can_not_be_read_is_kept_as_it_is(m: Memoria) -> None:
    attached = await only(m, part(b"%PDF-1.7\n torn", "torn.pdf", "application/pdf"))
    assert (await m.get_attachment(attached.id)).content == b"%PDF-1.7\n torn"


async def test_a_secret_in_a_file_is_kept_nowhere(m: Memoria, home: Path) -> None:
    secret = "ghp_" + "a8Kd02lZmQ" * 3 + "x1Y2z3"
    text = await only(m, part(f"token: {secret}\n".encode(), "n.txt", "text/plain"))
    assert (await m.get_attachment(text.id)).content.startswith(b"token: [redacted:")
    data = pdf(f"The key is {secret}")
    sent = await send(m, part(data, "key.pdf", "application/pdf"), own_id="m2")
    assert sent.attachments[0].not_kept == "it holds a secret"
    with pytest.raises(NotFoundError, match="it holds a secret"):
        await m.get_attachment(sent.turn.id)
    assert remains(home, secret) == set()


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"file_data": "%%% no base64", "filename": "b.pdf"}, "its base64 can't be read"),
        ({"file_data": "data:;base64,", "filename": "b.pdf"}, None),
        ({"file_data": base64.b64encode(bytes(2_000)).decode()}, "it is larger than 1,000 bytes"),
    ],
    ids=["broken", "without bytes", "too large"],
)
async def test_a_file_that_can_not_be_kept_leaves_the_message_and_says_why(
    home: Path, sent: dict[str, Any], told: str | None
) -> None:
    settings = Settings(home=home, embedder="off", attachment_mb=0.001)
    async with memoria.open(settings=settings) as m:
        record = await send(m, {"type": "input_file", **sent})
        assert record.turn.content == "See here\n\n[file]"
        assert [one.not_kept for one in record.attachments] == ([told] if told else [])


async def test_no_file_is_kept_where_none_is_wanted(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off", attachment_mb=0)) as m:
        assert (await send(m, part(picture()))).attachments == ()
        assert (await m.get_session("s")).total == 1


async def test_of_several_files_one_is_to_be_named(m: Memoria) -> None:
    sent = await send(m, part(picture(1)), part(picture(2)))
    with pytest.raises(InvalidInputError, match=sent.attachments[1].id):
        await m.get_attachment(sent.turn.id)


@pytest.mark.parametrize("words", [LEASE, None], ids=["text", "picture"])
async def test_what_is_forgotten_with_its_message_leaves_no_byte_and_does_not_come_back(
    m: Memoria, home: Path, engine: str, words: str | None
) -> None:
    data = picture(7) if words is None else words.encode()
    sent = part(data, "zanzibar.png" if words is None else "zanzibar.md", "text/plain")
    record = await send(m, sent)
    assert remains(home, "zanzibar")
    forgotten = await m.forget_memory([record.turn.id], include_source=True)
    assert forgotten.scrubbed is (engine == "sqlite")
    assert remains(home, "zanzibar", data) == set()
    assert remains(home, "四千元") == set()
    receipt = await m.record_conversation([message("See here", sent)])
    assert receipt.turns[0].status == "forgotten"
    assert remains(home, "zanzibar", data) == set()


async def test_a_file_that_is_forgotten_by_itself_leaves_its_message(m: Memoria) -> None:
    sent = part(picture())
    record = await send(m, sent)
    await m.forget_memory([record.attachments[0].id], include_source=True)
    left = await send(m, sent)
    assert (left.turn.id, left.attachments) == (record.turn.id, ())


async def test_a_message_whose_file_is_to_be_kept_is_not_forgotten(m: Memoria) -> None:
    record = await send(m, part(picture()))
    with pytest.raises(InvalidInputError, match="goes with it"):
        await m.forget_memory(
            [record.turn.id], include_source=True, keep=[record.attachments[0].id]
        )


async def test_a_forget_that_is_taken_back_brings_the_file_back(home: Path) -> None:
    settings = Settings(home=home, embedder="off", forget_grace_days=7)
    async with memoria.open(settings=settings) as m:
        record = await send(m, part(picture(), "a.png"), part(LEASE.encode(), "b.md", "text/plain"))
        hidden = await m.forget_memory([record.turn.id], include_source=True)
        with pytest.raises(NotFoundError):
            await m.get_attachment(record.attachments[0].id)
        assert hidden.report is not None
        await m.undo_forget(hidden.report.id)
        assert (await m.get_turn(record.turn.id)).attachments == record.attachments
        assert (await m.get_attachment(record.attachments[0].id)).content == picture()


async def test_an_export_carries_files_and_an_import_adds_none_twice(tmp_path: Path) -> None:
    here, there, file = tmp_path / "here", tmp_path / "there", tmp_path / "export.jsonl"
    async with opened(here) as m:
        record = await send(m, part(picture(), "a.png"), part(LEASE.encode(), "b.md", "text/plain"))
    async with opened(there) as m:  # which has the message already, at another place
        await m.record_conversation(_plain("Before"))
        known = await send(m, part(picture(), "a.png"))
    for _ in range(2):
        carry(here, there, file)
    async with opened(there) as m:
        came = await m.get_turn(known.turn.id)
        assert {one.name for one in came.attachments} == {one.name for one in record.attachments}
        assert len(came.attachments) == 2
        files = [await m.get_attachment(one.id) for one in came.attachments]
        assert {one.content for one in files} == {picture(), LEASE.encode()}


async def test_a_file_whose_time_is_over_goes_in_the_night_and_its_name_stays(home: Path) -> None:
    settings = Settings(home=home, embedder="off", attachment_days=30)
    sent = part(LEASE.encode(), "合同.md", "text/markdown")
    with use_clock(lambda: NOON):
        async with memoria.open(settings=settings) as m:
            record = await send(m, sent, part(picture(3)))
            await m.record_conversation([], "session_end", session_id="s")
    for days, kept in ((29, True), (31, False)):
        with use_clock(partial(int, NOON + days * DAY_MS)):
            run_nightly(settings, ["history", "daily", "delete_expired"])
        assert bool(remains(home, "四千元")) is kept
        assert bool(remains(home, "no such text", picture(3))) is kept
    async with memoria.open(settings=settings) as m:
        left = await send(m, sent, part(picture(3)))
        assert [one.id for one in left.attachments] == [one.id for one in record.attachments]
        assert {one.not_kept for one in left.attachments} == {"its time is over"}
        assert (await m.search_conversation_traces("合同")).hits
    assert remains(home, "四千元", picture(3)) == set()


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"type": "image_url", "image_url": {"url": "data:image/gif;base64,aGk="}}, "image/gif"),
        ({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}, None),
        ({"type": "input_image", "image_url": "data:image/png;base64,aGk="}, "image/png"),
        ({"type": "file", "file": {"filename": "a.pdf", "file_data": "aGk="}}, ""),
        ({"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}}, ""),
        ({"type": "image", "data": "aGk=", "mimeType": "image/png"}, "image/png"),
        ({"type": "resource", "resource": {"uri": "file:///a/b.bin", "blob": "aGk="}}, ""),
        ({"inlineData": {"mimeType": "image/webp", "data": "aGk="}}, "image/webp"),
        ({"type": "tool_result", "content": [part(picture())]}, None),
        ({"type": "text", "text": "data:image/png;base64,aGk="}, None),
        ({"type": "reasoning", "data": "aGk="}, None),
    ],
)
def test_a_file_is_read_in_the_forms_of_all_interfaces_and_nothing_is_fetched(
    sent: dict[str, Any], expected: str | None
) -> None:
    found = read_attachments([{"type": "text", "text": "See"}, [sent]])
    assert [one.media_type or "" for one in found] == ([] if expected is None else [expected])


async def test_files_of_another_home_are_refused_with_the_message_they_came_with(
    tmp_path: Path,
) -> None:
    here, there, file = tmp_path / "here", tmp_path / "there", tmp_path / "export.jsonl"
    async with opened(here) as m:
        record = await send(m, part(picture(9), "zanzibar.png"))
    carry(here, there, file)
    async with opened(there) as m:
        await m.forget_memory([record.turn.id], include_source=True)
    carry(here, there, file)
    assert remains(there, "zanzibar", picture(9)) == set()
    assert settings_of(there).attachment_bytes == 10_000_000


async def test_a_file_of_a_message_that_is_not_to_be_kept_is_in_no_answer(m: Memoria) -> None:
    sent = part(LEASE.encode(), "合同.md", "text/markdown")
    turns = [message("Don't remember this conversation.", sent), *_plain("It rains", "It snows")]
    receipt = await m.record_conversation(turns, session_id="s")
    assert "合同" not in repr((await m.search_conversation_traces("合同")).hits)
    with pytest.raises(NotFoundError):
        await m.get_attachment(receipt.turns[0].id or "")


async def test_a_file_comes_between_no_two_messages_of_a_call(m: Memoria) -> None:
    turns = [message("Look", part(picture())), *_plain("It is the left one")]
    receipt = await m.record_conversation(turns, session_id="s")
    record = await m.get_turn(receipt.turns[1].id or "")
    assert [one.id for one in record.before] == [receipt.turns[0].id]

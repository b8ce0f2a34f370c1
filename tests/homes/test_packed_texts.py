"""Texts that a version before packed together in blocks are read to the byte by this one."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.homes.test_homes import expected, look, unpacked

import memoria
from memoria.inference.embedder import BundledEmbedder
from memoria.store.rows.texts import pack, unpack

pytestmark = pytest.mark.sqlite("a home of an earlier version")


def _pack_all(home: Path) -> None:
    """Put every text of the home into one block, as its version did with those of a month ago."""
    with closing(sqlite3.connect(home / "memoria.db")) as connection, connection:
        rows = connection.execute("SELECT tenant_id, hash, codec, data FROM raw_chunks").fetchall()
        block = b""
        for tenant, key, codec, data in rows:
            text = unpack(codec, data)
            assert hashlib.sha256(text).digest() == key
            connection.execute(
                "INSERT INTO packed_texts VALUES (?, ?, 1, ?, ?)",
                (tenant, key, len(block), len(text)),
            )
            block += text
        connection.execute(
            "INSERT INTO text_blocks VALUES (1, 1, ?, ?)", (len(rows), pack(block)[1])
        )
        connection.execute("DELETE FROM raw_chunks")
        connection.execute("UPDATE sessions SET tier = 2")


async def test_a_home_whose_texts_were_packed_says_all_that_was_said(
    tmp_path: Path, embedder: BundledEmbedder
) -> None:
    home = unpacked("22", tmp_path)
    _pack_all(home)
    await look(home, expected("22"), embedder)


@pytest.mark.parametrize("harm", ["data = x'00112233'", "data = zeroblob(0)"])
async def test_a_home_with_a_damaged_block_opens_and_doctor_names_the_texts(
    tmp_path: Path, harm: str
) -> None:
    home = unpacked("22", tmp_path)
    _pack_all(home)
    with closing(sqlite3.connect(home / "memoria.db")) as connection, connection:
        connection.execute(f"UPDATE text_blocks SET {harm}")  # noqa: S608  (of this file)
    async with memoria.open(home=home, tenant="default", embedder=None) as m:
        findings = (await m.health(deep=True)).findings
    (raw,) = [one for one in findings if one.check == "raw text"]
    assert raw.state == "error"
    assert "damaged" in raw.detail

"""Texts that versions up to schema 22 packed together in blocks: taken apart by a migration.

It belongs to migration 23, which drops the tables of the blocks.
"""

from memoria.errors import StoreDamagedError
from memoria.store.rows.chunks import pack, unpack
from memoria.store.sql.statements import statements
from memoria.store.sqlite.driver import SqliteConnection

_SQL = statements("packed_texts")


def unpack_texts(connection: SqliteConnection) -> None:
    """Store every text of a block by itself, inside of the migration's transaction.

    The texts of a damaged block are stored as they can be read, which is not what was kept: an
    examination names them then as it names any text that is damaged.
    """
    for block in connection.execute(_SQL["blocks"]):
        texts = _open_block(block["data"])
        for place in connection.execute(_SQL["places"], {"n": block["n"]}).fetchall():
            codec, data = pack(texts[place["start"] : place["start"] + place["size"]])
            row = {"hash": place["hash"], "codec": codec, "size": place["size"], "data": data}
            connection.execute(_SQL["add"], {"tenant": block["tenant_id"], **row})


def _open_block(data: bytes) -> bytes:
    try:
        return unpack("zstd", data)
    except StoreDamagedError:
        return b""

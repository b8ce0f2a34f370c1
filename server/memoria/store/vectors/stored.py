"""Stored vectors: exact scores of documents, and of the passages of long turns.

However a document was found, the last bit of its score is the same. All passages of a turn are in
one row: a record for each, with its place and its vector in whole numbers from -127 to 127, and the
signs of the vectors, by which the most promising turns are chosen before records are read.
"""

from collections.abc import Callable, Collection, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from memoria.errors import EmbedderError
from memoria.model import PassageVector, Vector
from memoria.store.connection import Connection, Row
from memoria.store.sql.statements import list_numbers
from memoria.store.values import Match, PassageMatch

_FLOAT_BYTES = 4
_GREATEST_HALF = np.finfo(np.float16).max


def score_exactly(
    connection: Connection, model: int, ns: Collection[int], vector: Vector, limit: int
) -> list[Match]:
    """Return the nearest of these documents, best first; of equals, the oldest first."""
    asked = {"model": model, "ns": list_numbers(ns)}
    rows = connection.tuples(connection.statements("vectors")["vectors"], asked)
    return rank_vectors(rows, vector, limit)


def rank_vectors(rows: Sequence[tuple[int, bytes]], vector: Vector, limit: int) -> list[Match]:
    """Return the nearest of (document, vector) rows, best first; of equals, the oldest first."""
    found, vectors = stack_vectors(rows, len(vector))
    scores = np.vecdot(vectors, vector)
    best = np.lexsort((found, -scores))[:limit]
    return list(map(Match, found[best].tolist(), scores[best].tolist()))


def read_vectors(
    connection: Connection, model: int, ns: Collection[int], dims: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the documents that have a vector, and a matrix with a row for each."""
    asked = {"model": model, "ns": list_numbers(ns)}
    return stack_vectors(
        connection.tuples(connection.statements("vectors")["vectors"], asked), dims
    )


def stack_vectors(
    rows: Sequence[tuple[int, bytes]], dims: int
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the documents of (number, vector) rows, and a matrix with a row for each."""
    vectors = np.frombuffer(b"".join(check_vector(n, each, dims) for n, each in rows), np.float32)
    found = np.fromiter((n for n, _ in rows), np.int64, len(rows))
    return found, vectors.reshape(len(rows), dims)


def halve_vector(vector: NDArray[np.float32]) -> bytes:
    """Return a vector in half precision, in the binary form of pgvector's `halfvec`."""
    head = np.array([len(vector), 0], ">i2")
    return head.tobytes() + np.clip(vector, -_GREATEST_HALF, _GREATEST_HALF).astype(">f2").tobytes()


def check_vector(n: int, vector: bytes, dims: int) -> bytes:
    """Return a document's vector once its length is checked.

    Raises:
        EmbedderError: it is not as long as the others.
    """
    if len(vector) != dims * _FLOAT_BYTES:
        raise EmbedderError(f"the stored vector of document {n} is damaged")
    return vector


ReadRows = Callable[[Collection[int]], Sequence[Row]]
"""Reads the rows of some documents, with the columns that are needed."""
_MOST = 127
"""Largest whole number."""
_LEAST = 1e-9
"""Lowest value used for a vector of nothing but zeros."""
_PROMISING = 24
"""Turns whose records are read: signs order passages by cosine but for some hundredths."""


def pack_passages(passages: Sequence[PassageVector], dims: int) -> tuple[bytes, bytes]:
    """Return the signs and the records of a turn's passages, packed.

    Raises:
        EmbedderError: a vector is not as long as the model's.
    """
    if any(len(passage.vector) != dims for passage in passages):
        raise EmbedderError(f"a passage's vector has not the {dims} numbers of its turn's")
    records = np.zeros(len(passages), _record(dims))
    for record, passage in zip(records, passages, strict=True):
        unit = max(float(np.abs(passage.vector).max()), _LEAST) / _MOST
        record["start"], record["end"], record["unit"] = passage.start, passage.end, unit
        record["vector"] = np.rint(passage.vector / unit)
    vectors = np.stack([passage.vector for passage in passages])
    return np.packbits(vectors > 0, axis=1).tobytes(), records.tobytes()


def nearest_passages(
    vector: Vector, read_signs: ReadRows, read_records: ReadRows, ns: Collection[int]
) -> list[PassageMatch]:
    """Return the nearest passage of each of the most promising turns.

    Args:
        vector: the vector to compare with.
        read_signs: reads signs.
        read_records: reads records.
        ns: the turns.

    Raises:
        EmbedderError: stored passages are damaged.
    """
    promising = _select_promising(read_signs(ns), vector)
    return _compare_records(read_records(promising), vector) if promising else []


def _select_promising(rows: Sequence[Row], vector: Vector) -> list[int]:
    """Select the turns whose passages have signs most like those of a vector."""
    if len(rows) <= _PROMISING:
        return [row["n"] for row in rows]
    asked = np.packbits(vector > 0)
    signs, ends = _join_rows(rows, "signs", np.dtype([("bits", "u1", (len(asked),))]))
    differing = np.bitwise_count(signs["bits"] ^ asked).sum(axis=1, dtype=np.int32)
    starts = [0, *ends[:-1]]
    nearest = np.minimum.reduceat(differing, starts)
    order = np.argsort(nearest, kind="stable")[:_PROMISING]
    return [rows[int(i)]["n"] for i in order]


def _compare_records(rows: Sequence[Row], vector: Vector) -> list[PassageMatch]:
    records, ends = _join_rows(rows, "records", _record(len(vector)))
    scores = np.vecdot(records["vector"].astype(np.float32), vector) * records["unit"]
    best = [
        start + int(scores[start:end].argmax())
        for start, end in zip([0, *ends], ends, strict=False)
    ]
    return [
        PassageMatch(row["n"], int(one["start"]), int(one["end"]), float(score))
        for row, one, score in zip(rows, records[best], scores[best], strict=True)
    ]


def _join_rows(
    rows: Sequence[Row], column: str, each: np.dtype[np.void]
) -> tuple[NDArray[np.void], list[int]]:
    """Return a column of all rows, joined, and the end of each row's part."""
    for row in rows:
        if not row[column] or len(row[column]) % each.itemsize:
            raise EmbedderError(f"the stored passages of document {row['n']} are damaged")
    ends = list(accumulate(len(row[column]) // each.itemsize for row in rows))
    return np.frombuffer(b"".join(row[column] for row in rows), each), ends


def _record(dims: int) -> np.dtype[np.void]:
    return np.dtype([("start", "<u4"), ("end", "<u4"), ("unit", "<f4"), ("vector", "i1", (dims,))])

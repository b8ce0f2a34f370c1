"""Labelled sentences of real users in English and Chinese, to train the classifier.

The labels beside this file only refer to a public data set (MemoryBank, MIT licence); its text
stays outside the repository. Where the set is absent, there are no sentences.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.data import data_folder

_FOLDER = Path("memorybank")
_FILES = {"english": "memory_bank_en.json", "chinese": "memory_bank_cn.json"}
_BREAK = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
LABELS = Path(__file__).with_name("memorybank_labels.tsv")
"""Rows of a label and the digest of the sentence it belongs to."""


def labelled_sentences(language: str) -> Iterator[tuple[str, str]]:
    """Each (label, sentence) of a language; nothing without the data."""
    label_of = {digest: label for label, digest in _rows()}
    for sentence in dict.fromkeys(_sentences(language)):
        if label := label_of.get(digest_sentence(sentence)):
            yield label, sentence


def digest_sentence(sentence: str) -> str:
    """What stands for a sentence in the file of labels."""
    return hashlib.sha256(sentence.encode()).hexdigest()[:12]


def _rows() -> Iterator[tuple[str, str]]:
    for row in LABELS.read_text("utf-8").splitlines():
        label, digest = row.split("\t")
        yield label, digest


def _sentences(language: str) -> Iterator[str]:
    folder = data_folder()
    file = None if folder is None else folder / _FOLDER / _FILES[language]
    if file is None or not file.is_file():
        print(f"no {_FILES[language]} in the data folder: train with it", file=sys.stderr)
        return
    for user in json.loads(file.read_text("utf-8")).values():
        for day in user["history"].values():
            for turn in day:
                yield from (piece.strip() for piece in _BREAK.split(turn["query"]))

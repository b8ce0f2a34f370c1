"""What lifts a word: something was said or written since that may have mended the cause."""

import re
from collections.abc import Iterable

_CHANGED = re.compile(
    r"\b(?:now|again|any ?more|no longer|done|works?|fine|free|up|back|gone|set|ha(?:ve|s)|without"
    r"|\w{3,}ed)\b|刚|已|现在|不再|再试|不用|不需要|[修装改关换配][好掉到成]?了",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[。!！?？\n])|(?<=[.;])(?=\s|$)")
_NAME = re.compile(r"[A-Za-z_$][\w./@-]*\w|\d{2,}", re.ASCII)
_TELLING = re.compile(r"[\d_/.@-]|[a-z][A-Z]|^[A-Z]{3,}$")

_QUOTED = re.compile(r"[`'\"“]([A-Za-z][\w./@-]*)[`'\"”]", re.ASCII)


def list_changed(said: str, written: str) -> frozenset[str]:
    """List the names in sentences that say that something has changed, and in what was written."""
    sentences = [one for one in _SENTENCE.split(said) if _CHANGED.search(one)] if said else []
    return frozenset(name for one in (*sentences, written) for name in _NAME.findall(one))


def list_telling(texts: Iterable[str]) -> set[str]:
    """List the names in texts that are no plain words: variables, files, versions, ports."""
    return {name for one in texts for name in _NAME.findall(one) if _TELLING.search(name)}


def list_quoted(text: str) -> set[str]:
    """List the names that stand in quotation marks, as errors name what is missing."""
    return {*_QUOTED.findall(text)}


def list_names(words: Iterable[str]) -> frozenset[str]:
    """List the names in words, each also without the folder before it."""
    found = [name for one in words for name in _NAME.findall(one)]
    return frozenset(part for one in found for part in (one, one.rpartition("/")[2]))


def names_any(text: str, names: Iterable[str]) -> bool:
    """Check whether a text names one of some names."""
    return any(
        one in text and re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", text) for one in names
    )

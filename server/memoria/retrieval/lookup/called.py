"""Calls that a file, an error or a command means: turns of the record, each with how well it fits.

A file is followed through its renames. A command may be asked for shorter than it was given. An
error is recognised by its stable part, whatever line, path or address was pasted with it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.calls.command import read_command
from memoria.language.calls.error import error_keys
from memoria.language.calls.files import base_name, is_same_path, strip_place
from memoria.language.calls.outcome import Outcome
from memoria.retrieval.query.plan import AskedCalls
from memoria.store.rows.tool_calls import CallRow
from memoria.store.rows.transaction import Transaction

_MOST_ROWS = 400
_MOST_KEYS = 5_000
_MOST_NAMES = 8
"""Most names of one file."""
_ALIKE = 0.6
"""Least share of an error's words that another error has, too."""
_LEAST_WORDS = 3
_LONG = 8
"""Words of an error from which it may have been cut or gone on otherwise."""
_RUN = 4
"""Words in a row that two errors have to share then."""
_NAMING = 7
"""Length of a word that names an error by itself, such as EADDRINUSE."""
_WORD = lazy_regex(r"[^\W_][\w.:/@-]*[^\W_]|[^\W_]")
_CJK = lazy_regex(r"[\u4e00-\u9fff]")


class Called(NamedTuple):
    """Calls that were found for a question."""

    fits: dict[int, float]
    """How well each turn fits, 0 to 1, by its number."""
    failed: list[int]
    """Those of them that failed, the newest first."""
    names: tuple[str, ...]
    """Names under which the file was known, that asked for first."""


def find_called(tx: Transaction, asked: AskedCalls) -> Called:
    """Find the calls that a question means; of several arguments those that fit all, if any do."""
    names = list_names(tx, asked.file) if asked.file else ()
    found = [
        rows
        for rows in (
            _find_files(tx, names) if asked.file else None,
            _find_errors(tx, asked.error) if asked.error else None,
            _find_commands(tx, asked.command) if asked.command else None,
        )
        if rows is not None
    ]
    fits = dict(_join(found))
    failed = {row.turn_n for rows in found for row, _ in rows if row.outcome is Outcome.FAILED}
    return Called(fits, sorted(failed & fits.keys(), reverse=True), names)


_Rated = list[tuple[CallRow, float]]


def _join(found: Sequence[_Rated]) -> Iterator[tuple[int, float]]:
    """Yield turns with how well they fit; where some fit all that is asked for, only those."""
    fits: list[dict[int, float]] = []
    for rows in found:
        best: dict[int, float] = {}
        for row, fit in rows:
            best[row.turn_n] = max(fit, best.get(row.turn_n, 0.0))
        fits.append(best)
    if not fits:
        return
    every = set.intersection(*map(set, fits)) or set.union(*map(set, fits))
    for n in every:
        yield n, max(one.get(n, 0.0) for one in fits)


def list_names(tx: Transaction, path: str) -> tuple[str, ...]:
    """List the names that a file has had, through its renames, that asked for first."""
    names = [strip_place(path)]
    for name in names:  # which grows
        for row in tx.tool_calls.list_of_keys("rename", [base_name(name)], _MOST_ROWS):
            old, _, new = row.detail.partition("\n")
            for here, there in ((old, new), (new, old)):
                if is_same_path(here, name) and there not in names and len(names) < _MOST_NAMES:
                    names.append(there)
    return tuple(names)


def _find_files(tx: Transaction, names: Sequence[str]) -> _Rated:
    rows = tx.tool_calls.list_of_keys("file", {*map(base_name, names)}, _MOST_ROWS)
    found = [(row, 1.0) for row in rows if any(is_same_path(row.detail, one) for one in names)]
    folder = names[0].strip("/")
    if "." not in base_name(folder):
        found += [(row, 0.8) for row in tx.tool_calls.list_below(f"{folder}/", _MOST_ROWS)]
    return found


def _find_commands(tx: Transaction, text: str) -> _Rated:
    command = read_command(text)
    if command is None:
        return []
    words = list_words(command.text)
    key = command.key.split(" ")
    keys = {
        known: fit
        for known in tx.tool_calls.list_keys("command", _MOST_KEYS)
        if (fit := _rate_key(key, known.split(" ")))
    }
    rows = tx.tool_calls.list_of_keys("command", keys, _MOST_ROWS)
    rated = [(row, keys[row.key] * _share(words, row.detail)) for row in rows]
    if not rated:
        rows = tx.tool_calls.list_holding(max(words, key=len, default=text), _MOST_ROWS)
        rated = [(row, 0.7 * _share(words, row.detail)) for row in rows]
    return rated


def _rate_key(asked: Sequence[str], known: Sequence[str]) -> float:
    """Return how well a command on record fits one that may be given shorter."""
    if [*asked] == [*known]:
        return 1.0
    if {*asked} <= {*known}:
        return 0.9
    return 0.6 if asked[0] == known[0] and len(known) == 1 else 0.0


def _share(words: Sequence[str], detail: str) -> float:
    """Return how much of what was asked for a command has: half for all but its name."""
    has = list_words(detail)
    return 0.5 + 0.5 * sum(word in has for word in words) / max(len(words), 1)


def _find_errors(tx: Transaction, text: str) -> _Rated:
    asked = [*error_keys(text)] or [text.casefold().strip()]
    known = tx.tool_calls.list_keys("error", _MOST_KEYS)
    rated = {key: max(_rate_error(one, key) for one in asked) for key in known}
    keys = {key: fit for key, fit in rated.items() if fit >= _ALIKE}
    rows = tx.tool_calls.list_of_keys("error", keys, _MOST_ROWS)
    return [(row, keys[row.key]) for row in rows]


def _rate_error(asked: str, known: str) -> float:
    """Return how much of the shorter of two errors the longer has."""
    if asked == known:
        return 1.0
    shorter, longer = sorted((asked, known), key=len)
    if shorter in longer and (len(shorter) >= _NAMING or _CJK.search(shorter)):
        return 0.95
    few, many = sorted((list_words(asked), list_words(known)), key=len)
    if len(many) >= _LONG and _has_run(few, many):
        return 0.8
    if len(few) < _LEAST_WORDS:
        return 0.9 if few and max(map(len, few)) >= _NAMING and {*few} <= {*many} else 0.0
    weights = {word: len(word) for word in few}
    return 0.9 * sum(weights[word] for word in weights if word in many) / sum(weights.values())


def _has_run(words: Sequence[str], others: Sequence[str]) -> bool:
    """Check whether two errors have several words in a row in common."""
    shared = {*words} & {*others}
    if len(shared) < _LEAST_WORDS:
        return False
    runs = {tuple(others[i : i + _RUN]) for i in range(len(others) - _RUN + 1)}
    return any(tuple(words[i : i + _RUN]) in runs for i in range(len(words) - _RUN + 1))


def list_words(text: str) -> list[str]:
    """List the words of a command or an error, in small letters."""
    return [word.casefold() for word in _WORD.findall(text)]


def mentions(text: str, asked: AskedCalls, names: Iterable[str]) -> float:
    """Return how plainly a text speaks of the file, the error or the command, 0 to 1."""
    folded = text.casefold()
    rates = [0.0]
    for name in names:
        if base_name(name) in folded:
            rates.append(1.0)
        elif (stem := base_name(name).rpartition(".")[0]) and len(stem) > _LEAST_WORDS:
            rates.append(0.5 if stem in folded else 0.0)
    if asked.command:
        rates.append(_rate_words(list_words(asked.command), folded))
    if asked.error:
        rates += [_rate_words(list_words(key), folded) for key in error_keys(asked.error)]
    return max(rates)


def _rate_words(words: Sequence[str], folded: str) -> float:
    """Return the share of words that a text has; little where it has less than all but a few."""
    if not words:
        return 0.0
    has = sum(len(word) for word in words if word in folded) / sum(map(len, words))
    return has if has >= _ALIKE else has / 2

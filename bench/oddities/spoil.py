"""Spoil an item: its fields, or the bytes that it is written with. A seed decides how."""

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from bench.oddities.samples import Item, Sample, dump

_ODD: tuple[Any, ...] = (None, True, -1, 0.5, "", "odd", [], [None], {}, {"odd": [1]}, [[["x"]]])
_NUMBERS: tuple[Any, ...] = (
    10**30,
    2**63,
    -(2**63) - 1,
    1e308,
    float("nan"),
    float("inf"),
    -float("inf"),
    0,
)
_DATES: tuple[Any, ...] = (
    "yesterday",
    "2026-13-45T99:99:99Z",
    "0000-00-00",
    "01/02/2026 5:07 PM",
    "2026年1月2日",
    "20260102T030405Z",
    "Thu, 01 Jan 2026 00:00:00 GMT",
    -62_135_596_800_001,
    253_402_300_800_000,
    "9999-12-31T23:59:59+14:00",
    "0001-01-01T00:00:00-14:00",
    1e18,
    {"$date": "2026-01-01"},
    "1767225600",
    "2026-01-01 00:00:00.123456789",
)
_ROLES = ("developer", "function", "USER", "机器人", "critic", "", None, 7, ["user"])
_DEEP = (3, 90, 400, 3_000)
_WORDS = (
    lambda words: f"{words}\ud800",
    lambda words: f"\udfff\x00{words}",
    lambda words: f"{words}\x00",
    lambda words: f"\u202e{words}\ufeff",
    lambda words: [words],
    lambda words: [words, None, 3],
    lambda words: [{"type": "text", "text": words}, {"type": "image", "source": {}}],
    lambda words: {"type": "text", "text": words},
    lambda words: {"parts": [words]},
    lambda words: [{"type": "tool_result", "content": [{"type": "text", "text": words}]}],
    lambda words: words * 2_000,
)

Path = tuple[str | int, ...]


def spoil(sample: Sample, item: Item, number: int, chance: random.Random) -> tuple[str, bytes]:
    """Return what was done to an item, and the item in bytes.

    Args:
        sample: its format.
        item: a sound one.
        number: of the oddity; the ways of spoiling take turns.
        chance: decides the rest.
    """
    of_bytes = [*_ANY_BYTES, *([] if sample.is_document else _LINE_BYTES)]
    turn = number % (len(_FIELDS) + len(of_bytes))
    if turn < len(_FIELDS):
        of_fields = _FIELDS[turn]
        return of_fields.__name__.strip("_"), dump(of_fields(deepcopy(item), chance))
    way = of_bytes[turn - len(_FIELDS)]
    return way.__name__.strip("_"), way(dump(item), chance)


def _list_paths(value: Any, at: Path = ()) -> Iterator[Path]:  # noqa: ANN401  (any JSON)
    if at:
        yield at
    for key in _keys(value):
        yield from _list_paths(value[key], (*at, key))


def _keys(value: Any) -> list[str | int]:  # noqa: ANN401
    if isinstance(value, dict):
        return [*value]
    return [*range(len(value))] if isinstance(value, list) else []


def _parent(item: Any, path: Path) -> Any:  # noqa: ANN401
    for key in path[:-1]:
        item = item[key]
    return item


def _some_path(item: Item, chance: random.Random, of: type[Any] = object) -> Path:
    paths = [one for one in _list_paths(item) if isinstance(_parent(item, one)[one[-1]], of)]
    return chance.choice(paths)


def _put(item: Item, path: Path, value: Any) -> Item:  # noqa: ANN401
    _parent(item, path)[path[-1]] = value
    return item


# Fields


def _drop(item: Item, chance: random.Random) -> Any:  # noqa: ANN401
    path = _some_path(item, chance)
    del _parent(item, path)[path[-1]]
    return item


def _rename(item: Item, chance: random.Random) -> Any:  # noqa: ANN401
    path = chance.choice([one for one in _list_paths(item) if isinstance(one[-1], str)])
    holder = _parent(item, path)
    holder[chance.choice(("", "x", f"{path[-1]}s", str(path[-1]).upper()))] = holder.pop(path[-1])
    return item


def _other_type(item: Item, chance: random.Random) -> Any:  # noqa: ANN401
    return _put(item, _some_path(item, chance), chance.choice(_ODD))


def _number(item: Item, chance: random.Random) -> Any:  # noqa: ANN401
    return _put(item, _some_path(item, chance), chance.choice(_NUMBERS))


def _date(item: Item, chance: random.Random) -> Any:  # noqa: ANN401
    times = [one for one in _list_paths(item) if "time" in str(one[-1]) or "_at" in str(one[-1])]
    path = chance.choice(times or [_some_path(item, chance)])
    return _put(item, path, chance.choice(_DATES))


def _words(item: Item, chance: random.Random) -> Any:  # noqa: ANN401
    path = _some_path(item, chance, str)
    return _put(item, path, chance.choice(_WORDS)(_parent(item, path)[path[-1]]))


def _role(item: Item, chance: random.Random) -> Any:  # noqa: ANN401
    named = [one for one in _list_paths(item) if one[-1] in ("role", "sender", "type")]
    return _put(item, chance.choice(named or [_some_path(item, chance)]), chance.choice(_ROLES))


def _tangle(item: Item, chance: random.Random) -> Any:  # noqa: ANN401
    """Let one id be another: cycles in trees, doubled ids, parents that are not there."""
    ids = [one for one in _list_paths(item) if str(one[-1]).lower().endswith(("id", "parent"))]
    named = [*ids, *(one for one in _list_paths(item) if "node" in str(one[-1]))]
    if not named:
        return item
    values = [_parent(item, one)[one[-1]] for one in named]
    return _put(item, chance.choice(named), chance.choice([*values, "nowhere"]))


def _wrap(item: Item, chance: random.Random) -> Any:  # noqa: ANN401
    path = _some_path(item, chance)
    return _put(item, path, [_parent(item, path)[path[-1]]])


def _empty(item: Item, chance: random.Random) -> Any:  # noqa: ANN401
    path = _some_path(item, chance, chance.choice((dict, list)) if _has_list(item) else dict)
    held = _parent(item, path)[path[-1]]
    return _put(item, path, type(held)())


def _has_list(item: Item) -> bool:
    return any(isinstance(_parent(item, one)[one[-1]], list) for one in _list_paths(item))


def _no_item(_item: Item, chance: random.Random) -> Any:  # noqa: ANN401
    return chance.choice((None, 0, "text", [], {}, [None], True, [[]], {"x": 1}))


# Bytes


def _deep(line: bytes, chance: random.Random) -> bytes:
    depth = chance.choice(_DEEP)
    begins, ends = chance.choice(((b"[", b"]"), (b'{"x":', b"}")))
    nested = begins * depth + b"1" + ends * depth
    return line.replace(b"{", b'{"nested": ' + nested + b", ", 1)


def _digits(line: bytes, chance: random.Random) -> bytes:
    return line.replace(b"{", b'{"digits": ' + b"9" * chance.choice((400, 5_000)) + b", ", 1)


def _same_key(line: bytes, chance: random.Random) -> bytes:
    names = [*json.loads(line)]
    name = json.dumps(chance.choice(names)).encode()
    return line[:-1] + b", " + name + b": " + chance.choice((b"null", b"{}", b"7")) + b"}"


def _bad_byte(line: bytes, chance: random.Random) -> bytes:
    place = line.index(b'"', chance.randrange(len(line) // 2)) + 1
    return line[:place] + chance.choice((b"\xff", b"\xc3\x28", b"\xed\xa0\x80")) + line[place:]


def _bare_nul(line: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(line))
    return line[:place] + b"\0" + line[place:]


def _no_json(line: bytes, chance: random.Random) -> bytes:
    old, new = chance.choice(((b'": ', b'" '), (b", ", b" "), (b'"', b"'"), (b"null", b"None")))
    return line.replace(old, new) if new == b"'" else line.replace(old, new, 1)


def _carriage(line: bytes, _chance: random.Random) -> bytes:
    return line + b"\r"


def _order_mark(line: bytes, _chance: random.Random) -> bytes:
    return b"\xef\xbb\xbf" + line


def _cut(line: bytes, chance: random.Random) -> bytes:
    return line[: chance.randrange(1, len(line))]


def _two_on_a_line(line: bytes, chance: random.Random) -> bytes:
    return line + chance.choice((b"", b" ", b",", b"\t")) + b'{"x": 1}'


def _half_before(line: bytes, chance: random.Random) -> bytes:
    return line[: chance.randrange(1, len(line))] + line


_FIELDS: tuple[Callable[[Item, random.Random], Any], ...] = (
    _drop,
    _rename,
    _other_type,
    _number,
    _date,
    _words,
    _role,
    _tangle,
    _wrap,
    _empty,
    _no_item,
)
_ANY_BYTES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _deep,
    _digits,
    _same_key,
    _bad_byte,
    _carriage,
    _order_mark,
)
_LINE_BYTES = (_bare_nul, _no_json, _cut, _two_on_a_line, _half_before)
"""What leaves nothing of a document behind it that could be read, and spoils one line alone."""

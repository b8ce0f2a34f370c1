"""Mending of answers: reads a value from words of a model that nearly keep to its form.

Unknown fields are dropped, and known fields are found under other names. A number is clamped to its
bounds, a text is read for the value it names, a single thing is taken for a list of one. A field
that stays unfit falls back on its default; without a default the whole value is unfit.
"""

import html
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le, MaxLen
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from memoria.bare.lazy_regex import lazy_regex
from memoria.inference.chat.loose_json import CutObject, read_json, unescape
from memoria.language.dates.chinese import number
from memoria.language.dates.english import COUNTS, DAY_WORDS
from memoria.model.base import Loosely

_FIRST_NUMBER = lazy_regex(r"-?\d{1,9}(?:\.\d{1,9})?")
_LISTED = lazy_regex(r"\s*[,，、;；\n]\s*")
_NO_LETTERS = lazy_regex(r"[\W_]+")
_PARTS = lazy_regex(r"[|/,，、;；()（）]")
_ESCAPED = lazy_regex(r"\\u[0-9a-fA-F]{4}|&(?:#\d{2,5}|#x[0-9a-f]{2,4}|[a-z]{2,6});")
_ALIKE = 0.8
"""Least share of its letters that a misspelt word has in common with the right one."""
_WORD = lazy_regex(r"[a-z]{3,12}")
_CHINESE_NUMBER = lazy_regex("[一二两三四五六七八九十百]{1,6}")
_COUNTS = {word: count for count, word in enumerate(DAY_WORDS, 1)} | COUNTS
_MOST_UNKNOWN = 10
_OWN_VALUE = ("text", "value", "content")
_YES_NO = Loosely(words={"True": ("yes", "1", "是"), "False": ("no", "0", "否")})
_SCALES = (10, 100)
"""Scales on which models give shares, where not from 0 to 1."""
_NOTHING: tuple[object, ...] = (None, "", [], {})
_NO_WORDS = ("null", "none", "nil", "n/a", "undefined", "-", "无")


class UnfitError(ValueError):
    """Raised for words that are no valid value; the message says why without quoting them."""


def mend_value(kind: type[BaseModel], given: object) -> BaseModel:
    """Return the value that a model meant.

    Raises:
        UnfitError: it can't be told.
    """
    if isinstance(given, str):
        given = _take_for_name(kind, given)
    if not isinstance(given, Mapping):
        raise UnfitError("it is no object")
    plain = _lift(kind, given)
    found = dict[str, object]()
    for name, field in kind.model_fields.items():
        own = _find(name, field, plain)
        if own is None and field.is_required() and isinstance(given, CutObject):
            raise UnfitError(f"{name}: the answer was cut off before it")
        if own is None:
            own = _find_misspelt(kind, name, plain)
        if own is None and field.is_required() and loosely(field).otherwise is None:
            own = _find_unnamed(kind, plain)
        found[name] = mend_field(name, field, own)
    return _validate(kind, {name: value for name, value in found.items() if value is not None})


def _take_for_name(kind: type[BaseModel], given: str) -> dict[str, str]:
    """Return a text as the only field that a value requires."""
    needed = [name for name, field in kind.model_fields.items() if field.is_required()]
    if len(needed) != 1:
        raise UnfitError("it is no object")
    return {needed[0]: given}


def _validate(kind: type[BaseModel], fields: dict[str, object]) -> BaseModel:
    """Build a value of its fields; fields that are invalid get their defaults.

    Raises:
        UnfitError: one of them has none.
    """
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        problems = error.errors(include_input=False, include_url=False, include_context=False)
    unfit = {str(problem["loc"][0]): problem["msg"] for problem in problems if problem["loc"]}
    needed = [name for name in unfit if kind.model_fields[name].is_required()]
    if needed or not unfit:
        raise UnfitError(", ".join(f"{name}: {unfit[name]}" for name in needed) or "it is unfit")
    return _validate(kind, {name: value for name, value in fields.items() if name not in unfit})


def plain_name(name: object) -> str:
    """Return a name or word as it is compared: `memory-id`, `MemoryID` and `memory_id` are one."""
    return _NO_LETTERS.sub("", str(name).lower())


def closest(name: str, others: Iterable[str]) -> str | None:
    """Return the name that a misspelt name stands for, or None."""
    return next(iter(get_close_matches(name, others, 1, _ALIKE)), None)


def is_container(value: object) -> bool:
    """Check for an object or a list."""
    return isinstance(value, Mapping | list)


def object_in(value: object) -> Mapping[Any, Any] | None:
    """Return the object that a value is or contains alone, in a list or a text; else None."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        value = read_json(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, Mapping) else None


def loosely(field: FieldInfo) -> Loosely:
    """Return the rules for reading a field."""
    _, more = take_apart(field.annotation)
    found = (one for one in (*field.metadata, *more) if isinstance(one, Loosely))
    return next(found, Loosely())


def names_of(name: str, field: FieldInfo) -> list[str]:
    """List the names of a field in plain letters, its own first, then their plurals."""
    names = [plain_name(one) for one in (name, *loosely(field).names)]
    return [*names, *(f"{one}s" for one in names)]


@cache
def fields_of(kind: type[BaseModel]) -> Mapping[str, str]:
    """Map every name by which a field of a kind is known to the field."""
    fields = reversed(kind.model_fields.items())
    known = {one: name for name, field in fields for one in reversed(names_of(name, field))}
    return known | {plain_name(name): name for name in kind.model_fields}


def _lift(kind: type[BaseModel], given: Mapping[Any, Any]) -> dict[str, Any]:
    """Return values by plain names; an inner object that no field takes is dissolved."""
    plain, lifted = dict[str, Any](), dict[str, Any]()
    for name, value in given.items():
        key = plain_name(name)
        field = kind.model_fields.get(fields_of(kind).get(key, ""))
        inner = None if field is not None and _takes_objects(field) else object_in(value)
        if inner is None:
            plain[key] = value
            continue
        rest = {plain_name(one): each for one, each in inner.items()}
        own = None if field is None else _own_of(rest, key, field)
        if own is not None:
            plain[key] = rest.pop(own)
        lifted |= rest
    return lifted | {name: value for name, value in plain.items() if not _is_nothing(value)}


def _takes_objects(field: FieldInfo) -> bool:
    kind, _ = take_apart(field.annotation)
    return get_origin(kind) is tuple or (isinstance(kind, type) and issubclass(kind, BaseModel))


def _own_of(inner: Mapping[str, Any], key: str, field: FieldInfo) -> str | None:
    """Return the name under which an object holds the text or number that a field wants."""
    kind, _ = take_apart(field.annotation)
    wanted = int | float if kind in (int, float) else str
    fit = [name for name, value in inner.items() if isinstance(value, wanted)]
    names = (key, *names_of(key, field), *_OWN_VALUE)
    return next((one for one in names if one in fit), next(iter(fit), None))


def _is_nothing(value: object) -> bool:
    return value in _NOTHING or (isinstance(value, str) and value.strip().lower() in _NO_WORDS)


def _find(name: str, field: FieldInfo, plain: Mapping[str, Any]) -> object:
    """Return the value of a field, by its own name or by another, or None."""
    return next(
        (plain[one] for one in names_of(name, field) if not _is_nothing(plain.get(one))), None
    )


def _list_unknown(kind: type[BaseModel], plain: Mapping[str, Any]) -> list[str]:
    """List names that are no field's."""
    return [name for name in plain if name not in fields_of(kind)][:_MOST_UNKNOWN]


def _find_misspelt(kind: type[BaseModel], name: str, plain: Mapping[str, Any]) -> object:
    """Return a field's value under a misspelling of its name, or None."""
    unknown = _list_unknown(kind, plain)
    found = closest(plain_name(name), unknown) if unknown else None
    return plain[found] if found else None


def _find_unnamed(kind: type[BaseModel], plain: Mapping[str, Any]) -> object:
    """Return the only text under an unknown name, if one required text alone is missing."""
    missing = [
        name
        for name, field in kind.model_fields.items()
        if field.is_required()
        and loosely(field).otherwise is None
        and _find(name, field, plain) is None
    ]
    texts = [plain[name] for name in _list_unknown(kind, plain) if _is_text(plain[name])]
    return texts[0] if len(missing) == len(texts) == 1 else None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def mend_field(name: str, field: FieldInfo, given: object) -> object:
    """Return a field's value, mended; None where its default is to stand.

    Raises:
        UnfitError: nothing fits, and there is no default.
    """
    try:
        if given is not None:
            return _mend(field.annotation, (*field.metadata, loosely(field)), given)
        problem = "it is missing"
    except UnfitError as error:
        problem = str(error)
    otherwise = loosely(field).otherwise
    if otherwise is None and field.is_required():
        raise UnfitError(f"{name}: {problem}")
    return otherwise


def _mend(annotation: Any, metadata: Iterable[Any], given: object) -> object:  # noqa: ANN401
    kind, more = take_apart(annotation)
    metadata = (*metadata, *more)
    origin = get_origin(kind)
    read = next((one for one in metadata if isinstance(one, Loosely)), Loosely())
    if origin is Literal:
        return _choose(get_args(kind), given, read)
    if origin is tuple:
        return _mend_items(get_args(kind)[0], metadata, given)
    if not isinstance(kind, type):
        return given
    if issubclass(kind, Enum):
        return _choose([one.value for one in kind], given, read)
    if issubclass(kind, BaseModel):
        return mend_value(kind, given)
    return _mend_plain(kind, metadata, given)


def _mend_plain(kind: type, metadata: Iterable[Any], given: object) -> object:
    if kind is str:
        read = next((one for one in metadata if isinstance(one, Loosely)), Loosely())
        return _mend_text(given, read.between)
    if kind is bool:
        return _choose((True, False), given, _YES_NO)
    if kind is int:
        return int(_clamp(_read_count(given), metadata))
    return _clamp(_read_number(given), metadata) if kind is float else given


def take_apart(annotation: Any) -> tuple[Any, tuple[Any, ...]]:  # noqa: ANN401
    """Split an annotation into its type, without None, and its metadata."""
    beside: list[Any] = []
    while True:
        if get_origin(annotation) is Annotated:
            annotation, *more = get_args(annotation)
            beside += [one for each in more for one in getattr(each, "metadata", [each])]
        elif get_origin(annotation) in (Union, UnionType):
            others = [one for one in get_args(annotation) if one is not type(None)]
            if len(others) != 1:
                return annotation, tuple(beside)
            annotation = others[0]
        else:
            return annotation, tuple(beside)


def _choose(choices: Iterable[object], given: object, read: Loosely) -> object:
    """Return the choice that a value names, by its own word or a known other one."""
    known = {
        plain_name(word): one for one in choices for word in (one, *read.words.get(str(one), ()))
    }
    said = [plain_name(one) for one in _list_said(given, is_vital=read.otherwise is None)]
    found = next((one for one in said if one in known), None)
    found = found or next(filter(None, (closest(one, known) for one in said)), None)
    if found is None:
        raise UnfitError("it is none of the words it may be")
    return known[found]


def _list_said(given: object, *, is_vital: bool) -> list[object]:
    """List the words that a value is or holds; of `rule|preference` the first is as good as any.

    Args:
        given: the value.
        is_vital: whether nothing can stand in for the choice: then several words are none.
    """
    if isinstance(given, list):
        return given[: len(given) == 1 if is_vital else None]
    parts = _PARTS.split(given) if isinstance(given, str) and not is_vital else ()
    return [given, *parts]


def _mend_text(given: object, between: str) -> str:
    if isinstance(given, str):
        return _unwrap(given.strip())
    if isinstance(given, int | float) and not isinstance(given, bool):
        return str(given)
    if isinstance(given, list) and given and all(isinstance(one, str) for one in given):
        return between.join(map(str.strip, given)).strip()
    raise UnfitError("it is no text")


def is_escaped(text: str) -> bool:
    """Check whether a text may have escapes that were escaped twice, or HTML entities."""
    return _ESCAPED.search(text) is not None


def _unwrap(text: str) -> str:
    """Replace escapes that were escaped twice, and HTML entities."""
    if not _ESCAPED.search(text):
        return text
    plain = unescape(text) if text.isascii() and "\\u" in text else html.unescape(text)
    made = {char for char in plain if plain.count(char) > text.count(char)} - {"&"}
    return text if any(char in text for char in made) else plain


def _read_number(given: object) -> float:
    if isinstance(given, list) and given:
        given = given[0]
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given)
    found = _FIRST_NUMBER.search(given) if isinstance(given, str) else None
    if found is not None:
        return float(found[0])
    raise UnfitError("it is no number")


def _read_count(given: object) -> float:
    """Read a whole number, in digits or in words."""
    try:
        return _read_number(given)
    except UnfitError:
        said = given.lower() if isinstance(given, str) else ""
    counts = (_COUNTS[word] for word in _WORD.findall(said) if word in _COUNTS)
    try:
        chinese = _CHINESE_NUMBER.search(said)
        found = number(chinese[0]) if chinese else next(counts, None)
    except ValueError:
        found = None
    if found is None:
        raise UnfitError("it is no number")
    return float(found)


def _clamp(number: float, metadata: Iterable[Any]) -> float:
    """Clamp a number to its bounds; a share given out of ten or a hundred is scaled to one."""
    bounds = tuple(metadata)
    least = next((float(str(one.ge)) for one in bounds if isinstance(one, Ge)), number)
    most = next((float(str(one.le)) for one in bounds if isinstance(one, Le)), number)
    if (least, most) == (0, 1) and number > 1:
        number /= next((scale for scale in _SCALES if number <= scale), number)
    return max(min(number, most), least)


def _mend_items(annotation: Any, metadata: Iterable[Any], given: object) -> tuple[object, ...]:  # noqa: ANN401
    """Return the items of a list that fit, up to its length; one text may hold several names."""
    if isinstance(given, str):
        given = [one for one in _LISTED.split(given) if one]
    most = next((one.max_length for one in metadata if isinstance(one, MaxLen)), None)
    items = []
    for one in given if isinstance(given, list) else [given]:
        try:
            items.append(_mend(annotation, (), one))
        except UnfitError:
            continue  # the rest of the list is none the worse for it
    if given and not items:
        raise UnfitError("none of its items is fit")
    return tuple(items[:most])

"""Mending: a value of what a model wrote, where that keeps to its form only by and large.

Fields that nobody knows are dropped, and known ones are found by other names. A number is clamped,
a text is read for what it says, one thing is taken for a list of it. What stays unfit falls back on
the field's default; without one, the value is unfit as a whole.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le, MaxLen
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from memoria.inference.chat.loose_json import CutObject
from memoria.model.base import Loosely
from memoria.text.pattern import LazyPattern

_FIRST_NUMBER = LazyPattern(r"-?\d{1,9}(?:\.\d{1,9})?")
_LISTED = LazyPattern(r"\s*[,，、;；\n]\s*")
_NAMES_APART = LazyPattern(r"[\s_-]+")
_SCALES = (10, 100)
"""Shares are given out of ten or a hundred, where not out of one."""
_NOTHING: tuple[object, ...] = (None, "", [], {})


class UnfitError(ValueError):
    """What a model wrote is no such value; says why without a word of the model's."""


def mend_value(kind: type[BaseModel], given: object) -> BaseModel:
    """The value that a model meant.

    Raises:
        UnfitError: it can't be told.
    """
    if isinstance(given, str):
        given = _take_for_name(kind, given)
    if not isinstance(given, Mapping):
        raise UnfitError("it is no object")
    found = dict[str, object]()
    for name, field in kind.model_fields.items():
        own = _find(name, field, given)
        if own is None and field.is_required() and isinstance(given, CutObject):
            raise UnfitError(f"{name}: the answer was cut off before it")
        if own is None and field.is_required() and loosely(field).otherwise is None:
            own = _find_unnamed(kind, given)
        found[name] = mend_field(name, field, own)
    return _validate(kind, {name: value for name, value in found.items() if value is not None})


def _take_for_name(kind: type[BaseModel], given: str) -> dict[str, str]:
    """A text as the one field that a value needs."""
    needed = [name for name, field in kind.model_fields.items() if field.is_required()]
    if len(needed) != 1:
        raise UnfitError("it is no object")
    return {needed[0]: given}


def _validate(kind: type[BaseModel], fields: dict[str, object]) -> BaseModel:
    """The value of its fields; of those that are unfit after all the defaults are taken.

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
    """A name or word as it is compared: `memory-id`, `Memory ID` and `memory_id` are one."""
    return _NAMES_APART.regex.sub("_", str(name).strip().lower())


def loosely(field: FieldInfo) -> Loosely:
    """How a field is read."""
    _, more = take_apart(field.annotation)
    found = (one for one in (*field.metadata, *more) if isinstance(one, Loosely))
    return next(found, Loosely())


def _find(name: str, field: FieldInfo, given: Mapping[Any, Any]) -> object:
    """What is given for a field, by its own name or by another."""
    plain = {plain_name(key): value for key, value in given.items()}
    names = (name, *loosely(field).names)
    return next((plain[one] for one in names if plain.get(one) not in _NOTHING), None)


def _find_unnamed(kind: type[BaseModel], given: Mapping[Any, Any]) -> object:
    """The only text below a name that nobody knows, where one needed text alone is missing."""
    fields = kind.model_fields.items()
    known = {one for name, field in fields for one in (name, *loosely(field).names)}
    missing = [
        name
        for name, field in fields
        if field.is_required()
        and loosely(field).otherwise is None
        and _find(name, field, given) is None
    ]
    unknown = [value for name, value in given.items() if plain_name(name) not in known]
    texts = [value for value in unknown if isinstance(value, str) and value.strip()]
    return texts[0] if len(missing) == len(texts) == 1 else None


def mend_field(name: str, field: FieldInfo, given: object) -> object:
    """The field's value; None where its default is to stand.

    Raises:
        UnfitError: nothing fits, and there is no default.
    """
    try:
        if given is not None:
            return _mend(field.annotation, field.metadata, given)
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
    if origin is Literal:
        return _choose(get_args(kind), given)
    if origin is tuple:
        return _mend_items(get_args(kind)[0], metadata, given)
    if not isinstance(kind, type):
        return given
    if issubclass(kind, Enum):
        return _choose([one.value for one in kind], given)
    if issubclass(kind, BaseModel):
        return mend_value(kind, given)
    return _mend_plain(kind, metadata, given)


def _mend_plain(kind: type, metadata: Iterable[Any], given: object) -> object:
    if kind is str:
        return _mend_text(given)
    if kind is bool:
        return _choose((True, False), given)
    if kind is int:
        return int(_clamp(_read_number(given), metadata))
    return _clamp(_read_number(given), metadata) if kind is float else given


def take_apart(annotation: Any) -> tuple[Any, tuple[Any, ...]]:  # noqa: ANN401
    """An annotation without what is written beside it, and that; of an optional type the type."""
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


def _choose(choices: Iterable[object], given: object) -> object:
    for one in choices:
        if plain_name(one) == plain_name(given):
            return one
    raise UnfitError("it is none of the words it may be")


def _mend_text(given: object) -> str:
    if isinstance(given, str):
        return given.strip()
    if isinstance(given, int | float) and not isinstance(given, bool):
        return str(given)
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        return " ".join(given).strip()
    raise UnfitError("it is no text")


def _read_number(given: object) -> float:
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given)
    found = _FIRST_NUMBER.regex.search(given) if isinstance(given, str) else None
    if found is None:
        raise UnfitError("it is no number")
    return float(found[0])


def _clamp(number: float, metadata: Iterable[Any]) -> float:
    """A number within its bounds; a share that is given out of ten or a hundred as one of one."""
    bounds = tuple(metadata)
    least = next((float(str(one.ge)) for one in bounds if isinstance(one, Ge)), number)
    most = next((float(str(one.le)) for one in bounds if isinstance(one, Le)), number)
    if (least, most) == (0, 1) and number > 1:
        number /= next((scale for scale in _SCALES if number <= scale), number)
    return max(min(number, most), least)


def _mend_items(annotation: Any, metadata: Iterable[Any], given: object) -> tuple[object, ...]:  # noqa: ANN401
    """The items of a list that fit, as many as it may have; several names may stand in one text."""
    if isinstance(given, str):
        given = [one for one in _LISTED.regex.split(given) if one]
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

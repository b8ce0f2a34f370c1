"""Loose answers: the usable parts of an answer that does not keep to its form.

Where an answer mainly is a list, of operations or rulings, each item is read by itself: an unfit
item spoils no other. The list may stand alone, in pieces, under another name, or be a single
item.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import UnionType
from typing import Any, Generic, Union, get_args, get_origin

from pydantic import BaseModel

from memoria.bare.lazy_regex import lazy_regex
from memoria.inference.chat.base import AnswerT
from memoria.inference.chat.mend import (
    UnfitError,
    closest,
    fields_of,
    is_container,
    loosely,
    mend_field,
    mend_value,
    object_in,
    plain_name,
    take_apart,
)
from memoria.inference.chat.notations import read_values

_DEEPEST_WRAPPING = 8
_LEAST_IN_COMMON = 2
"""Number of an item's field names that make an object an item."""
_LEAST_COLUMNS = 4
_MOST_ITEMS = 200
"""Most items of an answer that are read: further ones mostly repeat themselves."""
_OF_SCHEMAS = frozenset(("$ref", "enum", "const", "anyOf", "oneOf"))
_FIRST_WORD = lazy_regex(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class UnfitItem:
    """An item of an answer that is of no use."""

    item: object
    problem: str


@dataclass(frozen=True, slots=True)
class LooseAnswer(Generic[AnswerT]):
    """Parts of an answer that can be used, and those that cannot."""

    value: AnswerT
    unfit: tuple[UnfitItem, ...] = ()


def read_loosely(answer: type[AnswerT], text: str, shown: str = "") -> LooseAnswer[AnswerT] | None:
    """Read the usable parts of an answer; None where there are none.

    Args:
        answer: the type that was asked for.
        text: the model's words.
        shown: the instructions it was given: an item that stands in them is no answer.
    """
    values = read_values(text)
    listed = _Listed.of(answer)
    if listed is None:
        return _read_object(answer, values)
    examples = read_values(shown) if any(map(shown.__contains__, "{[")) else []
    return _read_list(answer, listed, values, examples)


def list_name(answer: type[BaseModel]) -> str | None:
    """Return the name of the list that an answer mainly consists of; None if it is no list."""
    listed = _Listed.of(answer)
    return None if listed is None else listed.name


def join_answers(one: AnswerT, other: AnswerT) -> AnswerT:
    """Return an answer with the items of another answer added, each once."""
    name = list_name(type(one))
    if name is None:
        return one
    items = dict.fromkeys((*getattr(one, name), *getattr(other, name)))
    return one.model_copy(update={name: tuple(items)})


@dataclass(frozen=True)
class _Listed:
    """The list that is the first field of an answer."""

    name: str
    kinds: tuple[type[BaseModel], ...]
    tag: str | None
    """The field that tells the kinds apart."""

    @classmethod
    def of(cls, answer: type[BaseModel]) -> "_Listed | None":
        name, field = next(iter(answer.model_fields.items()))
        listed, _ = take_apart(field.annotation)
        if get_origin(listed) is not tuple:
            return None
        item, _ = take_apart(get_args(listed)[0])
        if get_origin(item) not in (Union, UnionType):
            return cls(name, (item,), None)
        return cls(name, get_args(item), next(iter(get_args(item)[0].model_fields)))

    @cached_property
    def tags(self) -> dict[str, type[BaseModel]]:
        """The kinds of items by tag, and by other words that models write for a tag."""
        if self.tag is None:
            return {}
        found = dict[str, type[BaseModel]]()
        for kind in self.kinds:
            field = kind.model_fields[self.tag]
            words = (field.default, *loosely(field).words.get(field.default, ()))
            found |= dict.fromkeys(map(plain_name, words), kind)
        return found

    def is_item(self, given: Mapping[Any, Any]) -> bool:
        """Check whether an object looks like an item.

        An item has names of fields and a value for one, which a JSON schema has not; or it
        says which kind of item it is and has the fields in an inner object.
        """
        plain = {plain_name(name): value for name, value in given.items()}
        inner = [one for one in map(object_in, plain.values()) if one is not None]
        if _is_schema(given) or any(self._holds_list(value) for value in plain.values()):
            return False
        if inner and any(self._names_kind(one) for one in plain.values()):
            return True
        if any(self._is_whole(one) for one in inner):
            return bool(self.read_word(plain.get(str(self.tag))))
        for kind in self.kinds:
            common = [plain[name] for name in plain.keys() & fields_of(kind).keys()]
            if len(common) >= _LEAST_IN_COMMON and any(not is_container(one) for one in common):
                return True
        return bool(inner) and self.read_word(plain.get(str(self.tag))) is not None

    def _holds_list(self, value: object) -> bool:
        """Check whether a text or object contains the whole list."""
        if isinstance(value, str):
            return "{" in value and self.name in value
        return isinstance(value, Mapping) and self.name in map(plain_name, value)

    def _is_whole(self, given: Mapping[Any, Any]) -> bool:
        """Check whether an object has all fields that a kind of item needs, or contains one."""
        names = set(map(plain_name, given))
        large = (one for one in self.kinds if len(_list_required(one)) > _LEAST_IN_COMMON)
        return any(_has_all(one, names) for one in large) or any(
            self._names_kind(one) for one in given.values()
        )

    def mend(self, given: object) -> BaseModel:
        """Return the item that a model meant.

        Raises:
            UnfitError: it can't be told.
        """
        if self.tag is None or not isinstance(given, Mapping):
            return mend_value(self.kinds[0], given)
        said = self._find_tag(given)
        kind = self.tags.get(self.read_word(said) or "") if said else self._likeliest(given)
        if kind is None:
            known = ", ".join(str(one.model_fields[self.tag].default) for one in self.kinds)
            raise UnfitError(f"{self.tag}: it is none of {known}")
        rest = {name: value for name, value in given.items() if value != said}
        return mend_value(kind, {**rest, self.tag: kind.model_fields[self.tag].default})

    def read_word(self, said: object) -> str | None:
        """Return the word for a kind with which a text begins, as `add_memory`; else None."""
        if not isinstance(said, str):
            return None
        first = _FIRST_WORD.search(said)
        tags = self.tags
        words = (plain_name(said), plain_name(first[0]) if first else "")
        return next((one for one in words if one in tags), None) or closest(words[0], tags)

    def _names_kind(self, said: object) -> bool:
        """Check for a kind's own word, or a name that begins with the word, as `add_memory`."""
        if self.tag is None or not isinstance(said, str) or not said.isidentifier():
            return False
        defaults = (kind.model_fields[self.tag].default for kind in self.kinds)
        return said.lower().split("_")[0] in map(str.lower, defaults)

    def _find_tag(self, given: Mapping[Any, Any]) -> object:
        """Return the word that tells an item's kind, even under a name with another meaning."""
        tag = str(self.tag)
        own = map(plain_name, (tag, *loosely(self.kinds[0].model_fields[tag]).names))
        plain = {plain_name(name): value for name, value in given.items()}
        said = next((plain[name] for name in own if plain.get(name)), None)
        said = said[0] if isinstance(said, list) else said
        other = next((one for one in plain.values() if self._names_kind(one)), None)
        return said if self.read_word(said) or other is None else other

    def _likeliest(self, given: Mapping[Any, Any]) -> type[BaseModel]:
        """Return the kind with the most required fields, all of which are given; else the first."""
        inner = (object_in(value) or {} for value in given.values())
        names = {plain_name(name) for one in (given, *inner) for name in one}
        able = [kind for kind in self.kinds if _has_all(kind, names) and _list_required(kind)]
        return max(able, key=lambda kind: len(_list_required(kind)), default=self.kinds[0])


def _list_required(kind: type[BaseModel]) -> list[str]:
    return [name for name, field in kind.model_fields.items() if field.is_required()]


def _has_all(kind: type[BaseModel], names: set[str]) -> bool:
    """Check whether some names include those of all fields that a kind needs."""
    known = fields_of(kind)
    return {known.get(name) for name in names}.issuperset(_list_required(kind))


def _read_object(answer: type[AnswerT], values: list[Any]) -> LooseAnswer[AnswerT] | None:
    """Return the last object in a text that fits the answer, or None."""
    names = fields_of(answer)
    for given in reversed([one for value in values for one in _objects_in(value)]):
        try:
            if any(plain_name(name) in names for name in given):
                return LooseAnswer(answer.model_validate(mend_value(answer, given)))
        except UnfitError:
            continue  # an earlier one may be fit
    return None


def _objects_in(value: object, depth: int = 0) -> Iterator[Mapping[Any, Any]]:
    """Yield objects, the inner ones before those around them."""
    inner = value.values() if isinstance(value, Mapping) else value
    if depth < _DEEPEST_WRAPPING and isinstance(inner, Iterable) and not isinstance(inner, str):
        for one in inner:
            yield from _objects_in(one, depth + 1)
    if isinstance(value, Mapping):
        yield value


def _read_list(
    answer: type[AnswerT], listed: _Listed, values: list[Any], examples: list[Any]
) -> LooseAnswer[AnswerT] | None:
    items, shown = list[Any](), list[Any]()
    _collect(answer, listed, examples, shown, {})
    rest, is_one = dict[str, Any](), False
    for value in values:
        is_one = _collect(answer, listed, value, items, rest) or is_one
    if not is_one:
        return None
    sound, unfit = list[BaseModel](), list[UnfitItem]()
    for item in items[:_MOST_ITEMS]:
        if item in shown:
            continue
        try:
            sound.append(listed.mend(item))
        except UnfitError as error:
            unfit.append(UnfitItem(item, str(error)))
    return LooseAnswer(_build(answer, listed, sound, rest), tuple(unfit))


def _build(
    answer: type[AnswerT], listed: _Listed, sound: list[BaseModel], rest: Mapping[str, Any]
) -> AnswerT:
    """Build the answer from its sound items, each once, and the other fields that fit."""
    _, beside = take_apart(answer.model_fields[listed.name].annotation)
    bounds = (*answer.model_fields[listed.name].metadata, *beside)
    most = next((one.max_length for one in bounds if hasattr(one, "max_length")), None)
    fields: dict[str, Any] = {listed.name: tuple(dict.fromkeys(sound))[:most]}
    for name, given in rest.items():
        field = answer.model_fields[name]
        found = None if field.is_required() else mend_field(name, field, given)
        fields |= {} if found is None else {name: found}
    return answer.model_validate(fields)


def _collect(
    answer: type[BaseModel],
    listed: _Listed,
    value: object,
    items: list[Any],
    rest: dict[str, Any],
    depth: int = 0,
) -> bool:
    """Collect items and other fields from a value; return False if the value is no answer."""
    if isinstance(value, str) and "{" in value and depth <= _DEEPEST_WRAPPING:
        value = read_values(value)
    if isinstance(value, list):
        inner = _rows_of(listed, value)
        return _collect_all(answer, listed, inner, items, rest, depth) or not value
    if not isinstance(value, Mapping) or depth > _DEEPEST_WRAPPING:
        return False
    plain = {plain_name(name): one for name, one in value.items()}
    own = {plain_name(name): name for name in answer.model_fields}
    others = {name for name in plain if name in own and own[name] != listed.name}
    if listed.name in plain or (others and not listed.is_item(value)):
        rest.update({own[name]: plain[name] for name in others})
        items += _items_of(listed, plain.get(listed.name))
        return True
    if listed.is_item(value) or any(map(listed.read_word, value)):
        items += _items_of(listed, value)
        return True
    return _collect_all(answer, listed, value.values(), items, rest, depth)


def _collect_all(
    answer: type[BaseModel],
    listed: _Listed,
    values: Iterable[object],
    items: list[Any],
    rest: dict[str, Any],
    depth: int,
) -> bool:
    found = [_collect(answer, listed, one, items, rest, depth + 1) for one in values]
    return any(found)


def _rows_of(listed: _Listed, given: list[Any]) -> list[Any]:
    """Return a list's items; rows below one with field names are returned as objects."""
    names = given[0] if given else None
    if not isinstance(names, list) or not all(isinstance(one, list) for one in given):
        return given
    rows = [dict(zip(map(str, names), row, strict=False)) for row in given[1:]]
    return rows if rows and listed.is_item(dict.fromkeys(map(str, names), "")) else given


def _rows_of_columns(given: Mapping[Any, Any], count: int) -> Iterator[object]:
    """Yield the items of an object that has a list for each field."""
    for at in range(count):
        yield {
            name: one[at] if isinstance(one, list) and len(one) == count else one
            for name, one in given.items()
        }


def _items_of(listed: _Listed, given: object, depth: int = 0) -> Iterator[object]:
    """Yield the items that a value is or contains."""
    if depth > _DEEPEST_WRAPPING or given is None:
        return
    if isinstance(given, str) and "{" in given:
        given = read_values(given)
    if isinstance(given, list):
        for one in _rows_of(listed, given):
            yield from _items_of(listed, one, depth + 1)
    elif isinstance(given, Mapping):
        yield from _items_in(listed, given, depth)
    else:
        yield given


def _items_in(listed: _Listed, given: Mapping[Any, Any], depth: int) -> Iterator[object]:
    """Yield an object if it is an item; else the items within it, under whatever names."""
    columns = [one for one in given.values() if isinstance(one, list) and len(one) > 1]
    if len(columns) >= _LEAST_COLUMNS and len({len(one) for one in columns}) == 1:
        yield from _rows_of_columns(given, len(columns[0]))
    elif listed.is_item(given):
        yield given
    elif any(map(_holds_objects, given.values())):
        for name, one in given.items():
            yield from _items_below(listed, name, one, depth)
    elif listed.tag and listed.tag in map(plain_name, given):
        yield given


def _items_below(listed: _Listed, name: object, given: object, depth: int) -> Iterator[object]:
    """Yield the items below a name, which may tell their kind."""
    for one in given if isinstance(given, list) else [given]:
        if listed.read_word(name) and isinstance(one, Mapping) and not _is_schema(one):
            yield {**one, str(listed.tag): name}
        elif is_container(one):
            yield from _items_of(listed, one, depth + 1)


def _holds_objects(value: object) -> bool:
    """Check for an object, or a list with objects or lists in it."""
    return isinstance(value, Mapping) or (isinstance(value, list) and any(map(is_container, value)))


def _is_schema(value: Mapping[Any, Any]) -> bool:
    """Check whether an object is a JSON schema: no item itself, though it may hold items."""
    return "properties" in value or not _OF_SCHEMAS.isdisjoint(value)

"""Loose answers: what of an answer can be used that does not keep to its form.

Where an answer is a list above all, of operations or rulings, each item is read by itself: one that
is unfit takes no other along. The list may stand alone, in pieces, below another name, or be one
item.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any, Generic, Union, get_args, get_origin

from pydantic import BaseModel

from memoria.inference.chat.base import AnswerT
from memoria.inference.chat.loose_json import read_values
from memoria.inference.chat.mend import (
    UnfitError,
    loosely,
    mend_field,
    mend_value,
    plain_name,
    take_apart,
)

_DEEPEST_WRAPPING = 3
_LEAST_IN_COMMON = 2
"""So many names of fields tell that an object is an item."""


@dataclass(frozen=True, slots=True)
class UnfitItem:
    """An item of an answer that is of no use."""

    item: object
    problem: str


@dataclass(frozen=True, slots=True)
class LooseAnswer(Generic[AnswerT]):
    """What of an answer can be used, and what cannot."""

    value: AnswerT
    unfit: tuple[UnfitItem, ...] = ()


def read_loosely(answer: type[AnswerT], text: str) -> LooseAnswer[AnswerT] | None:
    """What of an answer can be used; None where that is nothing.

    Args:
        answer: what was asked for.
        text: what the model wrote.
    """
    values = read_values(text)
    listed = _Listed.of(answer)
    if listed is None:
        return _read_object(answer, values)
    return _read_list(answer, listed, values)


def list_name(answer: type[BaseModel]) -> str | None:
    """The name of the list that an answer is above all."""
    listed = _Listed.of(answer)
    return None if listed is None else listed.name


def join_answers(one: AnswerT, other: AnswerT) -> AnswerT:
    """An answer with the items of another one as well, each once."""
    name = list_name(type(one))
    if name is None:
        return one
    items = dict.fromkeys((*getattr(one, name), *getattr(other, name)))
    return one.model_copy(update={name: tuple(items)})


@dataclass(frozen=True, slots=True)
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

    @property
    def tags(self) -> dict[str, type[BaseModel]]:
        """The kinds by what tells them apart, as such words are compared."""
        if self.tag is None:
            return {}
        return {plain_name(kind.model_fields[self.tag].default): kind for kind in self.kinds}

    def is_item(self, given: Mapping[Any, Any]) -> bool:
        """Whether an object looks like an item: it has names of fields in common with one."""
        names = {plain_name(name) for name in given}
        return any(len(names & _names_of(kind)) >= _LEAST_IN_COMMON for kind in self.kinds)

    def mend(self, given: object) -> BaseModel:
        """The item that a model meant.

        Raises:
            UnfitError: it can't be told.
        """
        if self.tag is None or not isinstance(given, Mapping):
            return mend_value(self.kinds[0], given)
        said = self._find_tag(given)
        kind = self.tags.get(said) if said else self._likeliest(given)
        if kind is None:
            raise UnfitError(f"{self.tag}: it is none of {', '.join(self.tags).upper()}")
        return mend_value(kind, {**given, self.tag: kind.model_fields[self.tag].default})

    def _find_tag(self, given: Mapping[Any, Any]) -> str | None:
        """The word that tells the kind; of a name that means something else, where it is one."""
        tag = str(self.tag)
        own = (tag, *loosely(self.kinds[0].model_fields[tag]).names)
        plain = {plain_name(name): plain_name(value) for name, value in given.items()}
        said = next((plain[name] for name in own if plain.get(name)), None)
        other = next((word for word in plain.values() if word in self.tags), None)
        return said if said in self.tags or other is None else other

    def _likeliest(self, given: Mapping[Any, Any]) -> type[BaseModel]:
        """The kind with the most required fields, all of which are there; else the first."""
        names = {plain_name(name) for name in given}
        able = [kind for kind in self.kinds if _has_all(kind, names) and _list_required(kind)]
        return max(able, key=lambda kind: len(_list_required(kind)), default=self.kinds[0])


def _list_required(kind: type[BaseModel]) -> list[str]:
    return [name for name, field in kind.model_fields.items() if field.is_required()]


def _has_all(kind: type[BaseModel], names: set[str]) -> bool:
    return all(
        {name, *loosely(kind.model_fields[name]).names} & names for name in _list_required(kind)
    )


def _names_of(kind: type[BaseModel]) -> set[str]:
    """All names by which a kind's fields are known."""
    fields = kind.model_fields.items()
    return {one for name, field in fields for one in (name, *loosely(field).names)}


def _read_object(answer: type[AnswerT], values: list[Any]) -> LooseAnswer[AnswerT] | None:
    """The last object in a text that is such an answer."""
    names = _names_of(answer)
    for given in reversed([one for value in values for one in _objects_in(value)]):
        try:
            if any(plain_name(name) in names for name in given):
                return LooseAnswer(answer.model_validate(mend_value(answer, given)))
        except UnfitError:
            continue  # an earlier one may be fit
    return None


def _objects_in(value: object, depth: int = 0) -> Iterator[Mapping[Any, Any]]:
    """Objects, the inner ones before those around them."""
    inner = value.values() if isinstance(value, Mapping) else value
    if depth < _DEEPEST_WRAPPING and isinstance(inner, Iterable) and not isinstance(inner, str):
        for one in inner:
            yield from _objects_in(one, depth + 1)
    if isinstance(value, Mapping):
        yield value


def _read_list(
    answer: type[AnswerT], listed: _Listed, values: list[Any]
) -> LooseAnswer[AnswerT] | None:
    items, rest, is_one = list[Any](), dict[str, Any](), False
    for value in values:
        is_one = _collect(answer, listed, value, items, rest) or is_one
    if not is_one:
        return None
    sound, unfit = list[BaseModel](), list[UnfitItem]()
    for item in items:
        try:
            sound.append(listed.mend(item))
        except UnfitError as error:
            unfit.append(UnfitItem(item, str(error)))
    return LooseAnswer(_build(answer, listed, sound, rest), tuple(unfit))


def _build(
    answer: type[AnswerT], listed: _Listed, sound: list[BaseModel], rest: Mapping[str, Any]
) -> AnswerT:
    """The answer with its sound items, each once; of the rest what fits."""
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
    """Gather items and other fields from a value. Tells whether it is an answer at all."""
    if isinstance(value, str) and "{" in value:
        value = read_values(value)
    if isinstance(value, list):
        return _collect_all(answer, listed, value, items, rest, depth) or not value
    if not isinstance(value, Mapping) or depth > _DEEPEST_WRAPPING:
        return False
    plain = {plain_name(name): one for name, one in value.items()}
    others = {name for name in plain if name in answer.model_fields and name != listed.name}
    if listed.name in plain or (others and not listed.is_item(value)):
        rest.update({name: plain[name] for name in others})
        items += _items_of(listed, plain.get(listed.name))
        return True
    if listed.is_item(value) or listed.tags.keys() >= plain.keys():
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


def _items_of(listed: _Listed, given: object) -> Iterator[object]:
    """The items of a list, of one item, or of items below the word that tells their kind."""
    if isinstance(given, list):
        for one in given:
            yield from _items_of(listed, one)
    elif isinstance(given, Mapping) and given and listed.tags.keys() >= set(map(plain_name, given)):
        for word, inner in given.items():
            for one in inner if isinstance(inner, list) else [inner]:
                yield {**one, listed.tag: word} if isinstance(one, Mapping) else one
    elif isinstance(given, Mapping) and _is_numbered(listed, given):
        yield from given.values()
    elif given is not None:
        yield given


def _is_numbered(listed: _Listed, given: Mapping[Any, Any]) -> bool:
    """Whether items stand in an object below names or numbers of their own."""
    return not listed.is_item(given) and all(isinstance(one, Mapping) for one in given.values())

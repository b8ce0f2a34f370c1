"""Base of all values, and their identifiers.

Values are frozen, refuse unknown fields, and write their own JSON. Identifiers are UUIDv7 (RFC
9562), so they sort by the time they were made.
"""

import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, Self, get_args

import uuid_utils
from pydantic import BaseModel, ConfigDict
from pydantic.fields import FieldInfo

from memoria.errors import ConflictError


@dataclass(frozen=True, slots=True)
class Loosely:
    """Rules for reading a field from a model's answer that does not keep to its form."""

    names: tuple[str, ...] = ()
    """Other names that models give the field."""
    otherwise: str | int | None = None
    """Value of the field if the answer has no fitting one; None makes the whole value unfit."""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """Other words that models write, by the word that is meant."""
    between: str = " "
    """Separator that joins a text given in pieces."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Form of a field in the JSON that clients and scripts read; a note beside its type."""

    name: str | None = None
    """Key in JSON, if another word than the field's name."""
    write: Callable[[Any], object] = lambda value: value
    """Function that returns the shown form of a value; None to show nothing."""
    when_empty: bool = True
    """False to leave out an empty value, a zero or a false."""


HIDDEN = Shown(write=lambda _value: None)
"""Form of a field that JSON leaves out."""
UNLESS_EMPTY = Shown(when_empty=False)
"""Form of a field that JSON leaves out if empty, zero or false."""


class Value(BaseModel):
    """A frozen value. Equality is by content; a misspelt field is an error, not a loss."""

    # Validators are built when a model is first used: a start-up uses few models.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def of_checked(cls, fields: dict[str, Any]) -> Self:
        """Build a value of fields that were checked when stored, without checking them again.

        Every field must be given, in its own type and in the order of the model. Validating the
        hundred turns that a search reads would take four times as long.
        """
        value = cls.__new__(cls)
        object.__setattr__(value, "__dict__", fields)
        object.__setattr__(value, "__pydantic_fields_set__", _set_of_fields(cls))
        object.__setattr__(value, "__pydantic_extra__", None)
        object.__setattr__(value, "__pydantic_private__", None)
        return value

    @classmethod
    def of_known(cls, fields: dict[str, Any]) -> Self:
        """Build a value of fields known to be valid, each in its own type, and of defaults."""
        return cls.of_checked({**_list_defaults(cls), **fields})

    @classmethod
    def of_some(cls, fields: dict[str, Any]) -> Self:
        """Build a value of which only some fields are known, each in its own type.

        Whoever asks for another field gets an `AttributeError`, which says so.
        """
        value = cls.of_checked({name: fields[name] for name in cls.model_fields if name in fields})
        object.__setattr__(value, "__pydantic_fields_set__", set(fields))
        return value

    if not TYPE_CHECKING:  # which would take any name for an attribute

        def __getattr__(self, name: str) -> object:
            if name in type(self).model_fields:
                raise AttributeError(
                    f"This {type(self).__name__} does not have `{name}`: the answer from which it "
                    "was read does not hold it.",
                    name=name,
                    obj=self,
                )
            return super().__getattr__(name)

    def to_json(self, *names: str) -> dict[str, Any]:
        """Return the value as plain JSON for clients and scripts, without absent fields.

        Each field has the form of its `Shown`. Files and other processes get `model_dump_json`
        instead, which ignores these forms.

        Args:
            names: the keys wanted, in order; all by default.
        """
        shown = self._write_fields()
        return {name: shown[name] for name in names if name in shown} if names else shown

    def _write_fields(self) -> dict[str, Any]:
        """Return all fields as JSON, in the order of the model; subclasses may add keys."""
        return dict(_list_shown(self))


def write_json(value: object) -> Any:  # noqa: ANN401  (JSON)
    """Return a value, or a list or mapping of values, as plain JSON."""
    match value:
        case Value():
            return value.to_json()
        case Enum():
            return value.value
        case Mapping():
            return {key: write_json(one) for key, one in value.items()}
        case list() | tuple():
            return [write_json(one) for one in value]
        case _:
            return value


def write_document(**fields: object) -> dict[str, Any]:
    """Return fields as a JSON document, leaving out fields that are None."""
    return {name: write_json(value) for name, value in fields.items() if value is not None}


def _list_shown(value: Value) -> Iterator[tuple[str, Any]]:
    for field_name, form in list_forms(type(value)):
        own = getattr(value, field_name, None)
        if own is None or not (own or form.when_empty):
            continue
        shown = form.write(own)
        if shown is not None:
            yield form.name or field_name, write_json(shown)


@cache
def list_forms(kind: type[Value]) -> list[tuple[str, Shown]]:
    """List how each field of a class is shown in JSON, in the order of the fields."""
    plain = Shown()
    found = {name: _find_forms(field) for name, field in kind.model_fields.items()}
    return [(name, next(iter(forms), plain)) for name, forms in found.items()]


def _find_forms(field: FieldInfo) -> list[Shown]:
    """List the `Shown` notes beside a field's type, or beside a part of it (`Moment | None`)."""
    parts: Iterable[object] = (
        note for part in get_args(field.annotation) for note in getattr(part, "__metadata__", ())
    )
    return [note for note in (*field.metadata, *parts) if isinstance(note, Shown)]


@cache
def _set_of_fields(kind: type[BaseModel]) -> set[str]:
    """Return the names of all fields: one set for all values, to save memory."""
    return set(kind.model_fields)


@cache
def _list_defaults(kind: type[BaseModel]) -> dict[str, Any]:
    """Map every field, in the order of the model, to its default (`PydanticUndefined` without)."""
    return {name: field.default for name, field in kind.model_fields.items()}


_VERSION = 0x7 << 76
_VARIANT = 0b10 << 62
_RANDOM = ~((0xF << 76) | (0b11 << 62)) & ((1 << 80) - 1)
_SHORTEST_END = 8
"""Number of last characters of an id that are always enough to look for."""


def _random_id() -> str:
    return str(uuid_utils.uuid7())


_SOURCE: ContextVar[Callable[[], str]] = ContextVar("ids", default=_random_id)


def count_end_chars(ids: Iterable[str]) -> int:
    """Return the number of last characters that tell ids apart, at least eight."""
    alone = set(ids)
    longest = max(map(len, alone), default=_SHORTEST_END)
    chars = (
        n for n in range(_SHORTEST_END, longest) if len({one[-n:] for one in alone}) == len(alone)
    )
    return next(chars, longest)


def cut_ids(ids: Sequence[str]) -> list[str]:
    """Cut ids to the last characters that tell them apart."""
    chars = count_end_chars(ids)
    return [one[-chars:] for one in ids]


def choose_by_end(ids: Iterable[str], end: str) -> str | None:
    """Return the only id with an end; None if no id has the end.

    Raises:
        InvalidInputError: several ids have the end; the error names them.
    """
    alike = [one for one in ids if one.endswith(end)]
    if len(alike) > 1:
        raise ConflictError(
            f"{end} is the end of several ids: {', '.join(cut_ids(alike))}. Give more of the one "
            "that is meant."
        )
    return alike[0] if alike else None


def new_id() -> str:
    """Make an identifier of 36 characters, greater than all that this process made before."""
    return _SOURCE.get()()


def derive_id(at: int, *parts: str) -> str:
    """Derive an identifier from a moment, UTC epoch ms, and texts: the same input, the same id."""
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    rest = int.from_bytes(digest[:10], "big") & _RANDOM
    return str(uuid.UUID(int=at << 80 | _VERSION | _VARIANT | rest))


@contextmanager
def use_ids(source: Callable[[], str]) -> Iterator[None]:
    """Take new identifiers in this block, in this thread alone, from a source."""
    token = _SOURCE.set(source)
    try:
        yield
    finally:
        _SOURCE.reset(token)


@contextmanager
def derive_ids(at: int, *parts: str) -> Iterator[None]:
    """Derive new identifiers in this block, in this thread alone, from a moment and texts.

    Work that is repeated after a crash makes the same identifiers again.
    """
    numbers = count()
    with use_ids(lambda: derive_id(at, *parts, str(next(numbers)))):
        yield

"""Base of all values: frozen, and unknown fields are refused."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


@dataclass(frozen=True, slots=True)
class Loosely:
    """Rules for reading a field from a model's answer that does not keep to its form."""

    names: tuple[str, ...] = ()
    """Other names that models give the field."""
    otherwise: str | int | None = None
    """Value where the answer has nothing fitting; None: then the whole value is unfit."""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """Other words that models write, by the word that is meant."""
    between: str = " "
    """Separator that joins a text given in pieces."""


class Value(BaseModel):
    """A frozen value. Equality is by content; a misspelt field is an error, not a loss."""

    # Validators are built when a model is first used: a start-up needs few of them.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def of_checked(cls, fields: dict[str, Any]) -> Self:
        """Build a value of fields that were checked when they were kept: nothing is checked again.

        It is `model_construct` for who gives every field, in its own type and in the order of the
        model: a search reads a hundred turns, and validating each takes four times as long.
        """
        value = cls.__new__(cls)
        object.__setattr__(value, "__dict__", fields)
        object.__setattr__(value, "__pydantic_fields_set__", _set_of_fields(cls))
        object.__setattr__(value, "__pydantic_extra__", None)
        object.__setattr__(value, "__pydantic_private__", None)
        return value

    @classmethod
    def of_known(cls, fields: dict[str, Any]) -> Self:
        """Build a value of fields known to be right, each in its own type; the rest by default."""
        return cls.of_checked({**_list_defaults(cls), **fields})


@cache
def _set_of_fields(kind: type[BaseModel]) -> set[str]:
    """Return the names of all fields: one set for all values, to save memory."""
    return set(kind.model_fields)


@cache
def _list_defaults(kind: type[BaseModel]) -> dict[str, Any]:
    """Map every field, in the order of the model, to its default (`PydanticUndefined` without)."""
    return {name: field.default for name, field in kind.model_fields.items()}

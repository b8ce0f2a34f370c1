"""Schemas of values as they are shown: what `Value.to_json` writes, for the OpenAPI document."""

from collections.abc import Callable
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, JsonValue, create_model

from memoria.model.base import HIDDEN, Shown, Value
from memoria.model.moments import to_iso


@cache
def build_shown_model(
    kind: type[Value],
    only: tuple[str, ...] = (),
    name: str | None = None,
    **further: Any,  # noqa: ANN401  (types)
) -> type[BaseModel]:
    """Return a model with the fields that a value shows, each in the type that is shown.

    A field that may be left out is optional. What a class adds to its fields by itself is not told.

    Args:
        kind: the class of the value.
        only: the keys wanted; all by default.
        name: name of the model; the class's by default.
        further: fields that are added, with their types.
    """
    hints = get_type_hints(kind, include_extras=True)
    fields = dict[str, Any]()
    for field in kind.model_fields:
        forms = _list_forms(hints[field])
        form = forms[0] if forms else Shown()
        key = form.name or field
        if form is HIDDEN or (only and key not in only):
            continue
        shown = _find_shown_type(hints[field], form.write)
        is_always = form.when_empty and not _may_be_none(hints[field]) and form.write in _PLAIN
        fields[key] = (shown, ...) if is_always else (shown | None, None)
    fields |= {key: (added | None, None) for key, added in further.items()}
    return create_model(name or kind.__name__, __doc__=kind.__doc__, **fields)


_PLAIN: tuple[Callable[[Any], object], ...] = (Shown().write, to_iso)
"""Ways of showing a value that never show nothing."""


def _list_forms(hint: Any) -> list[Shown]:  # noqa: ANN401  (any annotation)
    """List the notes beside a type, then those beside a part of it."""
    own = getattr(hint, "__metadata__", ())
    inner = get_args(hint)[0] if own else hint
    parts = [note for part in get_args(inner) for note in getattr(part, "__metadata__", ())]
    return [note for note in (*own, *parts) if isinstance(note, Shown)]


def _may_be_none(hint: Any) -> bool:  # noqa: ANN401  (any annotation)
    inner = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return NoneType in get_args(inner) or inner is JsonValue


def _find_shown_type(hint: Any, write: Callable[[Any], object] | None = None) -> Any:  # noqa: ANN401
    """Return the type in which a value of a type is shown."""
    if write is not None and write is not Shown().write:
        return get_type_hints(write).get("return") or JsonValue
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        own = next((note for note in parts[1:] if isinstance(note, Shown)), None)
        return _find_shown_type(parts[0], None if own is None else own.write)
    if isinstance(hint, type) and issubclass(hint, Value):
        return build_shown_model(hint)
    if origin is None or origin is Literal:
        return hint
    shown = tuple(_find_shown_type(part) for part in parts if part is not Ellipsis)
    if origin in (Union, UnionType):
        return Union[shown]  # noqa: UP007  (of any number)
    is_list = origin in (tuple, list, frozenset)
    return list[Union[shown]] if is_list else origin[shown]  # type: ignore[valid-type]  # noqa: UP007

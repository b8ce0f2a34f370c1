"""The filters of a LangGraph store: on the fields of a value, and on a namespace."""

from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from memoria.errors import InvalidInputError, quote_value

_ANY_LABEL = "*"
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": eq,
    "$ne": ne,
    "$gt": gt,
    "$gte": ge,
    "$lt": lt,
    "$lte": le,
}
_OF_EQUALITY = ("$eq", "$ne")


def passes(value: object, wanted: object) -> bool:
    """Check whether a value has the fields that a filter names, each as the filter wants it.

    >>> passes({"size": 3, "name": "tea"}, {"size": {"$gt": 2}})
    True

    Raises:
        InvalidInputError: the filter has an operator that is none.
    """
    if not isinstance(wanted, Mapping):
        return value == wanted
    if any(name.startswith("$") for name in wanted):
        return all(_holds(name, value, limit) for name, limit in wanted.items())
    return isinstance(value, Mapping) and all(
        passes(value.get(name), each) for name, each in wanted.items()
    )


def _holds(name: str, value: object, limit: object) -> bool:
    compare = _OPERATORS.get(name)
    if compare is None:
        known = ", ".join(_OPERATORS)
        raise InvalidInputError(f"filter: {quote_value(name)} is no operator; there are {known}.")
    if name in _OF_EQUALITY:
        return compare(value, limit)
    try:
        return compare(value, limit)
    except TypeError:  # a text is neither more nor less than a number
        return False


def is_like(namespace: Sequence[str], path: Sequence[str], where: str) -> bool:
    """Check whether a namespace begins or ends with these labels, `*` standing for any one.

    >>> is_like(("users", "7", "notes"), ("users", "*"), "prefix")
    True

    Args:
        namespace: its labels.
        path: the labels that are wanted.
        where: `prefix` or `suffix`.
    """
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if where == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in (_ANY_LABEL, label) for label, wanted in zip(part, path, strict=True))

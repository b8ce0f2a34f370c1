"""The arguments of a tool that searches: the fields of its query, made into a signature.

The SDK reads a tool's arguments off its signature, so the input schema follows from the query.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any, TypeVar

from memoria.model.query import SearchQuery, is_for_agents, query_parameters

_ToolT = TypeVar("_ToolT", bound=Callable[..., Any])


def takes_query_arguments(kind: type[SearchQuery]) -> Callable[[_ToolT], _ToolT]:
    """Give a tool, which takes a context and `**arguments`, the arguments of a query."""

    def decorate(tool: _ToolT) -> _ToolT:
        own = signature(tool)
        context = next(iter(own.parameters.values()))
        shown = {name for name, field in kind.model_fields.items() if is_for_agents(field)}
        fields = [one for one in query_parameters(kind) if one.name in shown]
        annotations = {one.name: one.annotation for one in (context, *fields)}
        tool.__signature__ = own.replace(parameters=[context, *fields])  # type: ignore[attr-defined]
        tool.__annotations__ = {**annotations, "return": own.return_annotation}
        return tool

    return decorate

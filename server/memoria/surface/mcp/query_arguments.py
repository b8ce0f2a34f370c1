"""The arguments of a tool that searches: the fields of its query, made into a signature.

The SDK reads a tool's arguments off its signature, so the input schema follows from the query.
"""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, TypeVar

from memoria.model.base import Value
from memoria.model.query import is_for_agents, query_parameters

_ToolT = TypeVar("_ToolT", bound=Callable[..., Any])
_FIRST = "queries"
"""Argument that goes first: it widens a question, and a model fills in what it reads first."""


def takes_query_arguments(kind: type[Value]) -> Callable[[_ToolT], _ToolT]:
    """Give a tool, which takes a context and `**arguments`, the arguments of a query.

    What else it takes, by name, is not the caller's to give: the SDK resolves it.
    """

    def decorate(tool: _ToolT) -> _ToolT:
        own = signature(tool)
        context, *rest = own.parameters.values()
        resolved = [one for one in rest if one.kind is not Parameter.VAR_KEYWORD]
        shown = {name for name, field in kind.model_fields.items() if is_for_agents(field)}
        fields = sorted(
            (one for one in query_parameters(kind) if one.name in shown), key=_stands_later
        )
        parameters = [
            one.replace(kind=Parameter.KEYWORD_ONLY) for one in (context, *fields, *resolved)
        ]
        annotations = {one.name: one.annotation for one in parameters}
        tool.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        tool.__annotations__ = {**annotations, "return": own.return_annotation}
        return tool

    return decorate


def _stands_later(parameter: Parameter) -> bool:
    """Check whether an argument comes behind the one that stands first."""
    return parameter.name != _FIRST

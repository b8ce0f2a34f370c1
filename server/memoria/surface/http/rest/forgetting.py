"""Forgetting: a preview first, then just what it has shown, and the proofs of it."""

from http import HTTPStatus
from typing import Annotated, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from memoria.model.access import Access
from memoria.model.base import write_document
from memoria.model.forgetting import NARROWING, ForgetPreview, ForgetReport, ForgetSelection
from memoria.model.query import build_query, is_for_agents
from memoria.surface.documents import Document, write_forgotten, write_preview
from memoria.surface.forgetting_text import forget_command
from memoria.surface.http.rest.answers import RefusedCallError
from memoria.surface.http.rest.bounds import InstantText
from memoria.surface.http.rest.shown import build_shown_model
from memoria.surface.http.rest.table import EXAMPLE_IDS, Order, RestCaller, RestRoute
from memoria.surface.mcp.shapes import WireForgetAnswer

_TYPES = get_type_hints(ForgetSelection, include_extras=True)
_FIELDS: dict[str, Any] = {
    name: (_TYPES[name], field.default)
    for name, field in ForgetSelection.model_fields.items()
    if is_for_agents(field)
}
_FIELDS |= dict.fromkeys(("since", "until"), (InstantText | None, None))
_NARROWING = [name for name in NARROWING if name in _FIELDS]
_NAMED: Document = {"type": "string", "minLength": 1}
_NOT_NAMED: Document = {"enum": ["", None]}


_CHOICES: list[Any] = [
    {
        "required": ["ids"],
        "properties": {"ids": {"minItems": 1}, **dict.fromkeys(_NARROWING, _NOT_NAMED)},
    },
    *(
        {"required": [name], "properties": {"ids": {"maxItems": 0}, name: _NAMED}}
        for name in _NARROWING
    ),
]


class _MeansSomething(Order):
    """Either ids, or something to select by."""

    model_config = ConfigDict(json_schema_extra={"anyOf": _CHOICES})


SelectionOrder = create_model(
    "SelectionOrder",
    __base__=_MeansSomething,
    __doc__="What to forget: ids, or otherwise whatever passes all other fields given.",
    **_FIELDS,
)
"""The fields of `ForgetSelection` but those that only the user has."""


class ConfirmedOrder(SelectionOrder):
    """A selection, with the token of its preview."""

    token: Annotated[str, Field(min_length=1, description="of the preview the user agreed to")]


class ReportsOrder(Order):
    """The newest proofs."""

    limit: Annotated[int, Field(ge=1, le=1_000)] = 20
    before: Annotated[str, Field(min_length=1)] | None = None
    """Id of the proof with which a list ended: only those before it."""


class ReportOrder(Order):
    """A proof, by its id or the end of it."""

    report_id: Annotated[str, Field(min_length=1)]


ShownReport = build_shown_model(ForgetReport)


class Reports(BaseModel):
    """Proofs of what was forgotten, newest first."""

    reports: list[ShownReport]  # type: ignore[valid-type]  # made of a value


async def preview_forget(caller: RestCaller, order: Order) -> Document:
    """Show what a forget would erase, with a token for just that."""
    selection = _read_selection(order)
    preview = await caller.memory.preview_forget(selection)
    if _is_too_large(caller, preview):
        command = forget_command(selection, caller.memory.settings)
        return write_preview(preview, note=_explain_large(caller, command), command=command)
    return write_preview(preview)


async def forget(caller: RestCaller, order: ConfirmedOrder) -> Document:
    """Forget what a preview has shown; where that is forgotten already, tell so."""
    selection, token = _read_selection(order), order.token
    preview = await caller.memory.preview_forget(selection)
    if _is_too_large(caller, preview):
        command = forget_command(selection, caller.memory.settings)
        raise RefusedCallError(HTTPStatus.FORBIDDEN, _explain_large(caller, command))
    if preview.is_empty:
        token = preview.token
    return write_forgotten(await caller.memory.forget_memory(selection.with_token(token)))


async def list_reports(caller: RestCaller, order: ReportsOrder) -> Document:
    """List proofs."""
    return write_document(
        reports=await caller.memory.list_forget_reports(order.limit, order.before)
    )


async def get_report(caller: RestCaller, order: ReportOrder) -> Document:
    """Return a proof."""
    return (await caller.memory.get_forget_report(order.report_id)).to_json()


def _read_selection(order: Order) -> ForgetSelection:
    return build_query(ForgetSelection, {name: getattr(order, name) for name in _FIELDS})


def _is_too_large(caller: RestCaller, preview: ForgetPreview) -> bool:
    return preview.total > caller.memory.settings.forget_at_once


def _explain_large(caller: RestCaller, command: str) -> str:
    most = caller.memory.settings.forget_at_once
    return (
        f"Nothing is forgotten. More than {most} items: the user can forget them in a shell with "
        f"`{command}`."
    )


ROUTES: tuple[RestRoute[Any], ...] = (
    RestRoute(
        "POST",
        "/memory/forget/preview",
        Access.FORGET,
        "preview_forget",
        "Show what a forget would erase, with a token for just that. Nothing is forgotten yet.",
        SelectionOrder,
        preview_forget,
        WireForgetAnswer,
        {"ids": [EXAMPLE_IDS["outdated"]]},
    ),
    RestRoute(
        "POST",
        "/memory/forget",
        Access.FORGET,
        "forget_memory",
        "Erase for good what a preview has shown: gone everywhere but from backups, and not learnt "
        "again.",
        ConfirmedOrder,
        forget,
        WireForgetAnswer,
        {"ids": [EXAMPLE_IDS["outdated"]], "token": EXAMPLE_IDS["forget_token"]},
    ),
    RestRoute(
        "GET",
        "/memory/forgotten",
        Access.READ,
        "list_forget_reports",
        "List the proofs of what was forgotten: what left which index, and no word of it.",
        ReportsOrder,
        list_reports,
        Reports,
        {"limit": 5},
    ),
    RestRoute(
        "GET",
        "/memory/forgotten/{report_id}",
        Access.READ,
        "get_forget_report",
        "Return the proof of a forget, with a digest of each item.",
        ReportOrder,
        get_report,
        ShownReport,
        {"report_id": EXAMPLE_IDS["report"]},
    ),
)

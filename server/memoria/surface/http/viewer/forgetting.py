"""Forgetting: what is meant, what would go, a typed confirmation, the proof, and the way back."""

import os
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import PurePath
from typing import Annotated, Any
from urllib.parse import urlencode

from pydantic import Field
from starlette.responses import RedirectResponse, Response

from memoria.errors import PreviewChangedError
from memoria.model import now_millis
from memoria.model.access import Access
from memoria.model.forgetting import (
    FORGET_KINDS,
    NARROWING,
    ForgetItem,
    ForgetPreview,
    ForgetReport,
    ForgetSelection,
)
from memoria.model.query import build_query
from memoria.surface.http.rest.table import EXAMPLE_IDS
from memoria.surface.http.viewer.phrases import SAY, TYPES
from memoria.surface.http.viewer.table import (
    ROOT,
    Action,
    Area,
    Done,
    Filled,
    PageRow,
    Visit,
    Wish,
    sentence,
)

PATH = f"{ROOT}/forget"
_REPORTS = 50
_MOST_ITEMS = 300
"""Items of a preview that are shown; nobody reads a longer list, and its numbers are told."""
_KINDS = {
    "memory": sentence("Memories"),
    "duplicate": sentence("What says the same"),
    "conclusion": sentence("What was concluded from the turns"),
    "correction": sentence("Corrections that wait for your word"),
    "derived": sentence("What rests on it"),
    "episode": sentence("Summaries"),
    "wording": sentence("Former wordings of other memories"),
    "turn": sentence("Turns"),
    "note": sentence("Names of tasks"),
    "line": sentence("Lines of core files"),
    "file": sentence("Files"),
}
_KEEPABLE = ("duplicate", "conclusion", "correction", "wording", "turn")
_CONFIRM = "confirm"
_FORGOTTEN = sentence("Forgotten")
_SELECTS = ("ids", "type", *NARROWING)
"""Fields of a form that select; the others say more about what these do."""
_PREVIEW = sentence("What would be forgotten")


class SelectionWish(Wish):
    """Selection of what is to be forgotten, as a form tells it."""

    ids: str | None = None
    """Ids of memories or turns, or their ends, with blanks or commas between them."""
    topic: str | None = None
    query: str | None = None
    type: str | None = None
    session_id: str | None = None
    speaker: str | None = None
    since: str | None = None
    until: str | None = None
    workspace: str | None = None
    include_source: bool = False
    keep: list[str] = Field(default_factory=list)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The fields given, as a form or a path has them."""
        given = self.model_dump(include=set(SelectionWish.model_fields), mode="json")
        pairs = [(name, value) for name, value in given.items() if isinstance(value, str)]
        if self.include_source:
            pairs.append(("include_source", "true"))
        return [*pairs, *(("keep", one) for one in self.keep)]

    def select(self) -> ForgetSelection:
        """Return the selection.

        Raises:
            InvalidInputError: nothing is named, or two things that exclude each other.
        """
        given: dict[str, Any] = self.model_dump(
            include={*SelectionWish.model_fields} - {"ids", "type", "keep"}, exclude_none=True
        )
        ids = (self.ids or "").replace(",", " ").split()
        types = () if self.type is None else (self.type,)
        given |= {"ids": tuple(ids), "types": types, "keep": tuple(self.keep)}
        return build_query(ForgetSelection, given)


class ConfirmedWish(SelectionWish):
    """A selection, with the token of its preview and what the user typed."""

    token: str
    typed: str = ""
    reason: str | None = None
    at_once: bool = False


class FormWish(Wish):
    """Beginning of the form, and the proof before which others are listed."""

    ids: str | None = None
    session_id: str | None = None
    before: str | None = None


class ReportWish(Wish):
    """A proof, by its id or the end of it."""

    report_id: Annotated[str, Field(min_length=1)]


async def show_forgetting(visit: Visit, wish: FormWish, *, is_again: bool = False) -> Filled:
    """Show the form, and the proofs of what was forgotten; `is_again` if nothing was filled in."""
    reports = await visit.memory.list_forget_reports(_REPORTS, wish.before)
    last = reports[-1].id if len(reports) == _REPORTS else None
    return Filled(
        "forget.html",
        {
            "reports": [(one, _is_hidden(one)) for one in reports],
            "next": last and f"{PATH}?{urlencode({'before': last})}",
            "may_forget": visit.access.includes(Access.FORGET),
            "given": wish,
            "is_again": is_again,
            "types": TYPES,
            "say": SAY,
            "path": PATH,
            "kinds": _KINDS,
        },
        422 if is_again else 200,
    )


async def show_preview(visit: Visit, wish: SelectionWish) -> Filled:
    """Show what would be forgotten; the form again if nothing is named. Nothing is forgotten."""
    if not any(name in _SELECTS for name, _ in wish.fields):
        return await show_forgetting(visit, FormWish(), is_again=True)
    return _lay_out(visit, wish, await visit.memory.preview_forget(wish.select()))


async def forget_confirmed(visit: Visit, wish: ConfirmedWish) -> Done | Filled:
    """Forget just what a preview has shown, if the user typed how much that is."""
    selection = wish.select()
    preview = await visit.memory.preview_forget(selection)
    if preview.token != wish.token:
        return _lay_out(visit, wish, preview, "changed")
    if preview.is_empty or wish.typed.strip() != str(preview.total):
        return _lay_out(visit, wish, preview, "mistyped")
    order = selection.with_token(wish.token, wish.reason)
    try:
        forgotten = await visit.memory.forget_memory(
            order.model_copy(update={"at_once": wish.at_once})
        )
    except PreviewChangedError as error:
        return _lay_out(visit, wish, error.preview, "changed")
    is_alone = await visit.memory.is_alone()
    backups = [(PurePath(one.path).name, one) for one in forgotten.backups] if is_alone else []
    return Filled(
        "forgotten.html",
        {
            "forgotten": forgotten,
            "report": forgotten.report,
            "files": [
                (_name_in_home(visit, one), one in forgotten.deleted_files)
                for one in forgotten.files
            ],
            "programs": _list_programs(forgotten.told_by),
            "backups": backups,
            "has_backups": bool(forgotten.backups),
            "kinds": _KINDS,
            "path": PATH,
        },
        title=_FORGOTTEN,
    )


async def show_report(visit: Visit, wish: ReportWish) -> Filled | Response:
    """Show a proof: what left which index, and a digest of each item."""
    if wish.report_id == _CONFIRM:  # a browser opens the address that a form was sent to
        return RedirectResponse(PATH, HTTPStatus.SEE_OTHER)
    report = await visit.memory.get_forget_report(wish.report_id)
    places = [*dict.fromkeys((*report.removed, *report.remaining))]
    return Filled(
        "forget_report.html",
        {
            "report": report,
            "is_hidden": _is_hidden(report) and visit.access.includes(Access.FORGET),
            "places": [
                (one, report.removed.get(one, 0), report.remaining.get(one, 0)) for one in places
            ],
            "say": SAY,
            "kinds": _KINDS,
            "path": PATH,
        },
    )


async def undo_forget(visit: Visit, wish: ReportWish) -> Done:
    """Put back what a forget has hidden."""
    report = await visit.memory.undo_forget(wish.report_id)
    return Done(
        f"{PATH}/{report.id}", "Put back. Take it back: forget it again, by the ids or words."
    )


def _name_in_home(visit: Visit, file: str) -> str:
    """Return the place of a file below the home: where that is, is the machine's own matter."""
    return file.removeprefix(f"{visit.memory.settings.home_path}{os.sep}")


def _list_programs(sources: Sequence[str]) -> list[str]:
    """List the titles of those programs that keep transcripts of what they have told."""
    from memoria.connectors.clients.table import CLIENTS  # noqa: PLC0415  (few forget)
    from memoria.connectors.transcripts.formats import FORMATS  # noqa: PLC0415  (as above)

    titles = {client.name: client.title for client in CLIENTS}
    kept = (one for one in sources if one in FORMATS and FORMATS[one].folder is not None)
    return [titles.get(one, one) for one in kept]


def _is_hidden(report: ForgetReport) -> bool:
    """Return whether a forget can still be taken back."""
    return report.state == "hidden" and (report.purge_at or 0) > now_millis()


def _lay_out(
    visit: Visit, wish: SelectionWish, preview: ForgetPreview, problem: str = ""
) -> Filled:
    """Lay a preview out.

    Args:
        visit: whom it is for.
        wish: what is meant.
        preview: what would go.
        problem: `changed` where something else was shown before, `mistyped` where the number that
            was typed is another one.
    """
    shown = preview.items[:_MOST_ITEMS]
    groups = [(_KINDS[kind], kind, _list_kind(shown, kind)) for kind in FORGET_KINDS]
    return Filled(
        "forget_preview.html",
        {
            "preview": preview,
            "groups": [one for one in groups if one[2]],
            "more": len(preview.items) - len(shown),
            "staying": 0 if preview.include_source else preview.counts.get("turn", 0),
            "grace_days": visit.memory.settings.forget_grace_days,
            "is_at_once": isinstance(wish, ConfirmedWish) and wish.at_once,
            "near": preview.near,
            "keepable": _KEEPABLE,
            "selection": wish.fields,
            "without_keep": [one for one in wish.fields if one[0] != "keep"],
            "kept": wish.keep,
            "problem": problem,
            "path": PATH,
        },
        409 if problem == "changed" else 422 if problem else 200,
        _PREVIEW,
    )


def _list_kind(items: tuple[ForgetItem, ...], kind: str) -> list[ForgetItem]:
    return [one for one in items if one.kind == kind]


_ITEM = {"ids": EXAMPLE_IDS["outdated"]}
AREA = Area(
    (
        PageRow(PATH, "forget", "Forget", FormWish, show_forgetting, menu="more"),
        PageRow(
            f"{PATH}/preview",
            "preview forget",
            _PREVIEW,
            SelectionWish,
            show_preview,
            Access.FORGET,
            example=_ITEM,
        ),
        PageRow(
            f"{PATH}/{{report_id}}",
            "forget report",
            "Proof of a forget",
            ReportWish,
            show_report,
            example={"report_id": EXAMPLE_IDS["report"]},
        ),
    ),
    (
        Action(
            f"{PATH}/{_CONFIRM}",
            "forget",
            ConfirmedWish,
            forget_confirmed,
            Access.FORGET,
            {**_ITEM, "token": EXAMPLE_IDS["forget_token"], "typed": "1"},
        ),
        Action(
            f"{PATH}/{{report_id}}/undo",
            "undo forget",
            ReportWish,
            undo_forget,
            Access.FORGET,
            {"report_id": EXAMPLE_IDS["report"]},
        ),
    ),
)

"""The viewer's face: Starlette routes made from the tables of pages and actions."""

import base64
import binascii
import hmac
import logging
import shlex
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

from starlette.datastructures import ImmutableMultiDict
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, compile_path

from memoria.bare.home import name_memory
from memoria.errors import MemoriaError
from memoria.model import now_millis
from memoria.model.access import Access
from memoria.surface.http.callers import find_token
from memoria.surface.http.events import Listening
from memoria.surface.http.rest.answers import status_for
from memoria.surface.http.viewer.areas import AREAS
from memoria.surface.http.viewer.doors import (
    ENTRY,
    LANGUAGE,
    LINK,
    STATIC,
    VISIT,
    ask_for_link,
    choose_language,
    keep_visit,
    tell_left,
    write_csrf,
)
from memoria.surface.http.viewer.rendering import HEADERS, render, render_alone, say
from memoria.surface.http.viewer.saving import SAVE, render_saved
from memoria.surface.http.viewer.table import (
    ROOT,
    VIEWER,
    Action,
    Done,
    Filled,
    PageRow,
    Visit,
    WishT,
    keep_within,
    read_wish,
    sentence,
)
from memoria.surface.mcp.calls import ServedMemories, explain_lack

_LOG = logging.getLogger(__name__)
_SAID = "memoria_said"
"""Cookie that has the sentence on what was just done, until the next page shows it."""
_CSRF = "csrf"
_MOST_SAID_CHARS = 600
_A_DAY_S = 86_400
_A_YEAR_S = 365 * _A_DAY_S
_MS_PER_S = 1000
_MENU = [one for area in AREAS for one in area.pages if one.menu is not None]
_NEEDED = [(compile_path(one.path)[0], one.access) for area in AREAS for one in area.actions]
"""Patterns of the paths of actions, and the access that each takes."""
_LACKS = sentence(
    "This takes a visit with `{needed}`, and this one has `{access}`. Nothing was done. On the "
    "machine that has the memory, in a shell, this begins one: {command}"
)
_WENT_WRONG = sentence("Something went wrong; the server's log has it.")


class ViewerFace:
    """Answers requests for pages, and does actions."""

    def __init__(self, listening: Listening) -> None:
        """Make the face; streams of events share `listening`."""
        self._listening = listening
        self.memories: ServedMemories | None = None
        """The memories that visits reach; None before the home is open and after it is closed."""

    def list_routes(self) -> list[Route]:
        """List the routes of all pages and actions."""
        pages = [one for area in AREAS for one in area.pages]
        actions = [one for area in AREAS for one in area.actions]
        return [
            *(Route(path, _answer_file) for path in STATIC),
            Route(ENTRY, self._guard(self._enter)),
            Route(f"{ROOT}/leave", self._guard(self._leave), methods=["POST"]),
            Route(f"{ROOT}/language", self._guard(self._set_language), methods=["POST"]),
            *(Route(one.path, self._guard(self._showing(one))) for one in pages),
            *(Route(one.path, self._guard(self._doing(one)), methods=["POST"]) for one in actions),
            Route(f"{ROOT}/{{rest:path}}", self._guard(self._tell_unknown)),
        ]

    def _guard(
        self, answer: Callable[[Visit], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return a function that answers a request, whatever goes wrong, with a page."""

        async def guarded(request: Request) -> Response:
            if self.memories is None:
                return ask_for_link(request)
            visit = self._begin_visit(self.memories, request)
            try:
                return await answer(visit)
            except MemoriaError as error:
                return _tell(visit, status_for(type(error)), str(error))
            except ClientDisconnect:
                return Response(status_code=HTTPStatus.BAD_REQUEST)
            except Exception:  # noqa: BLE001  (it is logged, and the visitor told)
                _LOG.exception("A page raised an unexpected exception")
                return _tell(visit, HTTPStatus.INTERNAL_SERVER_ERROR, _WENT_WRONG)

        return guarded

    def _begin_visit(self, memories: ServedMemories, request: Request) -> Visit:
        access = memories.find_access(request)
        return Visit(
            memories.find(request).with_channel(VIEWER),
            access,
            request,
            choose_language(request),
            write_csrf(request),
            self._listening,
            partial(_may_do, access),
        )

    def _showing(self, page: PageRow[WishT]) -> Callable[[Visit], Awaitable[Response]]:
        async def answer(visit: Visit) -> Response:
            lack = await self._find_lack(visit, page.access, page.name)
            if lack is not None:
                return lack
            given = visit.request.query_params.multi_items()
            saves = page.is_savable and (SAVE, "1") in given
            asked = [(name, value) for name, value in given if not saves or name != SAVE]
            wish = read_wish(page.wish, ImmutableMultiDict(asked), visit.request.path_params)
            shown = await page.load(visit, wish)
            if isinstance(shown, Response):
                return shown
            return _send(visit, shown, page) if saves else _show(visit, shown, page.title, page)

        return answer

    def _doing(self, action: Action[WishT]) -> Callable[[Visit], Awaitable[Response]]:
        async def answer(visit: Visit) -> Response:
            form = await self._read_form(visit)
            if isinstance(form, Response):
                return form
            lack = await self._find_lack(visit, action.access, action.name)
            if lack is not None:
                return lack
            done = await action.do(visit, read_wish(action.wish, form, visit.request.path_params))
            if isinstance(done, Filled):
                return _show(visit, done, done.title)
            return _go(done, visit)

        return answer

    async def _find_lack(self, visit: Visit, needed: Access, name: str) -> Response | None:
        """Return a page that says what a visit may not do; None if it may."""
        if self.memories is None or visit.access.includes(needed):
            return None
        await self.memories.note_refusal(visit.request, f"{name} needs `{needed}`")
        if self.memories.is_read_only:
            told = explain_lack(self.memories, visit.request, needed)
            return _tell(visit, HTTPStatus.FORBIDDEN, told)
        options = (*name_memory(visit.memory.tenant), "ui", "--access", needed)
        command = shlex.join(("memoria", *options))
        lack = {"needed": needed, "access": visit.access, "command": command}
        return _tell(visit, HTTPStatus.FORBIDDEN, _LACKS, lack)

    async def _read_form(self, visit: Visit) -> ImmutableMultiDict[str, str] | Response:
        """Read a form; return a page that refuses one that this visit's pages did not have."""
        body = (await visit.request.body()).decode(errors="replace")
        pairs = parse_qsl(body, keep_blank_values=True)
        shown = next((value for name, value in pairs if name == _CSRF), "")
        if not hmac.compare_digest(shown.encode(), visit.csrf.encode()):
            if self.memories is not None:
                await self.memories.note_refusal(visit.request, "a form of another visit")
            return _tell(
                visit,
                HTTPStatus.FORBIDDEN,
                sentence(
                    "This form is of another visit, or another site has sent it. Nothing was done; "
                    "open the page again."
                ),
            )
        return ImmutableMultiDict([(name, value) for name, value in pairs if name != _CSRF])

    async def _enter(self, visit: Visit) -> Response:
        """Begin a visit with a link, and show the first page from within the viewer.

        The browser sends a strict cookie only from our own pages, so that a link that was clicked
        elsewhere can't lead there at once.
        """
        if visit.request.method == "HEAD":  # whoever asks whether the link holds spends nothing
            return Response(headers=HEADERS)
        link = visit.request.query_params.get(LINK, "")
        try:
            opened = await visit.memory.tokens.open_link(link)
        except MemoriaError:
            if VISIT in visit.request.cookies:
                return RedirectResponse(ROOT, HTTPStatus.SEE_OTHER, HEADERS)
            return ask_for_link(visit.request)
        end = opened.token.expires_at
        seconds = _A_YEAR_S if end is None else max(1, (end - now_millis()) // _MS_PER_S)
        answer = render_alone("entered.html", visit.language, HTTPStatus.OK)
        keep_visit(answer, visit.request, opened.text, seconds)
        return answer

    async def _leave(self, visit: Visit) -> Response:
        """End a visit: its token opens nothing any more."""
        form = await self._read_form(visit)
        if isinstance(form, Response):
            return form
        await visit.memory.tokens.revoke(find_token(visit.request).client_id)
        return tell_left(visit.request)

    async def _set_language(self, visit: Visit) -> Response:
        """Keep the language that a visitor chose, and go back to the page."""
        form = await self._read_form(visit)
        if isinstance(form, Response):
            return form
        answer = RedirectResponse(keep_within(form.get("back", "")), HTTPStatus.SEE_OTHER, HEADERS)
        chosen = "zh" if form.get("to") == "zh" else "en"
        answer.set_cookie(LANGUAGE, chosen, _A_YEAR_S, path=ROOT, httponly=True, samesite="strict")
        return answer

    async def _tell_unknown(self, visit: Visit) -> Response:
        return _tell(visit, HTTPStatus.NOT_FOUND, sentence("There is no such page."))


def _show(visit: Visit, shown: Filled, title: str, page: PageRow[Any] | None = None) -> Response:
    said = _read_said(visit.request)
    here = visit.address
    is_savable = page is not None and page.is_savable
    save = f"{here}{'&' if '?' in here else '?'}{SAVE}=1" if is_savable else ""
    answer = render(visit, shown, title, _MENU, said, save)
    if said:
        answer.delete_cookie(_SAID, ROOT)
    return answer


def _send(visit: Visit, shown: Filled, page: PageRow[Any]) -> Response:
    """Return a page as a file that the browser saves."""
    name = f"memoria-{page.name}.html"
    headers = HEADERS | {"Content-Disposition": f'attachment; filename="{name}"'}
    return HTMLResponse(render_saved(visit, shown, page.title), shown.status, headers)


def _may_do(access: Access, path: str) -> bool:
    """Return whether an access allows the action at a path; leaving and the language take none."""
    return all(access.includes(needed) for pattern, needed in _NEEDED if pattern.match(path))


def _tell(
    visit: Visit, status: HTTPStatus, reason: str, values: Mapping[str, str] | None = None
) -> Response:
    """Return a page that says why something was not shown or done."""
    title = status.phrase
    told = {"reason": say(visit.language, reason, values or {})}
    return render(visit, Filled("refused.html", told, status), title, _MENU)


def _go(done: Done, visit: Visit) -> Response:
    """Return the way to the page after an action, which says what was done."""
    answer = RedirectResponse(done.path, HTTPStatus.SEE_OTHER, HEADERS)
    said = say(visit.language, done.said, done.values)[:_MOST_SAID_CHARS]
    kept = base64.urlsafe_b64encode(said.encode()).decode()
    answer.set_cookie(_SAID, kept, 60, path=ROOT, httponly=True, samesite="strict")
    return answer


def _read_said(request: Request) -> str:
    """Return the sentence on what was just done; empty if there is none."""
    try:
        return base64.urlsafe_b64decode(request.cookies.get(_SAID, "")).decode()
    except (binascii.Error, ValueError):
        return ""


async def _answer_file(request: Request) -> Response:
    body, media_type = STATIC[request.url.path]
    headers = {"Cache-Control": "max-age=3600", "X-Content-Type-Options": "nosniff"}
    return Response(body, headers=headers, media_type=media_type)

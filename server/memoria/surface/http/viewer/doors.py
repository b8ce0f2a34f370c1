"""Doors of the viewer: the link that opens it once, and the cookie that a browser keeps after it.

A link and a visit are tokens of the tenant, listed and revoked as all others. An agent that has a
token can't visit with it: what is done in the viewer counts as done by the user.
"""

import hashlib
from importlib.resources import files
from typing import Literal

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser, BearerAuthBackend
from mcp.server.auth.provider import AccessToken
from starlette.authentication import AuthCredentials, AuthenticationBackend, BaseUser
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from memoria.model.access import LINK_BEGINS, VISIT_BEGINS
from memoria.surface.http.callers import TokenVerifier
from memoria.surface.http.viewer.rendering import render_alone
from memoria.surface.http.viewer.table import ROOT, Language

ENTRY = f"{ROOT}/enter"
LINK = "link"
"""Parameter of the entry that has the link's secret."""
VISIT = "memoria_visit"
"""Cookie that has the visit's token."""
LANGUAGE = "memoria_language"
"""Cookie that has the language a visitor chose."""
_STATIC = f"{ROOT}/static"
STATIC = {
    f"{_STATIC}/{name}": ((files(__package__) / "static" / name).read_bytes(), media_type)
    for name, media_type in (
        ("viewer.css", "text/css"),
        ("viewer.js", "text/javascript"),
        ("icon.svg", "image/svg+xml"),
    )
}
"""Files that pages load, with their media types, by path."""
STYLE = f"{_STATIC}/viewer.css"
STATIC_PATHS = frozenset(STATIC)


class CallerBackend(AuthenticationBackend):
    """Finds out who calls: by the bearer token, and in the viewer by the visit's cookie alone."""

    def __init__(self, verifier: TokenVerifier) -> None:
        self._verifier = verifier
        self._bearers = BearerAuthBackend(verifier)

    async def authenticate(self, conn: HTTPConnection) -> tuple[AuthCredentials, BaseUser] | None:
        """Return what the caller may do and who it is; None for somebody unknown."""
        if not is_viewer(conn.url.path):
            found: tuple[AuthCredentials, BaseUser] | None = await self._bearers.authenticate(conn)
            return found
        if conn.url.path == ENTRY:
            token = await self._verify(conn.query_params.get(LINK, ""), LINK_BEGINS)
        else:
            token = None
        # a link that was opened before leads whoever has a visit to the first page
        token = token or await self._verify(conn.cookies.get(VISIT, ""), VISIT_BEGINS)
        if token is None:
            return None
        return AuthCredentials(token.scopes), AuthenticatedUser(token)

    async def _verify(self, shown: str, begins: str) -> AccessToken | None:
        return await self._verifier.verify(shown, begins) if shown else None


def is_viewer(path: str) -> bool:
    """Return whether a path is one of the viewer's.

    >>> is_viewer("/ui"), is_viewer("/ui/days"), is_viewer("/uid")
    (True, True, False)
    """
    return path == ROOT or path.startswith(f"{ROOT}/")


def ask_for_link(request: Request) -> Response:
    """Return the page for whoever has no visit, which says how to begin one."""
    reason: Literal["spent", "none"] = "spent" if request.url.path == ENTRY else "none"
    return render_alone("enter.html", choose_language(request), 401, reason)


def tell_left(request: Request) -> Response:
    """Return the page for whoever has ended a visit; the browser drops the visit's token."""
    answer = render_alone("enter.html", choose_language(request), 200, "left")
    answer.delete_cookie(VISIT, ROOT)
    return answer


def choose_language(request: Request) -> Language:
    """Return the language that a visitor chose, or else the first that the browser asks for."""
    chosen = request.cookies.get(LANGUAGE)
    if chosen is None:
        asked = request.headers.get("accept-language", "").lower().split(",")
        known = (one.strip()[:2] for one in asked)
        chosen = next((one for one in known if one in ("en", "zh")), "en")
    return "zh" if chosen == "zh" else "en"


def write_csrf(request: Request) -> str:
    """Return the text that a visit's forms send: nobody without its cookie can derive it."""
    visit = request.cookies.get(VISIT, "")
    return hashlib.sha256(f"csrf {visit}".encode()).hexdigest()


def keep_visit(answer: Response, request: Request, text: str, seconds: int) -> None:
    """Have the browser keep a visit's token, for this server alone and out of reach of scripts.

    It travels in the clear to this machine alone: to any other name only through TLS.
    """
    answer.set_cookie(
        VISIT,
        text,
        max_age=seconds,
        path=ROOT,
        secure=request.url.hostname not in ("127.0.0.1", "localhost", "::1"),
        httponly=True,
        samesite="strict",
    )

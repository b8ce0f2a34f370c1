"""Saving: a page as one file to send, which loads nothing, leads nowhere and has no secrets."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from html import escape
from html.parser import HTMLParser

from starlette.datastructures import ImmutableMultiDict
from starlette.requests import Request

from memoria.app import Memoria
from memoria.language.secrets.redact import redact
from memoria.model import now_millis
from memoria.model.access import Access
from memoria.surface.http.viewer.areas import AREAS
from memoria.surface.http.viewer.doors import STATIC, STYLE
from memoria.surface.http.viewer.rendering import render
from memoria.surface.http.viewer.table import ROOT, Filled, Language, Visit, read_wish

SAVE = "save"
"""Parameter with which a page is sent as a file."""
_LEFT_OUT = frozenset({"script", "header", "footer", "form", "button", "link"})
"""Elements that are left out with all that is in them."""
_CLASSES_LEFT_OUT = frozenset({"skip", "actions", "pager", "leads"})
"""Classes of elements that lead on."""
_VOID = frozenset({"meta", "link", "input", "br", "hr", "img", "wbr"})
_ATTRIBUTES = frozenset(
    {"class", "lang", "charset", "name", "content", "datetime", "start", "scope", "colspan", "role"}
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def save_page(html: str, at: datetime) -> str:
    """Return a page as a file of its own: style inlined, without scripts, links, forms, secrets.

    Args:
        html: the page as a browser gets it.
        at: local time at which it is saved.
    """
    writer = _PageWriter(f"<footer><p>Memoria, {at:%Y-%m-%d %H:%M}</p></footer>")
    writer.feed(html)
    writer.close()
    return "".join(writer.written)


class _PageWriter(HTMLParser):
    """Writes what may be sent of a page."""

    def __init__(self, foot: str) -> None:
        super().__init__()
        self.written = ["<!doctype html>\n"]
        self._foot = foot
        self._left_out = list[str]()
        """Open elements from the outermost that is left out on."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Write an element's beginning, with the attributes that lead nowhere."""
        classes = set((dict(attrs).get("class") or "").split())
        if self._left_out or tag in _LEFT_OUT or classes & _CLASSES_LEFT_OUT:
            if tag not in _VOID:
                self._left_out.append(tag)
            return
        if tag == "a":
            return
        kept = [(name, value) for name, value in attrs if name in _ATTRIBUTES and value is not None]
        self.written.append(f"<{tag}{_write_attributes(kept)}>")
        if tag == "head":
            self.written.append(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">')
            self.written.append(f"<style>{STATIC[STYLE][0].decode()}</style>")

    def handle_endtag(self, tag: str) -> None:
        """Write an element's end."""
        if self._left_out:
            while self._left_out and self._left_out.pop() != tag:
                pass
        elif tag != "a" and tag not in _VOID:
            self.written.append(f"{self._foot}</{tag}>" if tag == "body" else f"</{tag}>")

    def handle_data(self, data: str) -> None:
        """Write a text without secrets."""
        if not self._left_out:
            self.written.append(escape(redact(data).text, quote=False))


def _write_attributes(kept: Iterable[tuple[str, str]]) -> str:
    return "".join(f' {name}="{escape(value)}"' for name, value in kept)


async def export_page(
    memory: Memoria, name: str, arguments: Mapping[str, str], language: Language
) -> str:
    """Return a page of the viewer as a file.

    Args:
        memory: where to look.
        name: name of the page.
        arguments: arguments of the page, those of its path among them.
        language: in which the page is written.

    Raises:
        InvalidInputError: an argument is out of bounds.
        NotFoundError: what the page is about does not exist.
    """
    page = next(one for area in AREAS for one in area.pages if one.name == name)
    request = Request({"type": "http", "path": ROOT, "query_string": b"", "headers": []})
    visit = Visit(memory, Access.READ, request, language, csrf="")
    wish = read_wish(page.wish, ImmutableMultiDict(arguments), {})
    shown = await page.load(visit, wish)
    if not isinstance(shown, Filled):
        raise TypeError(f"{name} is no page that can be saved.")
    return render_saved(visit, shown, page.title)


def render_saved(visit: Visit, shown: Filled, title: str) -> str:
    """Return a page as a file."""
    html = bytes(render(visit, shown, title).body).decode()
    return save_page(html, visit.memory.settings.zone.to_local(now_millis()))

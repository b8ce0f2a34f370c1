"""Rendering: templates filled for a visit, in its language, with times by the user's clock."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from memoria.language.reading.fences import show_invisible
from memoria.model import now_millis
from memoria.model.moments import Zone, to_iso
from memoria.surface.http.viewer.table import ROOT, Filled, Language, PageRow, Visit, sentence

_PACKAGE = "memoria.surface.http.viewer"
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",  # no-referrer would take the origin from forms
    "X-Content-Type-Options": "nosniff",
}
"""Headers of every page: nothing is loaded but our own style and script, and nothing is kept."""
Translate = Callable[..., Markup]
_AGES = (
    (86_400_000, sentence("{n} d ago")),
    (3_600_000, sentence("{n} h ago")),
    (60_000, sentence("{n} min ago")),
)


def render(
    visit: Visit,
    shown: Filled,
    title: str,
    menu: Sequence[PageRow[Any]] = (),
    said: str = "",
    save: str = "",
) -> HTMLResponse:
    """Render a page.

    Args:
        visit: whom it is for.
        shown: the template, and what fills it.
        title: English title of the page.
        menu: pages that the menu leads to, those of them that the visit may see.
        said: sentence on what was just done; empty for none.
        save: address at which the page is a file to send; empty for a page that none is made of.
    """
    zone, translate = visit.memory.settings.zone, choose_texts(visit.language)
    html = (
        _environment()
        .get_template(shown.template)
        .render(
            **shown.values,
            _=translate,
            visit=visit,
            root=ROOT,
            language=visit.language,
            menu=[one for one in menu if visit.access.includes(one.access)],
            tenant=visit.memory.tenant,
            title=translate(title),
            said=said,
            save=save,
            when=lambda millis: write_time(millis, zone),
            day=lambda millis: f"{zone.to_local(millis):%Y-%m-%d}",
            age=lambda millis: _write_age(now_millis() - millis, translate),
        )
    )
    return HTMLResponse(html, shown.status, HEADERS)


def render_alone(template: str, language: Language, status: int, reason: str = "") -> HTMLResponse:
    """Render a page for somebody who has no visit."""
    html = (
        _environment()
        .get_template(template)
        .render(_=choose_texts(language), root=ROOT, language=language, reason=reason)
    )
    return HTMLResponse(html, status, HEADERS)


def write_time(millis: int, zone: Zone) -> Markup:
    """Write a moment as the user's clock has it, with UTC for programs."""
    local = zone.to_local(millis)
    return Markup('<time datetime="{}">{}</time>').format(to_iso(millis), f"{local:%Y-%m-%d %H:%M}")


@cache
def choose_texts(language: Language) -> Translate:
    """Return a function that translates an English sentence of ours and fills it with values."""
    texts = {} if language == "en" else _read_texts(language)

    def translate(text: str, **values: object) -> Markup:
        shown = {name: _show(value) for name, value in values.items()}
        return Markup(texts.get(text, text)).format(**shown)  # noqa: S704  (our own words)

    return translate


def say(language: Language, text: str, values: Mapping[str, str]) -> str:
    """Return an English sentence of ours in a language, as plain text; any other as it is."""
    texts = {} if language == "en" else _read_texts(language)
    found = texts.get(text, text)
    return found.format(**values) if values else found


@cache
def _read_texts(language: Language) -> Mapping[str, str]:
    """Read all translations into a language, by English sentence."""
    folder = files(_PACKAGE) / "texts" / language
    found = dict[str, str]()
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        found |= tomllib.loads(file.read_text(encoding="utf-8"))
    return found


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader(_PACKAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        finalize=_show,
    )


def _show(value: object) -> object:
    """Return a text with its invisible characters shown; it may have come from anybody."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return show_invisible(value)
    return value


def _write_age(elapsed_ms: int, translate: Translate) -> Markup:
    """Write how long ago something was, in its largest unit."""
    for unit_ms, text in _AGES:
        if elapsed_ms >= unit_ms:
            return translate(text, n=elapsed_ms // unit_ms)
    return translate(sentence("just now"))

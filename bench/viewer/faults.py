"""Faults of a page that a browser shows: errors, what does not fit, what nobody can reach."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.viewer.browser import PHONE_PX, Look

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request, Response

_SERIOUS = ("serious", "critical")
_MOST_STOPS = 400
"""Most elements that a person reaches with the Tab key on one page, for this look at least."""
_MORE_STOPS = 20
"""Stops beside one an element: a field for a date has one for each of its parts."""
_REFUSED = 400
_BROKEN_OFF = "net::ERR_ABORTED"
"""What becomes of a stream when its page is left."""
_REACH = """() => {
  const shown = (one) => {
    if (!one.checkVisibility({visibilityProperty: true})) return false;
    const closed = one.closest('details:not([open])');
    return !closed || one.closest('summary')?.parentElement === closed;
  };
  const all = [...document.querySelectorAll(
    'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]')];
  const alone = (one) => one.type !== 'radio' || one.checked;
  return all.filter(
    (one) => shown(one) && !one.disabled && one.tabIndex >= 0 && alone(one)).length;
}"""
_FOCUSED = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const all = [...document.querySelectorAll('*')], style = getComputedStyle(one);
  const seen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
  return {n: all.indexOf(one), seen: seen || style.boxShadow !== 'none',
    what: `${one.tagName.toLowerCase()} ${(one.textContent || one.name).trim()}`.slice(0, 40)};
}"""
_WIDEST = """() => {
  const wide = [...document.querySelectorAll('main *')].filter(
    (one) => one.getBoundingClientRect().right > innerWidth + 1);
  return {width: document.documentElement.scrollWidth, room: document.documentElement.clientWidth,
          what: wide.slice(0, 3).map((one) => one.tagName.toLowerCase() + '.' + one.className)};
}"""
_HEAD = """() => ({lang: document.documentElement.lang, title: document.title,
  headings: document.querySelectorAll('h1').length, mains: document.querySelectorAll('main').length,
  skip: document.querySelector('a')?.getAttribute('href')})"""


@dataclass(slots=True)
class Watch:
    """Watches what a page reports while it is open."""

    said: list[str] = field(default_factory=list)

    def follow(self, page: "Page") -> None:
        """Begin to watch a page."""
        page.on("console", lambda one: self._note(f"console {one.type}: {one.text}", one.type))
        page.on("pageerror", lambda error: self.said.append(f"script error: {error}"))
        page.on("requestfailed", lambda one: self._note_failure(one))  # noqa: PLW0108  (it is marked)

    def take(self) -> list[str]:
        """Return what was reported since the last call."""
        said, self.said = self.said, []
        return said

    def _note_failure(self, request: "Request") -> None:
        if request.failure != _BROKEN_OFF:
            self.said.append(f"not loaded: {request.url}, {request.failure}")

    def _note(self, line: str, kind: str) -> None:
        if kind in ("error", "warning"):
            self.said.append(line)


def inspect_page(
    page: "Page",
    response: "Response | None",
    look: Look,
    axe: Path | None,
    *,
    has_keys: bool = False,
) -> Iterator[str]:
    """Yield the faults of a page that was just opened.

    Args:
        page: the page.
        response: what it came with; None where an action led to it.
        look: how it is looked at.
        axe: the file of axe-core; None to leave accessibility out.
        has_keys: whether each element is reached by the Tab key, which takes a while.
    """
    if response is not None and response.status >= _REFUSED:
        yield f"status {response.status}"
    if not look.runs_scripts:  # nothing can be asked of it then
        return
    yield from _inspect_head(page.evaluate(_HEAD), look)
    yield from _inspect_width(page.evaluate(_WIDEST), look)
    if axe is not None:
        yield from _inspect_access(page, axe)
    if has_keys:
        yield from _inspect_keys(page)


def _inspect_head(head: dict[str, Any], look: Look) -> Iterator[str]:
    if not head["lang"].startswith(look.language):
        yield f"lang is {head['lang']}"
    if not head["title"].strip():
        yield "no title"
    if (head["headings"], head["mains"]) != (1, 1):
        yield f"{head['headings']} h1, {head['mains']} main"
    if not (head["skip"] or "").startswith("#"):
        yield "the first link does not lead to the content"


def _inspect_width(found: dict[str, Any], look: Look) -> Iterator[str]:
    if found["width"] > found["room"]:
        size = "on a phone" if look.width_px == PHONE_PX else "on a wide screen"
        yield f"scrolls sideways {size}: {found['width']} of {found['room']} px, {found['what']}"


def _inspect_access(page: "Page", axe: Path) -> Iterator[str]:
    page.evaluate(axe.read_text("utf-8"))
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    for one in found["violations"]:
        where = one["nodes"][0]
        told = f"axe {one['impact']} {one['id']}: {one['help']}; {len(one['nodes'])}×, first "
        target, why = json.dumps(where["target"]), " ".join(where["failureSummary"].split())
        if one["impact"] in _SERIOUS:
            yield f"{told}{target}: {why[:200]}"


def _inspect_keys(page: "Page") -> Iterator[str]:
    """Press Tab through the page, and see that it reaches everything and shows where it is."""
    wanted: int = page.evaluate(_REACH)
    reached, unseen = set[int](), list[str]()
    for _ in range(min(wanted + _MORE_STOPS, _MOST_STOPS)):
        page.keyboard.press("Tab")
        at = page.evaluate(_FOCUSED)
        if at is None:
            continue
        if at["n"] not in reached and not at["seen"]:
            unseen.append(at["what"])
        reached.add(at["n"])
    if len(reached) < min(wanted, _MOST_STOPS):
        yield f"Tab reaches {len(reached)} of {wanted} elements"
    if unseen:
        yield f"focus is not seen on {len(unseen)}: {unseen[:3]}"

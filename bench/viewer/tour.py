"""A tour through the viewer in a browser: every page in every look, and every action."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from bench.viewer.browser import BARE, LOOKS, Look, open_context
from bench.viewer.faults import Watch, inspect_page
from bench.viewer.served import ServedViewer
from memoria.surface.http.viewer.areas import AREAS
from memoria.surface.http.viewer.table import ROOT, PageRow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext
    from playwright.sync_api import Page as Tab

_STREAM = f"{ROOT}/live/events"
"""Path of what is no page of its own: it goes on until the visitor leaves."""
PAGES: tuple[PageRow[Any], ...] = tuple(
    one for area in AREAS for one in area.pages if one.path != _STREAM
)
_FIRST_LOOK = LOOKS[0]
FEW_LOOKS = (_FIRST_LOOK, LOOKS[-1], BARE)
"""Looks that differ in everything, for whoever has a minute."""


@dataclass(slots=True)
class Seen:
    """What a tour has seen: pages, and faults with where they were."""

    opened: int = 0
    faults: list[str] = field(default_factory=list)

    def note(self, where: str, faults: Sequence[str]) -> None:
        """Note the faults of a page, each of them once, and print them."""
        self.opened += 1
        for one in dict.fromkeys(faults):
            self.faults.append(f"{where}: {one}")
            print(f"WRONG: {where}: {one}", flush=True)


def address_of(page: PageRow[Any], viewer: ServedViewer) -> str:
    """Return the address of a page with the arguments of its example."""
    given = {name: viewer.fill(value) for name, value in (page.example or {}).items()}
    path = page.path.replace(":path}", "}")
    names = [part.partition("}")[0] for part in path.split("{")[1:]]
    path = path.format(**{name: quote(given.pop(name, "x"), safe="") for name in names})
    return f"{viewer.url}{path}" + (f"?{urlencode(given)}" if given else "")


def enter(context: "BrowserContext", viewer: ServedViewer, watch: Watch) -> "Tab":
    """Open the viewer by a link, as a person does who was sent one.

    Raises:
        RuntimeError: the link does not open it.
    """
    tab = context.new_page()
    watch.follow(tab)
    answer = tab.goto(viewer.make_link())
    if answer is None or not answer.ok:
        raise RuntimeError(f"the link does not open the viewer: {tab.inner_text('body')[:300]}")
    tab.wait_for_url(re.compile(f"{re.escape(viewer.url)}{ROOT}(?!/enter)"))
    return tab


def show_pages(
    browser: "Browser",
    viewer: ServedViewer,
    axe: Path | None,
    pictures: Path | None,
    looks: Sequence[Look] = (*LOOKS, BARE),
) -> Seen:
    """Open every page in some looks, by default in every one and once without scripts.

    Args:
        browser: the browser.
        viewer: what is looked at.
        axe: the file of axe-core; None to leave accessibility out.
        pictures: a folder for a picture of every page in every look; None for none.
        looks: how they are looked at.
    """
    seen = Seen()
    for look in looks:
        watch = Watch()
        with open_context(browser, look) as context:
            tab = enter(context, viewer, watch)
            seen.note(f"entering, {look}", watch.take())
            for page in PAGES:
                faults = [*open_page(tab, page, viewer, look, axe), *watch.take()]
                seen.note(f"{page.name}, {look}", faults)
                if pictures is not None:
                    take_picture(tab, pictures / f"{page.name}-{look}.png")
    return seen


def open_page(
    tab: "Tab", page: PageRow[Any], viewer: ServedViewer, look: Look, axe: Path | None
) -> Iterator[str]:
    """Open a page; yield its faults."""
    response = tab.goto(address_of(page, viewer))
    if not look.runs_scripts:
        text = tab.inner_text("main")
        if len(text) < len(page.title):
            yield "nothing to read without scripts"
    has_keys = look == _FIRST_LOOK
    yield from inspect_page(tab, response, look, axe, has_keys=has_keys)


def take_picture(tab: "Tab", file: Path, *, is_whole: bool = True) -> None:
    """Take a picture of a page."""
    file.parent.mkdir(parents=True, exist_ok=True)
    tab.mouse.move(0, 0)
    if tab.locator(":focus").count():
        tab.locator(":focus").evaluate("one => one.blur()")
    tab.screenshot(path=file, full_page=is_whole, animations="disabled")

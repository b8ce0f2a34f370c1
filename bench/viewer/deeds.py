"""Every action of the viewer, done in a browser by the form that some page has for it."""

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bench.viewer.browser import Look, open_context
from bench.viewer.faults import Watch
from bench.viewer.served import ServedViewer
from bench.viewer.tour import PAGES, Seen, address_of, enter
from memoria.surface.http.viewer.areas import AREAS
from memoria.surface.http.viewer.table import Action, PageRow

if TYPE_CHECKING:
    from playwright.sync_api import Locator
    from playwright.sync_api import Page as Tab

Row = PageRow[Any] | Action[Any]
ACTIONS: tuple[Action[Any], ...] = tuple(one for area in AREAS for one in area.actions)
_MOST_OF_EACH = 8
"""Pages of one kind that are searched for forms because others lead to them."""
_REFUSED = 400
_ANY_WORDS = "Seen in a browser."
_COUNTED = re.compile(r"(?<=Type )\d+(?= to confirm)")
"""Number that a label asks for."""
_TYPED = {"other": "Ines", "folder": tempfile.gettempdir()}
"""What is typed into fields that take no words at will, by the field's name."""
_WAIT_MS = 10_000
_FORMS = "form[method=post]"
_ASKING = "main form:not([method=post])"
_ASKS_FOR = """form => {
  const typed = [...form.querySelectorAll('input:not([type=hidden])')].find((one) => one.required);
  if (typed) typed.value = '/tmp';
  return `${new URL(form.action).pathname}?${new URLSearchParams(new FormData(form))}`;
}"""
"""Address to which a form that only asks would lead."""
_LAST = "begin night"
"""Action after which none is undone for as long as the night runs."""
_LINKS = "main a[href]:not([href$='save=1'])"
"""Links to pages: one that saves a page brings a file."""
_DANGEROUS = re.compile(r"forget|erase|revoke|drop|undo|remove|delete|reject|end")
"""Names of actions that are done last, since they take away what others need."""


Forms = dict[str, list[str]]
"""Addresses of pages with a form of an action, by the action's name."""


def do_actions(browser: Any, viewer: ServedViewer, *, runs_scripts: bool) -> Seen:  # noqa: ANN401  (Playwright's)
    """Do every action once, by a form that a person finds on a page."""
    seen, watch = Seen(), Watch()
    look = Look(runs_scripts=runs_scripts)
    with open_context(browser, look) as context:
        context.set_default_timeout(_WAIT_MS)
        tab = enter(context, viewer, watch)
        known = find_forms(tab, viewer)
        watch.take()
        in_order = sorted(
            ACTIONS, key=lambda one: (one.name == _LAST, bool(_DANGEROUS.search(one.name)))
        )
        left = [one for one in in_order if one.name not in known]
        for action in (one for one in in_order if one.name in known):
            faults = [*_do(tab, action, known[action.name], viewer), *watch.take()]
            seen.note(f"{action.name}, {look}", faults)
            note_forms(tab, known)
        for name, addresses in (find_forms(tab, viewer) if left else Forms()).items():
            known.setdefault(name, []).extend(addresses)  # what others have made possible
        watch.take()
        for action in left:
            faults = [*_do(tab, action, known.get(action.name, []), viewer), *watch.take()]
            seen.note(f"{action.name}, {look}", faults)
    return seen


def find_forms(tab: "Tab", viewer: ServedViewer) -> Forms:
    """Search every page, and some pages to which they lead, for the forms of actions."""
    waiting = [address_of(page, viewer) for page in PAGES]
    known, opened = Forms(), Counter[str]()
    for address in waiting:  # which grows meanwhile
        tab.goto(address)
        note_forms(tab, known)
        links = [one.get_attribute("href") or "" for one in tab.locator(_LINKS).all()]
        links += [one.evaluate(_ASKS_FOR) for one in tab.locator(_ASKING).all()]
        for link in (one.partition("#")[0] for one in links):
            page = next((one for one in PAGES if _leads_to(one, link)), None)
            whole = f"{viewer.url}{link}"
            if page is None or whole in waiting or opened[page.name] >= _MOST_OF_EACH:
                continue
            opened[page.name] += 1
            waiting.append(whole)
    return known


def note_forms(tab: "Tab", known: Forms) -> None:
    """Note of which actions the page that is open has forms."""
    for form in tab.locator(_FORMS).all():
        action = _find_action(form.get_attribute("action") or "")
        if action is not None and tab.url not in known.setdefault(action.name, []):
            known[action.name].append(tab.url)


def _leads_to(row: Row, address: str) -> bool:
    path = address.partition("?")[0]
    form = re.sub(r"\\\{\w+(:path)?\\\}", _match_part, re.escape(row.path))
    return re.fullmatch(form, path) is not None


def _match_part(found: re.Match[str]) -> str:
    return ".+" if found[1] else "[^/]+"


def _find_action(path: str) -> Action[Any] | None:
    return next((one for one in ACTIONS if _leads_to(one, path)), None)


def _do(
    tab: "Tab", action: Action[Any], addresses: Sequence[str], viewer: ServedViewer
) -> Iterator[str]:
    """Do an action by the first of its forms that is still there; yield what is wrong."""
    from playwright.sync_api import Error  # noqa: PLC0415  (whoever measures has it)

    if not addresses:
        yield "no page has a form for it"
        return
    given = {name: viewer.fill(value) for name, value in (action.example or {}).items()}
    for address in addresses:
        tab.goto(address)
        for form in tab.locator(_FORMS).all():
            if _find_action(form.get_attribute("action") or "") is not action:
                continue
            try:
                yield from _send(tab, form, given)
            except Error as error:
                yield f"its form can't be sent: {str(error).splitlines()[0]}"
            return
    yield f"its form is on no page any more: {addresses[:3]}"


def _send(tab: "Tab", form: "Locator", given: Mapping[str, str]) -> Iterator[str]:
    """Fill a form as a person would, and send it."""
    for closed in form.locator("xpath=ancestor::details[not(@open)]").all():
        closed.locator("summary").first.click()
    for field in form.locator("input:not([type=hidden]), textarea, select").all():
        _fill_field(field, given)
    buttons = form.locator("button:not([type=button]), input[type=submit]")
    named = [
        one
        for one in buttons.all()
        if given.get(one.get_attribute("name") or "") == (one.get_attribute("value") or "")
    ]
    with tab.expect_navigation() as led:
        (named[0] if named else buttons.first).click()
    answer = led.value
    if answer.status >= _REFUSED:
        yield f"status {answer.status}: {tab.inner_text('main')[:200]!r}"
    elif not tab.locator("[role=status]").all_inner_texts():
        yield f"nothing says that it was done, on {tab.url}"


def _fill_field(field: "Locator", given: Mapping[str, str]) -> None:
    name = field.get_attribute("name") or ""
    kind = field.evaluate("one => one.type || one.tagName.toLowerCase()")
    if kind in ("checkbox", "radio"):
        if given.get(name) == (field.get_attribute("value") or "on"):
            field.check()
    elif kind.startswith("select"):
        if name in given:
            field.select_option(given[name])
    elif counted := _COUNTED.search(field.evaluate("one => one.closest('label')?.innerText || ''")):
        field.fill(counted[0])
    elif name in given:
        field.fill(given[name])
    elif not field.input_value() and kind in ("text", "textarea", "search"):
        field.fill(_TYPED.get(name, _ANY_WORDS))

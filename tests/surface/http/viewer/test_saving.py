"""A page as a file to send: it loads nothing, leads nowhere, and has no secrets."""

from datetime import datetime
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.surface.http.conftest import StartServer
from tests.surface.http.viewer.test_days import ADDRESS, DAY, SESSION, SUMMARY, fill
from tests.surface.http.viewer.visitor import Visitor
from tests.surface.shell import Shell

import memoria
from memoria.language.secrets.redact import redact
from memoria.surface.http.viewer.saving import save_page

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
AT = datetime(2026, 3, 4, 12, 30)  # noqa: DTZ001  (local by design)
MAY_LEAD_OUT = {"href", "src", "action", "formaction", "srcset", "style", "id", "tabindex"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags = set[str]()
        self.attributes = set[str]()
        self.texts = list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader


def check_self_contained(html: str) -> None:
    found = read(html)
    assert not found.tags & {"script", "form", "button", "input", "link", "a", "img", "iframe"}
    assert not found.attributes & MAY_LEAD_OUT
    assert not [name for name in found.attributes if name.startswith(("on", "data-"))]
    assert "style" in found.tags


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))))
def test_a_text_is_saved_as_it_was_but_for_its_secrets(text: str) -> None:
    page = f"<head><title>x</title></head><body><p id=a>{escape(text)}</p></body>"
    saved = save_page(page, AT)
    check_self_contained(saved)
    assert redact(text).text in "".join(read(saved).texts)


def test_what_leads_on_is_left_out_and_secrets_are_redacted() -> None:
    saved = save_page(
        '<head><link rel=stylesheet href="/ui/x.css"><script src="/ui/x.js"></script></head>'
        '<body><header><nav><a href="/ui">Menu</a></nav></header><main onclick="x()">'
        f'<p class="text"><a href="/ui/memories/1">Kept</a> {SECRET}</p>'
        '<form><input name="csrf" value="s3"><p>Left</p></form>'
        '<div class="actions"><b>Out</b></div>'
        "<details><summary>deploy</summary><pre>args</pre></details></main></body>",
        AT,
    )
    check_self_contained(saved)
    texts = "".join(read(saved).texts)
    assert SECRET not in saved
    assert "[redacted:" in texts
    assert ("Kept" in texts, "args" in texts, "2026-03-04 12:30" in texts) == (True, True, True)
    assert not [word for word in ("Menu", "Left", "Out", "s3") if word in texts]


@pytest.mark.anyio
async def test_a_day_and_a_session_can_be_saved_from_their_pages(start_server: StartServer) -> None:
    async with start_server(time_zone="UTC") as server, Visitor.enter(server) as visitor:
        await fill(server)
        day = await visitor.open(f"/days?day={DAY}&span=day")
        saved_day = await visitor.open(f"/days?day={DAY}&span=day&save=1")
        session = await visitor.open(ADDRESS)
        saved_session = await visitor.open(f"{ADDRESS}?save=1")
        health = await visitor.open("/health")
        refused = await visitor.open("/health?save=1")
    assert f'href="/ui/days?day={DAY}&amp;span=day&amp;save=1"' in day.html
    assert f'href="/ui{ADDRESS}?save=1"' in session.html
    assert "save=1" not in health.html
    assert refused.status == 422
    for saved, name in ((saved_day, "days"), (saved_session, "session")):
        sent_as = saved.answer.headers["content-disposition"]
        assert sent_as == f'attachment; filename="memoria-{name}.html"'
        check_self_contained(saved.html)
    assert SUMMARY in saved_day.text
    assert "Checkout releases are on Tuesdays" in saved_session.text
    assert "What was shown in it" not in saved_session.text


def test_the_command_writes_a_page_into_a_new_file(shell: Shell, tmp_path: Path) -> None:
    settings = memoria.Settings.from_values(home=shell.home, tenant="default", embedder="off")

    async def hold_session() -> None:
        async with memoria.open(settings=settings) as memory:
            turn = memoria.Turn(role=memoria.Role.USER, content="We deploy on Tuesdays.")
            await memory.record_conversation([turn], session_id=SESSION)

    anyio.run(hold_session)
    file = tmp_path / "page.html"
    done = shell("ui", "--export", file, "--session", SESSION, "--language", "zh")
    searched = shell("ui", "--export", tmp_path / "search.html", "--search", "deploy on Tuesdays")
    again = shell("ui", "--export", file, "--day", DAY)
    missing = shell("ui", "--export", tmp_path / "other.html", "--session", "none")
    alone = shell("ui", "--session", SESSION)
    blank = shell("ui", "--export", tmp_path / "other.html", "--search", " ")
    page = file.read_text("utf-8")
    assert done.code == 0
    check_self_contained(page)
    assert "We deploy on Tuesdays." in page
    assert 'lang="zh-Hans"' in page
    check_self_contained((tmp_path / "search.html").read_text("utf-8"))
    assert searched.code == 0
    assert "We deploy on Tuesdays." in (tmp_path / "search.html").read_text("utf-8")
    assert (again.code, "Name another file" in again.err) == (1, True)
    assert (missing.code, "There is no session none" in missing.err) == (1, True)
    assert (alone.code, "--export FILE" in alone.err) == (2, True)
    assert blank.code == 2
    assert not (tmp_path / "other.html").exists()

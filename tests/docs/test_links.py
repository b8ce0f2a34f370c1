"""Every link of the documents leads somewhere, checked without a network."""

import re
from pathlib import Path

import pytest
from tests.docs.pages import DOCS, ROOT, anchors, links, name_of, pages


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_link_leads_to_a_page_and_a_heading_that_exist(page: Path) -> None:
    assert [link for link in links(page) if not _leads_somewhere(page, link)] == []


def test_no_page_of_the_site_links_out_of_it() -> None:
    leaving = [
        f"{name_of(page)}: {link}"
        for page in pages()
        if page.is_relative_to(DOCS)
        for link in links(page)
        if not _is_address(link) and not (page.parent / link).resolve().is_relative_to(DOCS)
    ]
    assert leaving == []


def test_every_page_of_the_site_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md", DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        targets = ((page.parent / link.partition("#")[0]).resolve() for link in links(page))
        waiting += [to for to in targets if to.suffix == ".md" and to not in reached]
    assert [name_of(page) for page in pages() if page not in reached] == []


def _is_address(link: str) -> bool:
    return re.match(r"https?://[\w.-]+", link) is not None


def _leads_somewhere(page: Path, link: str) -> bool:
    if _is_address(link):
        return True
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_relative_to(ROOT) or not target.is_file():
        return False
    return not anchor or anchor in anchors(target)

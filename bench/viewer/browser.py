"""A headless Chromium, driven by Playwright; both are installed by whoever measures."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NO_BROWSER = (
    "There is no Chromium. Install one (`apt-get install chromium-headless-shell`), or name its "
    "program in MEMORIA_BROWSER."
)
NO_PLAYWRIGHT = "Playwright is not installed: .venv/bin/pip install playwright"
TALL_PX = 900
WIDE_PX, PHONE_PX = 1440, 390


@dataclass(frozen=True, slots=True)
class Look:
    """How a page is looked at."""

    language: str = "en"
    """`en` or `zh`."""
    scheme: str = "light"
    """`light` or `dark`."""
    width_px: int = WIDE_PX
    runs_scripts: bool = True

    def __str__(self) -> str:
        """Return words for it, which name a picture as well."""
        size = "phone" if self.width_px == PHONE_PX else "wide"
        return "-".join(
            (self.language, self.scheme, size, *([] if self.runs_scripts else ["no-script"]))
        )


LOOKS = tuple(
    Look(language, scheme, width)
    for language in ("en", "zh")
    for scheme in ("light", "dark")
    for width in (WIDE_PX, PHONE_PX)
)
BARE = Look(runs_scripts=False)


def find_browser() -> Path | None:
    """Find the program of a Chromium; None if there is none."""
    named = os.environ.get("MEMORIA_BROWSER")
    if named is not None:
        return Path(named)
    found = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    return None if found is None else Path(found)


@contextmanager
def open_browser(program: Path) -> Iterator["Browser"]:
    """Open a browser until the block ends.

    Raises:
        ImportError: Playwright is not installed.
    """
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  (whoever measures has it)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(_OPTIONS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_context(browser: "Browser", look: Look) -> Iterator["BrowserContext"]:
    """Open a context of a browser, with no cookies, until the block ends."""
    context = browser.new_context(
        viewport={"width": look.width_px, "height": TALL_PX},
        color_scheme="dark" if look.scheme == "dark" else "light",
        locale="zh-CN" if look.language == "zh" else "en-GB",
        timezone_id="UTC",
        java_script_enabled=look.runs_scripts,
        is_mobile=look.width_px == PHONE_PX,
        device_scale_factor=1,
    )
    try:
        yield context
    finally:
        context.close()

"""The pages of a tenant's days, and a night that writes them."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import memoria.app.nightly as nights
from memoria.app.engine import open_store
from memoria.config import Settings
from memoria.disk.folders import DAILY
from memoria.disk.tenant_files import TenantFiles
from memoria.model.nightly import NightlyRun


def write(settings: Settings) -> NightlyRun:
    return nights.run_nightly(settings, ["daily"])


class Days:
    """The pages of a tenant's days, as somebody finds them who edits one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @contextmanager
    def _files(self) -> Iterator[TenantFiles]:
        with closing(open_store(self._settings)) as store:
            yield store.files.of(self._settings.tenant)

    @property
    def all(self) -> dict[str, str]:
        """The text of each page by its date."""
        with self._files() as files:
            places = files.list_places(DAILY)
            return {Path(one).stem: (files.read(one) or b"").decode() for one in places}

    @property
    def texts(self) -> list[str]:
        """The texts of all pages."""
        return [*self.all.values()]

    def edit(self, text: str) -> None:
        """Write another text on the only page."""
        (day,) = self.all
        self.put(day, text)

    def put(self, day: str, text: str) -> None:
        """Write a text on the page of a day."""
        with self._files() as files:
            files.write(f"{DAILY}/{day}.md", text.encode())

"""Stating everything in one project, and looking for it from another one."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread

from bench.scope.cases import ScopeCase
from bench.tenants import TenantHome
from memoria import Memoria
from memoria.app import nightly
from memoria.disk.folders import tenant_folder
from memoria.model.core import CORE_FILES

_HERE, _ELSEWHERE = "shop", "blog"
_LIMIT = 20
_WAIT_S = 120


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a statement was seen."""

    case: ScopeCase
    here: bool
    """A search of the project in which it was stated finds it."""
    elsewhere: bool
    """A search of another project finds it."""
    unasked: bool
    """It stands in another project's context package, or in a core file of all projects."""

    @property
    def is_right(self) -> bool:
        """Whether it is found where it should be, and only there."""
        return self.here and self.elsewhere == (self.case.expected == "everywhere")

    @property
    def is_leak(self) -> bool:
        """Whether what is the project's is shown elsewhere."""
        return self.case.expected == "project" and (self.elsewhere or self.unasked)


async def look(
    cases: Sequence[ScopeCase], done: Callable[[], None] = lambda: None
) -> list[Sighting]:
    """State all of them in a project, a tenant for each language, then look for each.

    Args:
        cases: the statements.
        done: called whenever one more has been looked for.
    """
    found = []
    with tempfile.TemporaryDirectory(prefix="memoria-scope-") as folder:
        home = TenantHome(Path(folder), "bundled")
        for language in sorted({case.language for case in cases}):
            own = [case for case in cases if case.language == language]
            async with home.open(language) as m:
                for case in own:
                    await m.remember(case.statement, type=case.type, workspace=_HERE)
                await m.wait_until_idle(_WAIT_S)
                await anyio.to_thread.run_sync(nightly.run_nightly, m.settings, ("core",))
                for case in own:
                    found.append(await _look_for(m, case, home.path))
                    done()
    return found


async def _look_for(m: Memoria, case: ScopeCase, home: Path) -> Sighting:
    wording = case.statement
    here = await m.search_memory(wording, workspace=_HERE, limit=_LIMIT)
    elsewhere = await m.search_memory(wording, workspace=_ELSEWHERE, limit=_LIMIT)
    package = await m.build_context(wording, workspace=_ELSEWHERE)
    paths = (tenant_folder(home, m.tenant) / name for name in CORE_FILES)
    texts = [package.text, *(path.read_text("utf-8") for path in paths if path.exists())]
    return Sighting(
        case,
        here=_contains((hit.text for hit in here.hits), wording),
        elsewhere=_contains((hit.text for hit in elsewhere.hits), wording),
        unasked=_contains(texts, wording),
    )


def _contains(texts: Iterable[str], wording: str) -> bool:
    core = wording.rstrip(".。")
    return any(core in text for text in texts)

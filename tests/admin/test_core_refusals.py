"""Doctor names the core files in which lines stand that are not remembered."""

from pathlib import Path

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.disk.folders import tenant_folder
from memoria.model import COMMAND_LINE, Finding

SAFE = "the safe's number is 4711"


async def look(settings: Settings) -> Finding:
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        health = await m.health()
    return next(one for one in health.findings if one.check == "core files")


async def test_a_line_that_was_forgotten_before_is_counted_until_it_goes(home: Path) -> None:
    settings = Settings.from_values(home=home, tenant="tests", embedder="off")
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        kept = await m.remember(SAFE)
        await m.forget_memory([kept.id])
        await m.remember("Sign commits", type="rule")
    nights.run_nightly(settings, ["core"])
    assert (await look(settings)).state == "ok"
    file = tenant_folder(home, "tests") / "MEMORY.md"
    text = file.read_text("utf-8")
    file.write_text(f"{text}\n## Mine\n- {SAFE}\n", "utf-8")
    report = nights.run_nightly(settings, ["core"])
    assert report.steps[-1].outcomes["refused"] == 1
    assert SAFE not in str(report)
    found = await look(settings)
    assert (found.state, "1 in MEMORY.md" in found.detail) == ("warning", True)
    file.write_text(text, "utf-8")
    nights.run_nightly(settings, ["core"])
    assert (await look(settings)).state == "ok"

"""Doctor's repairs: whatever can be mended without touching recorded data."""

from collections.abc import Callable, Mapping

from memoria.admin.backup import delete_abandoned, delete_expired
from memoria.admin.modes import make_private
from memoria.bare.kept import delete_kept
from memoria.config import Settings
from memoria.disk.folders import explain_system_errors
from memoria.erasure.repair import repair_orphans
from memoria.errors import StoreError
from memoria.model import FIX, RESTORE, Finding, Health, Repair
from memoria.store.engine import Store

Progress = Callable[[int, int], None]


def mend_home(settings: Settings, health: Health) -> None:
    """Mend the files around the database before it is opened: it may open then."""
    home = settings.home_path
    menders: Mapping[str, Callable[[], object]] = {
        "privacy": lambda: make_private(home),
        "leftovers": lambda: delete_abandoned(home),
        "kept answers": lambda: delete_kept(str(home), settings.tenant),
        "backups": lambda: delete_expired(home, settings.backup_keep_days),
    }
    with explain_system_errors():
        for finding in _curable(health):
            menders.get(finding.check, bool)()


def mend_store(
    store: Store, settings: Settings, health: Health, progress: Progress
) -> dict[str, str]:
    """Mend what the database derives from its records. Return why something could not be mended."""
    failures = {}
    for finding in _curable(health):
        try:
            if finding.check == "erasure":
                store.scrub()
            elif finding.check == "sources":
                repair_orphans(store, settings.home_path)
            else:
                store.mend(finding.check, progress)
        except StoreError as error:
            failures[finding.check] = str(error)
    return failures


def report_failures(health: Health, failures: Mapping[str, str]) -> Health:
    """Add the repairs that failed to the findings: there only a backup helps."""
    return Health(
        findings=tuple(
            finding.model_copy(update={"detail": failures[finding.check], "cure": RESTORE})
            if finding.cure == FIX and finding.check in failures
            else finding
            for finding in health.findings
        )
    )


def report_repairs(
    before: Health, after: Health, failures: Mapping[str, str]
) -> tuple[Repair, ...]:
    """List what became of each finding that could be mended."""
    now = {finding.check: finding for finding in after.findings}
    became = {
        was: failures.get(was.check) or (now[was.check].detail if was.check in now else "mended")
        for was in _curable(before)
    }
    return tuple(
        Repair(check=was.check, before=was.detail, after=said)
        for was, said in became.items()
        if said != was.detail
    )


def _curable(health: Health) -> list[Finding]:
    return [finding for finding in health.findings if finding.cure == FIX]

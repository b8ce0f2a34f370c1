"""Grace: a period in which what was forgotten is hidden and can be put back, and its end."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from memoria.bare.project_registry import Projects, change_projects
from memoria.erasure.files import TextFileEraser
from memoria.errors import InvalidInputError, NotFoundError, StoreError, shorten
from memoria.model import Channel, now_millis, to_iso
from memoria.model.forgetting import ForgetReport
from memoria.store.engine import Store
from memoria.store.rows.forgotten import HiddenFile
from memoria.store.rows.transaction import Transaction


def forget_places(store: Store, home: str) -> None:
    """Remove the paths of projects that no tenant's records name any more."""
    names: set[str] = set()
    for tenant in store.tenants():
        with store.read(tenant) as tx:
            names.update(tx.projects.list_names())

    def forget(projects: Projects) -> bool:
        gone = [one for one, project in projects.items() if project.name not in names]
        for one in gone:
            del projects[one]
        return bool(gone)

    change_projects(home, forget)


_LOG = logging.getLogger(__name__)


def scrub_store(store: Store) -> bool:
    """Wipe deleted content from the database; return False if that must be done later."""
    try:
        return store.scrub()
    except StoreError as error:
        _LOG.warning("Forgotten, but not yet wiped from the database: %s", error)
        return False


_PAGE = 500


@contextmanager
def hide(
    tx: Transaction,
    report_id: str,
    turn_ns: Iterable[int],
    files: TextFileEraser,
    generated: dict[str, str],
) -> Iterator[None]:
    """Keep what the block forgets, so that it can be put back."""
    ns, own = [*turn_ns], files.read_own(generated)
    for first in range(0, len(ns), _PAGE):
        tx.hidden.hide_texts(report_id, ns[first : first + _PAGE])
    with tx.hidden.hide_changes(report_id):
        yield
    for place, content in own.items():
        left_as = files.digest_of(place)
        if left_as != files.digest(content):
            tx.hidden.hide_file(report_id, HiddenFile(place, content, left_as))


def put_back(
    store: Store, tenant: str, files: TextFileEraser, report_id: str, channel: Channel
) -> ForgetReport:
    """Put back what a forget has hidden.

    Raises:
        NotFoundError: there is no such report.
        InvalidInputError: nothing is hidden any more.
    """
    with store.write(tenant) as tx:
        report = tx.erasures.get_report(report_id)
        if report is None:
            raise NotFoundError(
                f"There is no report {shorten(report_id)}. List them: `memoria list forgotten`."
            )
        if report.state != "hidden" or (report.purge_at or 0) <= now_millis():
            raise InvalidInputError(
                f"{report_id} can't be undone: nothing is hidden any more. It was forgotten on "
                f"{to_iso(report.at)}."
            )
        places = [
            file.place
            for file in tx.hidden.list_files(report_id)
            if files.put_back(file.place, file.content, file.left_as)
        ]
        tx.hidden.put_back(report_id, places)
        tx.audit.add(
            at=now_millis(),
            channel=channel.name,
            client=channel.client,
            caller=channel.caller,
            action="restore",
            subject=report_id,
        )
        restored = tx.erasures.get_report(report_id)
    return restored or report


def purge_due(store: Store, tenant: str, home: str) -> int:
    """Erase what was hidden by forgets whose grace is over; return the number of the forgets."""
    now = now_millis()
    with store.read(tenant) as tx:
        due = tx.hidden.list_due(now)
    if not due:
        return 0
    with store.write(tenant) as tx:
        for report_id in due:
            tx.hidden.purge(report_id, now)
    forget_places(store, home)
    scrub_store(store)
    return len(due)

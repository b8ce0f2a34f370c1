"""The collector: sends what hooks have heard to a server elsewhere.

A process of its own, started by a hook (`surface/hook/handover.py`) whose home is the folder of
such a server (`bare/remote.py`). It reads transcripts as a server of this machine does
(`admin/spool.py`), with a `RemoteCapture` in place of a `Capture`. What can't be sent waits in the
spool until the next hook. What was sent and not ticked off is sent again, and the server knows it
by its ids.
"""

import math
import os
import time
from contextlib import ExitStack, closing
from pathlib import Path

from memoria.bare.remote import RemoteServer, own_home, read_server
from memoria.bare.spool import describe_error, list_waiting, note_failure

_NICENESS = 10
_FIRST_S = 1.0
"""Seconds for a text that another process cleans (`admin/hook_texts.py`), and for a client to write
the last lines of an answer after its hook."""
_MOST_BYTES = 1 << 62
_PATIENCE_S, _LOOK_S = 60.0, 0.1
"""Longest wait for another collector to end, and between looks."""
_STALLS_AFTER_S = 120.0
"""Seconds at one step after which an entry is set aside: longer than a call may take."""


def run(home: str, tenant: str) -> None:
    """Send what waits in the spool; note what can't be sent.

    Args:
        home: the folder of a server elsewhere.
        tenant: whose spool of it.
    """
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    time.sleep(_FIRST_S)
    try:
        server = read_server(home)
        if server is not None and list_waiting(home, tenant):
            send_waiting(server, tenant)
    except Exception as error:  # noqa: BLE001  (it is noted, and nobody else would hear of it)
        note_failure(home, tenant, "collector", f"nothing could be sent: {_describe(error)}")


def send_waiting(server: RemoteServer, tenant: str) -> int:
    """Send the waiting entries, in their order; return how many turns were new to the server.

    Raises:
        StoreError: the server can't be reached or refuses; what was not sent waits.
        OSError: the spool can't be read.
        InvalidInputError: a setting is out of bounds.
    """
    from memoria.admin.spool import SpoolIntake  # noqa: PLC0415  (only where anything waits)
    from memoria.app.arguments import require_no_secret  # noqa: PLC0415
    from memoria.app.engine import choose_engine, open_store  # noqa: PLC0415
    from memoria.app.intake_thread import IntakeThread  # noqa: PLC0415
    from memoria.app.remote_capture import RemoteCapture  # noqa: PLC0415
    from memoria.config import Settings  # noqa: PLC0415
    from memoria.connectors.transcripts.base import FoldersLeftOut  # noqa: PLC0415
    from memoria.erasure.suppression import Digester  # noqa: PLC0415
    from memoria.errors import StoreUnavailableError  # noqa: PLC0415
    from memoria.model import Channel  # noqa: PLC0415

    home = server.folder
    # What waits for that server is in this folder, whatever keeps the memory of this machine.
    settings = Settings.load(home=home, tenant=tenant).model_copy(update={"database_url": None})
    above = Settings.load(home=own_home(home))  # where the user of this machine decides as always
    ignored = (*(settings.ignored_folders or ()), *(above.ignored_folders or ()))
    sent, until = 0, time.monotonic() + _PATIENCE_S
    with ExitStack() as opened:
        store = opened.enter_context(closing(open_store(settings, is_collecting=True)))
        digester = Digester(tenant, store.files.tombstone_key)
        stores = [(store, tenant)]
        if choose_engine(above).exists(above):
            stores.append((opened.enter_context(closing(open_store(above))), above.tenant))

        def make_capture(channel: Channel, project: str) -> RemoteCapture:
            require_no_secret("workspace", project)
            return RemoteCapture(server, channel, project, digester, stores)

        while list_waiting(home, tenant):
            folders = FoldersLeftOut(ignored)
            intake = SpoolIntake(store, Path(home), tenant, digester, make_capture, folders)
            thread = IntakeThread(intake, _MOST_BYTES)
            if not thread.wait(math.inf, lambda: thread.has_stalled(_STALLS_AFTER_S)):  # noqa: B023
                if server.is_calling:
                    raise StoreUnavailableError(f"{server.url} took too long to answer.")
                thread.give_up(f"it took longer than {_STALLS_AFTER_S:.0f} seconds")
                break
            report = thread.outcome
            if report is None or (report.is_refused and time.monotonic() > until):
                break
            if report.is_refused:
                time.sleep(_LOOK_S)
            sent += report.recorded
    return sent


def _describe(error: Exception) -> str:
    """Describe an error; of our own errors in their words, which quote nothing that was said."""
    from memoria.errors import StoreError  # noqa: PLC0415

    return str(error) if isinstance(error, StoreError) else describe_error(error)

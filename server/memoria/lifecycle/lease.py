"""The lease: one run of nightly maintenance at a time for a tenant, whichever process runs it.

A lease is renewed three times in its life and expires with its owner, so a killed run blocks no
other one for longer than that.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memoria.errors import LeaseLostError, StoreError
from memoria.model import system_millis
from memoria.store.engine import Store

LEASE = "nightly"
LEASE_MS = 30_000
_POLL_S = 0.25
_LOG = logging.getLogger(__name__)


@contextmanager
def hold_lease(store: Store, tenant: str, owner: str, lease_ms: int = LEASE_MS) -> Iterator[None]:
    """Hold the tenant's lease while the block runs.

    Waits for one lease's length, which a dead owner's does not outlast.

    Raises:
        LeaseLostError: a run holds the lease.
    """
    _wait_for_lease(store, tenant, owner, lease_ms)
    done = threading.Event()
    beat = threading.Thread(
        target=_renew_until,
        args=(store, tenant, owner, lease_ms, done),
        name="memoria-nightly",
        daemon=True,
    )
    beat.start()
    try:
        yield
    finally:
        done.set()
        beat.join()
        with store.write(tenant) as tx:
            tx.leases.release(LEASE, owner)


def _wait_for_lease(store: Store, tenant: str, owner: str, lease_ms: int) -> None:
    patient_until = time.monotonic() + 1.2 * lease_ms / 1000
    while not _try_lease(store, tenant, owner, lease_ms):
        if time.monotonic() > patient_until:
            raise LeaseLostError(
                f"Nightly maintenance is running for {tenant} already. Wait until it is done; "
                "`memoria nightly runs` shows how far it is."
            )
        time.sleep(_POLL_S)


def _try_lease(store: Store, tenant: str, owner: str, lease_ms: int) -> bool:
    with store.write(tenant) as tx:
        return tx.leases.take(LEASE, owner, system_millis(), lease_ms)


def _renew_until(
    store: Store, tenant: str, owner: str, lease_ms: int, done: threading.Event
) -> None:
    while not done.wait(lease_ms / 3000):
        try:
            _try_lease(store, tenant, owner, lease_ms)
        except StoreError as error:
            _LOG.warning("The lease of nightly maintenance could not be renewed: %s", error)

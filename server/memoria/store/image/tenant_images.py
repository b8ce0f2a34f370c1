"""Tenant images: the images of all tenants of one file that a process keeps.

A question in a large home meets thousands of documents, whose visibilities would have to be read
one by one. So from the second such question on, those of all documents are read in a thread, and
searches go on as before meanwhile.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import islice
from time import monotonic

from memoria.language.lazy import forget_results
from memoria.store.connection import Connection
from memoria.store.image.background_loader import BackgroundLoader, Connect, Proceed
from memoria.store.image.counts import CountCache
from memoria.store.image.tenant_image import TenantImage
from memoria.store.image.tenants import StoreTenant, find_tenant
from memoria.store.image.words import KeptTokens
from memoria.store.sql.statements import TenantRows

_MOST = 50
_MOST_WITH_TOKENS = 8
"""Number of tenants; the tokens of one take some MiB."""
_LATELY_S = 60.0
"""Time after a search in which changes are followed before the next one."""


class TenantImages:
    """Images of the tenants that were searched last (LRU, 50 tenants). Thread-safe."""

    def __init__(self, connect: Connect) -> None:
        """Make an empty table.

        Args:
            connect: opens a connection to the file.
        """
        self.terms = CountCache()
        """Counts of the whole file's documents by term, up to a horizon."""
        self._lock = threading.Lock()
        self._images: OrderedDict[int, TenantImage] = OrderedDict()
        self._erasures: dict[int, int] = {}
        """Number of the last erasure that is known, by tenant."""
        self._asked_at: dict[int, float] = {}
        self._asked: set[int] = set()
        """Tenants whose visibilities one question has asked for."""
        self._read_at: dict[int, int] = {}
        """Number of its last erasure when all visibilities were last read, by tenant."""
        self._loader: BackgroundLoader[int] = BackgroundLoader(connect)

    def find(self, tenant: int) -> TenantImage:
        """Return the image of a tenant, made if missing."""
        with self._lock:
            image = self._images.setdefault(tenant, TenantImage())
            self._images.move_to_end(tenant)
            if len(self._images) > _MOST:
                unused, _ = self._images.popitem(last=False)
                self._read_at.pop(unused, None)
            further = next(islice(reversed(self._images.values()), _MOST_WITH_TOKENS, None), None)
        if further is not None:
            with further.lock:
                further.drop(KeptTokens)
        return image

    def note_question(self, tenant: int) -> None:
        """Note that somebody searches a tenant."""
        self._asked_at[tenant] = monotonic()

    def was_asked_lately(self, tenant: int) -> bool:
        """Check whether somebody has searched a tenant within the last minute."""
        asked_at = self._asked_at.get(tenant)
        return asked_at is not None and monotonic() - asked_at < _LATELY_S

    def forget_erased(self, tenant: int, last_erasure: int) -> None:
        """Drop a tenant's image if the image is older than the tenant's last erasure."""
        with self._lock:
            image = self._images.get(tenant)
            if image is not None and image.seen < last_erasure:
                del self._images[tenant]
            if last_erasure <= self._erasures.get(tenant, 0):
                return
            self._erasures[tenant] = last_erasure
        self.terms.clear()
        forget_results()

    @property
    def is_reading(self) -> bool:
        """True while the visibilities of a large home are being read."""
        return self._loader.is_busy

    def read_visibilities(self, tenant: StoreTenant) -> None:
        """Start reading all visibilities of a tenant, from the second call on, once per erasure.

        Raises:
            Exception: the error that ended the last reading.
        """
        number = tenant.number
        if self._loader.is_reading(number):
            return
        with self._lock:
            is_first = number not in self._asked
            self._asked.add(number)
            is_read = self._read_at.get(number) == tenant.last_erasure
        if not is_first and not is_read:
            self._loader.start(number, partial(self._read_all, tenant))

    def wait(self) -> None:
        """Wait until no visibilities are being read."""
        self._loader.wait()

    def close(self) -> None:
        """Start no further reads, and wait until all are over."""
        self._loader.close()

    def _read_all(self, tenant: StoreTenant, connection: Connection, proceed: Proceed) -> None:
        from memoria.store.image.visibility_columns import VisibilityColumns  # noqa: PLC0415  (brings NumPy)

        now = find_tenant(connection, tenant.name) or tenant
        rows = TenantRows(connection, now.number, "documents")
        learnt, beside = VisibilityColumns(), TenantImage()
        beside.follow(rows, now)
        beside.put(learnt)
        learnt.read_all(rows, now.newest_document, proceed)
        with self._lock:
            self._read_at[now.number] = now.last_erasure
        image = self.find(now.number)
        while learnt.is_read and learnt in beside.columns and proceed():
            with image.lock:
                if image.follow(rows, now):
                    image.put(learnt)
                    return
            connection.execute("COMMIT")  # searches have followed a newer state meanwhile
            connection.execute("BEGIN")
            now = find_tenant(connection, now.name) or now
            beside.follow(rows, now)


class ImageReader:
    """Image of a tenant as one reading transaction uses it. Not thread-safe."""

    def __init__(self, images: TenantImages, rows: TenantRows, tenant: StoreTenant) -> None:
        """Bind to a snapshot.

        Args:
            images: the images of all tenants in this process.
            rows: the statements about documents, on the snapshot.
            tenant: as the snapshot has it.
        """
        self.images = images
        self.tenant = tenant
        self._rows = rows

    @contextmanager
    def open(self) -> Iterator[TenantImage]:
        """Yield an image of the snapshot's state, locked: nothing that takes long belongs here."""
        with self._image.lock:
            if self._image.follow(self._rows, self.tenant):
                yield self._image
                return
        self._image = TenantImage()  # others have followed what this snapshot lacks
        with self.open() as image:
            yield image

    @cached_property
    def _image(self) -> TenantImage:
        return self.images.find(self.tenant.number)

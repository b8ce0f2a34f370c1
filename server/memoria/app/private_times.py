"""Private times of a tenant: switched on and off by the user, obeyed by every way in."""

from memoria.app.open_home import in_thread
from memoria.errors import InvalidInputError, PrivateTimeError
from memoria.model import Channel, Trust, now_millis
from memoria.model.privacy import PrivateTime, find_open
from memoria.store.engine import Store


def carry_private_times(before: Store, restored: Store) -> None:
    """Add to a restored home the private times of the home before: they are still to be obeyed."""
    for tenant in before.tenants():
        with before.read(tenant) as tx:
            times = tx.private_times.all()
        if times:
            with restored.write(tenant) as tx:
                tx.private_times.merge(times)


class PrivateSwitch:
    """Begins and ends private times in one workspace of a tenant."""

    def __init__(self, store: Store, tenant: str, workspace: str | None, channel: Channel) -> None:
        self._store = store
        self._tenant = tenant
        self._workspace = workspace
        self._channel = channel

    async def turn_on(self) -> PrivateTime:
        """Keep nothing of the workspace's sessions from now on. Return the time that is on."""
        return await in_thread(self._begin)

    async def turn_off(self) -> PrivateTime | None:
        """Keep what is said from now on. Return the time that was on, if one was."""
        return await in_thread(self._end)

    async def list_times(self) -> tuple[PrivateTime, ...]:
        """List the private times of all workspaces, in the order in which they were begun."""

        def read() -> tuple[PrivateTime, ...]:
            with self._store.read(self._tenant) as tx:
                return tx.private_times.all()

        return await in_thread(read)

    def check(self, session_id: str, workspace: str | None) -> None:
        """Check that what this channel says may be kept now. What the user does always may.

        Args:
            session_id: in which it is said.
            workspace: in which it is said.

        Raises:
            PrivateTimeError: it may not.
        """
        if self._channel.trust is Trust.USER:
            return
        with self._store.read(self._tenant) as tx:
            times = tx.private_times.applying(workspace, self._channel.source, session_id)
            on = find_open(times)
            if on is not None:
                raise PrivateTimeError(f"{tx.zone.to_local(on.began_at):%Y-%m-%d %H:%M}")

    def _begin(self) -> PrivateTime:
        self._check_user()
        with self._store.write(self._tenant) as tx:
            on = self._find(tx.private_times.all())
            if on is None:
                on = PrivateTime(workspace=self._workspace, began_at=now_millis())
                tx.private_times.add(on)
        return on

    def _end(self) -> PrivateTime | None:
        self._check_user()
        with self._store.write(self._tenant) as tx:
            on = self._find(tx.private_times.all())
            if on is not None:
                tx.private_times.end(self._workspace, max(now_millis(), on.began_at))
        return on

    def _find(self, times: tuple[PrivateTime, ...]) -> PrivateTime | None:
        return find_open(one for one in times if one.workspace == self._workspace)

    def _check_user(self) -> None:
        if self._channel.is_agent:
            raise InvalidInputError("Only the user switches private time on and off, in a shell.")

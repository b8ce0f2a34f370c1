"""Connectors of other packages: sources of an import, and clients.

A package offers each as an entry point. Its code runs where the settings name it, in a command that
imports or connects, and nowhere else: no server and no hook looks here.
"""

import logging
from collections.abc import Callable, Container, Iterator, Sequence
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution
from typing import Protocol, TypeVar

from memoria.errors import shorten
from memoria.language.secrets.redact import redact

SOURCES_GROUP = "memoria.sources"
CLIENTS_GROUP = "memoria.clients"
_LOG = logging.getLogger(__name__)
_INSTALL = "Install it where Memoria is installed"
_MEND = "Update or mend it"
_LEAVE_OUT = "or take it out of the setting `connectors`"


class Named(Protocol):
    """A connector, with the name by which it is typed."""

    @property
    def name(self) -> str: ...  # noqa: D102


_ConnectorT = TypeVar("_ConnectorT", bound=Named)
_AnswerT = TypeVar("_AnswerT")


class _UnusableError(Exception):
    """A package or its connector can't be used. The message says why, and what to do."""


def load_connectors(
    packages: Sequence[str],
    group: str,
    kind: type[_ConnectorT],
    taken: Container[str],
    warn: Callable[[str], None],
) -> list[_ConnectorT]:
    """Load the connectors of one kind that packages offer.

    Args:
        packages: names of installed packages.
        group: the group of entry points.
        kind: the class that each of them must be of.
        taken: names that a connector can't have.
        warn: told of whatever can't be used, and what to do about it.

    Returns:
        The connectors that can be used, in the order of the packages.
    """
    loaded: dict[str, _ConnectorT] = {}
    for package in packages:
        try:
            for point in _find_points(package, group):
                connector = _load(package, point, kind)
                if connector.name in loaded or connector.name in taken:
                    warn(
                        f"{package} offers {connector.name!r}, but there is one of that name. "
                        f"Give it another name, {_LEAVE_OUT}."
                    )
                else:
                    loaded[connector.name] = connector
        except _UnusableError as error:
            warn(str(error))
    return list(loaded.values())


def guard_call(
    name: str, call: Callable[..., _AnswerT], instead: _AnswerT, warn: Callable[[str], None]
) -> Callable[..., _AnswerT]:
    """Wrap a connector's function, so that an error in it is named once and ends nothing else."""
    warn_once = cache(warn)

    def answer(*given: object) -> _AnswerT:
        try:
            return call(*given)
        except Exception as error:  # noqa: BLE001  (a stranger's code may raise anything)
            _LOG.debug("%s failed", name, exc_info=error)
            warn_once(
                f"{name} fails and is passed over: {_describe(error)}. {_MEND}, {_LEAVE_OUT}."
            )
            return instead

    return answer


def _find_points(package: str, group: str) -> Iterator[EntryPoint]:
    try:
        offered = distribution(package).entry_points
    except (PackageNotFoundError, ValueError) as error:  # a name that none can have
        raise _UnusableError(
            f"The setting `connectors` names {package!r}, which is not installed here. "
            f"{_INSTALL}, {_LEAVE_OUT}."
        ) from error
    if not offered.groups & {SOURCES_GROUP, CLIENTS_GROUP}:
        raise _UnusableError(
            f"The setting `connectors` names {package!r}, which offers neither a source nor a "
            f"client. {_MEND}, {_LEAVE_OUT}."
        )
    yield from offered.select(group=group)


def _load(package: str, point: EntryPoint, kind: type[_ConnectorT]) -> _ConnectorT:
    place = f"{point.name!r} of {package} ({point.value})"
    try:
        connector = point.load()
    except (Exception, SystemExit) as error:
        _LOG.debug("%s can't be loaded", place, exc_info=error)
        raise _UnusableError(
            f"{place} can't be loaded: {_describe(error)}. {_MEND}, {_LEAVE_OUT}."
        ) from error
    if not isinstance(connector, kind):
        raise _UnusableError(f"{place} is no {kind.__name__}. {_MEND}, {_LEAVE_OUT}.")
    return connector


def _describe(error: BaseException) -> str:
    return redact(shorten(f"{type(error).__name__}: {error}".rstrip(": "))).text.rstrip(".")

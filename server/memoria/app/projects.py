"""Projects of a home, for the user alone: listed, found by name or folder, joined and moved."""

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import closing
from difflib import get_close_matches
from pathlib import Path, PurePath

from memoria.app.engine import choose_engine, open_store
from memoria.app.open_home import in_thread
from memoria.bare.project_registry import Project, Projects, RegistryError, read_projects
from memoria.bare.projects import adopt, find_place, find_project, is_away, name_again, rename
from memoria.config import NO_WORKSPACE, Settings
from memoria.errors import InvalidInputError, StoreError
from memoria.memories.changes import Join, list_joins, note_join, note_part
from memoria.model.base import Value
from memoria.model.listing import KnownJoin, KnownProject
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.engine import Store
from memoria.store.rows.listings import HeldProject


class MeantProject(Value):
    """The project that is meant."""

    name: str
    is_known: bool = True
    near: str | None = None
    """Known project that an unknown name may be a misspelling of."""
    others: int = 0
    """Number of known projects."""


def choose_meant(known: tuple[KnownProject, ...], given: str) -> MeantProject:
    """Choose the project of a name, else the only project in a folder of that name.

    Raises:
        InvalidInputError: several projects are in folders of that name.
    """
    is_special = given in (NO_WORKSPACE, EVERYWHERE)
    if is_special or any(given in (one.name, *one.places) for one in known):
        return MeantProject(name=given)
    by_folder = {one.name: _list_folders(one) for one in known}
    named = [name for name, folders in by_folder.items() if given in folders]
    if len(named) > 1:
        raise InvalidInputError(
            f"{len(named)} projects are in folders called {given}: {', '.join(named)}. Name one by "
            "its path."
        )
    if named:
        return MeantProject(name=named[0])
    words = {*by_folder, *(folder for folders in by_folder.values() for folder in folders)}
    near = get_close_matches(given, sorted(words), 1)
    return MeantProject(
        name=given, is_known=False, near=near[0] if near else None, others=len(known)
    )


def _list_folders(project: KnownProject) -> set[str]:
    paths = map(PurePath, (project.name, *project.places))
    return {path.name for path in paths if path.is_absolute()}


class ProjectTable:
    """The projects of a home, as its tenant sees them."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._home = str(settings.home_path)
        self._private = frozenset(settings.private_workspaces or ())

    async def list(self) -> tuple[KnownProject, ...]:
        """List projects of which anything is on record and projects that were seen, by name."""
        return await in_thread(self.list_now)

    async def list_own(self) -> tuple[KnownProject, ...]:
        """List projects of which the tenant has anything on record, by name."""
        return await in_thread(lambda: self.list_now(only_own=True))

    async def has_others(self) -> bool:
        """Return whether the home has other tenants, for whom a join or a move would hold too."""
        return await in_thread(lambda: {*self._store.tenants()} != {self._settings.tenant})

    async def list_joins(self) -> tuple[KnownJoin, ...]:
        """List the joins that can be taken back, the latest first."""

        def read() -> tuple[KnownJoin, ...]:
            standing = {(one.former, one.into): one for one in self._iterate_joins()}
            return tuple(map(_describe_join, standing.values()))

        return await in_thread(read)

    async def find(self, given: str) -> KnownProject:
        """Find the project that is meant by a name or a folder.

        Raises:
            InvalidInputError: there is none.
        """
        return await in_thread(lambda: self._find(given))

    async def find_former(self, given: str, folder: str) -> KnownProject:
        """Find the project that was moved to a folder, by the name or the folder that it had.

        Raises:
            InvalidInputError: there is none.
        """
        return await in_thread(lambda: self._find_former(given, folder))

    async def check_join(self, former: KnownProject, into: KnownProject) -> None:
        """Check that a project may become part of another.

        Raises:
            InvalidInputError: it may not, and why.
        """
        if former.name == into.name:
            place = find_place(self._home, former.name)
            raise InvalidInputError(f"Both are one project already: {place}.")
        if former.is_private != into.is_private:
            private = former if former.is_private else into
            raise InvalidInputError(
                f"{private.name} is private and the other is not, so they can't become one: what "
                "is private would be seen with the rest. Change private_workspaces first."
            )

    async def join(self, former: KnownProject, into: KnownProject) -> None:
        """Move all records of a project into another, for every tenant.

        Raises:
            InvalidInputError: it may not be.
            StoreError: it could not be done.
        """
        await self.check_join(former, into)
        await in_thread(lambda: self._join(former, into))

    async def find_join(self, given: str) -> KnownJoin:
        """Find the last join by which a project became part of another, if it can be taken back.

        Raises:
            InvalidInputError: there is no such join, or a later join has to be taken back first.
        """
        return await in_thread(lambda: self._find_join(given))

    async def part(self, join: KnownJoin) -> None:
        """Give a project back what it brought into another, for every tenant.

        Raises:
            StoreError: it could not be done.
            InvalidInputError: it could not be noted in the home.
        """
        await in_thread(lambda: self._part(join))

    async def check_move(self, former: KnownProject, folder: str) -> None:
        """Check that a folder may be the one that a project was moved to.

        Raises:
            InvalidInputError: it may not, and why.
        """
        await in_thread(lambda: self._check_move(former, folder))

    async def move(self, former: KnownProject, folder: str) -> None:
        """Note a folder as the place to which a project was moved.

        Raises:
            InvalidInputError: it may not be.
        """
        await self.check_move(former, folder)
        if not await in_thread(lambda: adopt(self._home, former.name, folder)):
            raise InvalidInputError(
                f"{folder} can't be noted as {former.name}: its git directory or the home can't be "
                "written in. Nothing was changed."
            )

    def list_now(self, *, only_own: bool = False) -> tuple[KnownProject, ...]:
        """List projects as `list` or `list_own` does, in the calling thread."""
        with self._store.read(self._settings.tenant) as tx:
            held = {one.name: one for one in tx.projects.list_held()}
        noted = [one for one in self._read_noted().values() if one.name in held or not only_own]
        return tuple(
            self._describe(
                held.get(name) or HeldProject(name, 0, 0),
                [one for one in noted if one.name == name],
            )
            for name in sorted({*held, *(one.name for one in noted)})
        )

    def _describe(self, held: HeldProject, noted: Sequence[Project]) -> KnownProject:
        by_name = [held.name] if Path(held.name).is_absolute() else []
        places = [one.place for one in noted] or by_name
        is_missing = bool(places) and not any(map(os.path.lexists, places))
        is_unmounted = is_missing and any(map(is_away, noted))
        return KnownProject(
            **held._asdict(),
            places=tuple(filter(None, places)),
            is_private=held.name in self._private,
            is_gone=is_missing and not is_unmounted,
            is_unmounted=is_unmounted,
            is_here=held.name == self._settings.workspace,
        )

    def _read_noted(self) -> Projects:
        try:
            return read_projects(self._home)
        except RegistryError as error:
            raise InvalidInputError(
                f"{error}. Move it away, and Memoria begins another."
            ) from error

    def _find_former(self, given: str, folder: str) -> KnownProject:
        here = find_project(self._home, folder)
        recorded = tuple(
            one for one in self.list_now() if one.name != here and (one.memories or one.turns)
        )
        meant = choose_meant(recorded, given)
        named = (one for one in recorded if one.name == meant.name or meant.name in one.places)
        return next(named, None) or self._find(given)

    def _find(self, given: str) -> KnownProject:
        path = Path(os.path.realpath(Path(given).expanduser()))
        here = find_project(self._home, path) if path.is_dir() else None
        listed = self.list_now()
        for found in (
            [one for one in listed if one.name == given],
            [one for one in listed if one.name == here],
            [one for one in listed if str(path) in one.places],
        ):
            if found:
                return found[0]
        meant = choose_meant(listed, given)
        if named := next((one for one in listed if one.name == meant.name), None):
            return named
        near = f" Did you mean {meant.near}?" if meant.near else ""
        raise InvalidInputError(f"No project is called {given}.{near} See: memoria workspace list")

    def _join(self, former: KnownProject, into: KnownProject) -> None:
        for tenant in self._store.tenants():
            with self._store.write(tenant) as tx:
                note_join(tx, former.name, into.name)
        if not rename(self._home, former.name, into.name):
            raise InvalidInputError(
                f"All of {former.name} is {into.name}'s now, but that could not be noted in the "
                "home, so what comes next in its folder is apart again. Join them once more."
            )

    def _find_join(self, given: str) -> KnownJoin:
        standing = {(one.former, one.into): one for one in self._iterate_joins()}
        names = {given, os.path.realpath(Path(given).expanduser())}
        found = next((one for one in standing.values() if one.former in names), None)
        found = found or _find_by_folder([*standing.values()], given)
        if found is None:
            known = ", ".join(dict.fromkeys(one.former for one in standing.values())) or "none"
            raise InvalidInputError(
                f"{given} is part of no other project by a join that can be taken back. These are: "
                f"{known}."
            )
        later = next((one for one in standing.values() if one.former == found.into), None)
        if later is not None:
            raise InvalidInputError(
                f"{found.into} has become part of {later.into} since. First: memoria workspace "
                f"part {shlex.quote(found.into)}"
            )
        if (found.former in self._private) != (found.into in self._private):
            raise InvalidInputError(
                f"One of {found.former} and {found.into} is private and the other is not, so what "
                "is private would be seen. Change private_workspaces first."
            )
        return _describe_join(found)

    def _iterate_joins(self) -> Iterator[Join]:
        """Yield the joins of all tenants that stand, those of the tenant at hand first."""
        tenants = {self._settings.tenant: None, **dict.fromkeys(self._store.tenants())}
        for tenant in tenants:
            with self._store.read(tenant) as tx:
                yield from list_joins(tx)

    def _part(self, join: KnownJoin) -> None:
        if not name_again(self._home, join.former, join.into):
            raise InvalidInputError(
                f"It can't be noted in the home that {join.former} is a project of its own. "
                "Nothing was changed."
            )
        for tenant in self._store.tenants():
            with self._store.write(tenant) as tx:
                for one in list_joins(tx):
                    if (one.former, one.into) == (join.former, join.into):
                        note_part(tx, one)

    def _check_move(self, former: KnownProject, folder: str) -> None:
        name = find_project(self._home, folder)
        if name is None:
            raise InvalidInputError(
                f"{folder} is in no git repository, and folders without one are no projects."
            )
        if name == former.name:
            raise InvalidInputError(f"{folder} is {name} already.")
        command = f"memoria workspace join {shlex.quote(former.name)} {shlex.quote(folder)}"
        way = f"To have both remember as one: {command}"
        if former.is_unmounted:
            raise InvalidInputError(
                f"{former.name} lies on a drive that is not mounted, and may be there still. {way}"
            )
        if former.places and not former.is_gone:
            raise InvalidInputError(f"{former.name} is still in {former.places[0]}. {way}")
        if any(name in used for used in self._iterate_used()):
            raise InvalidInputError(f"There is something on record of {folder} already. {way}")

    def _iterate_used(self) -> Iterator[set[str]]:
        for tenant in self._store.tenants():
            with self._store.read(tenant) as tx:
                yield {one.name for one in tx.projects.list_held()}


def _describe_join(join: Join) -> KnownJoin:
    return KnownJoin(
        former=join.former,
        into=join.into,
        memories=len(join.rows.memories),
        sessions=len(join.rows.sessions),
    )


def _find_by_folder(joins: Sequence[Join], given: str) -> Join | None:
    """Find the join of the only project that was in a folder of a name."""
    named = [one for one in joins if PurePath(one.former).name == given]
    return named[0] if len({one.former for one in named}) == 1 else None


def name_meant(settings: Settings, given: str) -> MeantProject:
    """Name the project that is meant, as far as the home can be looked at.

    Raises:
        InvalidInputError: several projects are in folders of that name.
    """
    if not choose_engine(settings).exists(settings):
        return MeantProject(name=given)
    try:
        store = open_store(settings)
    except StoreError:
        return MeantProject(name=given)  # whoever opens it next says why it can't be
    with closing(store):
        return choose_meant(ProjectTable(store, settings).list_now(), given)

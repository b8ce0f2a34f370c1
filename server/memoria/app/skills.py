"""Skills of a tenant: listed, kept, dropped and said to have failed; their files follow."""

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NamedTuple

from memoria.app.arguments import Name, Text, check_arguments
from memoria.app.open_home import in_snapshot, in_thread
from memoria.bare.project_registry import RegistryError, read_projects
from memoria.bare.projects import find_place
from memoria.config import Settings
from memoria.connectors.clients.skill_files import (
    SkillFile,
    check_free,
    delete_file,
    list_skill_files,
    place_skill,
    put_back,
    set_aside,
    write_skill_file,
    write_text,
)
from memoria.errors import ClientError, ConflictError, NotFoundError, quote_value
from memoria.memories.revisions import Revisions
from memoria.memories.skills import list_skills
from memoria.model import Memory, Revision
from memoria.model.base import UNLESS_EMPTY, Value
from memoria.model.skills import SkillState, skill_of, state_of
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction

_LOG = logging.getLogger(__name__)
DEFAULT_CLIENT = "claude-code"
_PREFERRED: tuple[SkillState, ...] = ("draft", "kept", "withdrawn", "dropped")


class SkillRecord(Value):
    """A skill on record."""

    id: str
    """Id of the memory."""
    name: str
    description: str
    state: SkillState
    project: str | None
    failures: Annotated[int, UNLESS_EMPTY] = 0
    """Number of times that it was said to have failed."""
    days: tuple[str, ...] = ()
    """Days on which what it rests on was done."""
    sessions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Files of ours that clients read or that are set aside; read for a list."""
    text: str
    """Text of its file."""


class SettledFiles(NamedTuple):
    """Effect of bringing the files of skills in line with the record."""

    changed: tuple[str, ...] = ()
    """Files that were written, set aside or put back."""
    deleted: tuple[str, ...] = ()
    """Files of forgotten skills."""
    left: tuple[str, ...] = ()
    """Files of forgotten skills that somebody has changed: they are theirs."""


class SkillShelf:
    """One tenant's skills, as a project sees them."""

    def __init__(self, store: Store, settings: Settings, revisions: Revisions) -> None:
        self._store = store
        self._settings = settings
        self._revisions = revisions

    async def list_all(self) -> list[SkillRecord]:
        """List the skills of the project at hand: drafts first, then kept ones, then the others."""
        await self.settle()
        return await in_snapshot(self._store, self._settings.tenant, self._list)

    @check_arguments
    async def get(self, name: Text) -> SkillRecord:
        """Return a skill by its name, or by its memory's id or the end of it.

        Raises:
            NotFoundError: there is none.
        """
        found = [one for one in await self.list_all() if one.name == name or one.id.endswith(name)]
        if not found:
            raise NotFoundError(f"There is no skill {quote_value(name)}. List them: memoria skills")
        return found[0]

    @check_arguments
    async def keep(self, name: Text, client: Name = DEFAULT_CLIENT) -> SkillRecord:
        """Keep a skill, and write its file where a client looks for it.

        Raises:
            ClientError: no client has the name, or somebody's own file is there; the skill is as it
                was.
            ConflictError: the project has no folder on this machine.
        """
        from memoria.connectors.clients.table import find_client  # noqa: PLC0415  (who keeps alone)

        skill = await self.get(name)
        find_client(client)

        def write() -> None:
            project = self._folder_of(skill)
            path = place_skill(project, client, skill.name)
            check_free(path, project, skill.id)
            if skill.state != "kept":
                self._revise(skill.id, "confirm" if skill.state == "draft" else "restore")
            write_skill_file(path, project, skill.id, skill.text)

        await in_thread(write)
        return await self.get(skill.id)

    @check_arguments
    async def drop(self, name: Text) -> SkillRecord:
        """Drop a skill: its file is set aside, and it is not proposed again."""
        return await self._change(name, "archive")

    @check_arguments
    async def fail(self, name: Text) -> SkillRecord:
        """Note that a skill has failed. At the second time it is withdrawn."""
        return await self._change(name, "downvote")

    async def settle(self) -> SettledFiles:
        """Bring all files in line with the skills on record."""
        return await in_thread(lambda: settle_skill_files(self._store, self._settings))

    async def _change(self, name: str, action: Revision) -> SkillRecord:
        skill = await self.get(name)
        await in_thread(lambda: self._revise(skill.id, action))
        return await self.get(skill.id)

    def _revise(self, memory_id: str, action: Revision) -> None:
        self._revisions.revise(memory_id, action, None)

    def _folder_of(self, skill: SkillRecord) -> Path:
        project = skill.project or self._settings.workspace
        folder = Path(find_place(str(self._settings.home_path), project or ""))
        if not (folder.is_absolute() and folder.is_dir()):
            raise ConflictError(
                f"The folder of {skill.name}'s project is not on this machine. Nothing was "
                f"written: do it yourself with what `memoria skills show {skill.name}` prints."
            )
        return folder

    def _list(self, tx: Transaction) -> list[SkillRecord]:
        place = self._settings.workspace
        files = dict[str, list[str]]()
        for folder in _list_folders(self._settings):
            for file in list_skill_files(folder):
                files.setdefault(file.memory_id, []).append(_describe_file(file))
        found = list_skills(tx, place, everywhere=place == EVERYWHERE)
        records = (_describe(tx, one, files.get(one.id, [])) for one in found)
        return sorted(filter(None, records), key=lambda one: _PREFERRED.index(one.state))


def _describe_file(file: SkillFile) -> str:
    return f"{file.path}" + ("" if file.is_unchanged else " (changed by hand)")


def _describe(tx: Transaction, memory: Memory, files: Iterable[str] = ()) -> SkillRecord | None:
    """Describe a skill; None for a memory that was corrected into something else."""
    skill = skill_of(memory)
    if skill is None:
        return None
    evidence = tx.memories.list_evidence(memory.id)
    days = tuple(sorted({f"{tx.zone.date_of(one.at):%Y-%m-%d}" for one in evidence}))
    return SkillRecord(
        id=memory.id,
        name=skill.name,
        description=skill.description,
        state=state_of(memory),
        project=memory.project,
        failures=memory.downvotes,
        days=days,
        sessions=tuple(dict.fromkeys(one.session_id for one in evidence)),
        files=tuple(files),
        text=write_text(skill, memory.id, days),
    )


def settle_skill_files(store: Store, settings: Settings) -> SettledFiles:
    """Bring the files of skills in line with the record.

    The file of a skill that is not kept any more is set aside, and put back once it is kept again;
    with a forgotten skill its file goes. Files that somebody has changed are left alone, and so are
    those of skills that this home never knew.
    """
    changed, deleted, left = list[Path | None](), list[str](), list[str]()
    for folder in _list_folders(settings):
        for file in list_skill_files(folder):
            with store.read(settings.tenant) as tx:
                memory = tx.memories.get(file.memory_id)
                is_foreign = memory is None and not tx.audit.list_entries(file.memory_id, 1)
                wanted = None if memory is None else _describe(tx, memory)
            if is_foreign or not file.is_unchanged:
                left += [str(file.path)] if memory is None and not is_foreign else []
                continue
            try:
                if memory is None:
                    delete_file(file)
                    deleted.append(str(file.path))
                else:
                    changed.append(_settle(folder, file, wanted))
            except (OSError, ClientError) as error:
                _LOG.warning("%s stays as it is: %s", file.path, error)
    return SettledFiles(tuple(map(str, filter(None, changed))), tuple(deleted), tuple(left))


def _settle(project: Path, file: SkillFile, wanted: SkillRecord | None) -> Path | None:
    """Bring one file in line with its skill; return its place if it was changed."""
    if wanted is None or wanted.state != "kept":
        return None if file.is_aside else set_aside(file)
    if file.is_aside:
        return put_back(file)
    if file.path.read_text("utf-8") != wanted.text and file.path.parent.name == wanted.name:
        write_skill_file(file.path, project, file.memory_id, wanted.text)
        return file.path
    return None


def _list_folders(settings: Settings) -> list[Path]:
    """List the folders of projects on this machine: this one, and those that the home knows."""
    home = str(settings.home_path)
    try:
        known = [one.name for one in read_projects(home).values() if one.place and not one.names]
    except RegistryError as error:
        _LOG.info("No projects are known: %s", error)
        known = []
    names = [*([settings.workspace] if settings.workspace else []), *known]
    places = dict.fromkeys(Path(find_place(home, name)) for name in names)
    return [one for one in places if one.is_absolute() and one.is_dir()]

"""Files of skills in a project's folders, where coding agents look for them.

Claude Code reads `.claude/skills`; Codex, Cursor, Gemini CLI, Copilot, OpenCode and others read
`.agents/skills`, which the Agent Skills format names for all clients. A file of ours says so in its
front matter, with the memory that it is of and a digest of the text as we wrote it. A file without
that, or with another text, is somebody's own: it is neither replaced nor moved.
"""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.clients.config_file import check_stays_inside
from memoria.errors import ClientError
from memoria.model.skills import Skill

FILE = "SKILL.md"
ASIDE = "SKILL.md.withdrawn"
_OWN_FOLDERS = {"claude-code": ".claude/skills"}
_SHARED_FOLDER = ".agents/skills"
_FOLDERS = (*_OWN_FOLDERS.values(), _SHARED_FOLDER)
_MARK = lazy_regex(
    r"(?m)^metadata:\n  memoria-memory: (?P<memory>[0-9a-f-]{36})\n"
    r"  memoria-note: [^\n]*\n  memoria-digest: (?P<digest>[0-9a-f]{32})\n"
)
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class SkillFile:
    """A file of ours."""

    path: Path
    memory_id: str
    is_unchanged: bool
    """True if it is as we wrote it."""

    @property
    def is_aside(self) -> bool:
        """True if no client reads it any more."""
        return self.path.name == ASIDE


def write_text(skill: Skill, memory_id: str, days: tuple[str, ...]) -> str:
    """Write a skill as the text of a file of ours, made from what was done on some days."""
    told = f" from what was done on {', '.join(days)}" if days else ""
    head = f"metadata:\n  memoria-memory: {memory_id}\n  memoria-note: Made by Memoria{told}\n"
    digest = _digest(skill.write(head))
    return skill.write(f"{head}  memoria-digest: {digest}\n")


def place_skill(project: Path, client: str, name: str) -> Path:
    """Return where a client looks for a skill of a project."""
    return project / _OWN_FOLDERS.get(client, _SHARED_FOLDER) / name / FILE


def check_free(path: Path, project: Path, memory_id: str) -> None:
    """Check that a file may be written: there is none, or one of the memory's as we wrote it.

    Raises:
        ClientError: somebody's own is there, or a link leads out of the project.
    """
    try:
        check_stays_inside(path, project)
    except ClientError as error:
        raise ClientError(
            f"A link leads from {path.parent} out of the project. Nothing was written: put a "
            "folder of the project's own there."
        ) from error
    if not os.path.lexists(path):
        return
    found = read_skill_file(path)
    if found is None or found.memory_id != memory_id or not found.is_unchanged:
        raise ClientError(
            f"{path} is not as Memoria wrote it. It was left as it is: rename it, and try again."
        )


def write_skill_file(path: Path, project: Path, memory_id: str, text: str) -> None:
    """Write a file, in the place of one of ours.

    Raises:
        ClientError: somebody's own is there, or it can't be written.
    """
    check_free(path, project, memory_id)
    draft = path.with_name(f".{path.name}.draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, "utf-8", newline="\n")
        draft.replace(path)
        if _may_be_replaced(aside := path.with_name(ASIDE)):
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise ClientError(f"{path} can't be written: {error.strerror}.") from error


def list_skill_files(project: Path) -> Iterator[SkillFile]:
    """Yield the files of ours in a project's folders, those set aside included."""
    for folder in _FOLDERS:
        for name in (FILE, ASIDE):
            for path in sorted((project / folder).glob(f"*/{name}")):
                found = read_skill_file(path)
                if found is not None and _stays_inside(path, project):
                    yield found


def read_skill_file(path: Path) -> SkillFile | None:
    """Read a file; None if it is none of ours, or can't be read."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    mark = _MARK.search(text)
    if mark is None:
        return None
    bare = text.replace(f"  memoria-digest: {mark['digest']}\n", "", 1)
    return SkillFile(path, mark["memory"], _digest(bare) == mark["digest"])


def set_aside(file: SkillFile) -> Path | None:
    """Rename a file so that no client reads it, unless somebody's own is in that place."""
    place = file.path.with_name(ASIDE)
    return file.path.replace(place) if _may_be_replaced(place) else None


def put_back(file: SkillFile) -> Path | None:
    """Rename a file so that clients read it again, unless another is there by now."""
    place = file.path.with_name(FILE)
    return None if os.path.lexists(place) else file.path.replace(place)


def delete_file(file: SkillFile) -> None:
    """Delete a file, and its folder if nothing else is in it."""
    file.path.unlink(missing_ok=True)
    if not any(file.path.parent.iterdir()):
        file.path.parent.rmdir()


def _may_be_replaced(path: Path) -> bool:
    """Check that a file is ours as we wrote it, or that there is none."""
    found = read_skill_file(path)
    return not os.path.lexists(path) or (found is not None and found.is_unchanged)


def _stays_inside(path: Path, project: Path) -> bool:
    try:
        check_stays_inside(path, project)
    except ClientError:
        return False
    return True


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]

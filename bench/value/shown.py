"""What the product shows to an agent: at a session's start, for a search, before a call.

First sessions are recorded as a client's hooks report them, each project's in the project of its
folder. Whatever an agent is shown here is the text that its client would put before the model.
"""

import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread

import memoria
from bench.value.cases import Project, Task, list_kept, list_turns
from bench.value.repository import apply_changes, make_repository
from memoria.app import Memoria
from memoria.app.kept import AnswerKeeper
from memoria.bare.guard_words import choose_line, note_asked
from memoria.bare.projects import find_project
from memoria.model.provenance import hook_channel
from memoria.surface.mcp.asked import answer_briefing
from memoria.surface.mcp.instructions import composers_for
from memoria.surface.text import result_text

_CLIENT = "claude-code"
_PATIENCE_S, _PAUSE_S = 30.0, 0.005


@dataclass(frozen=True, slots=True)
class Showing:
    """The product's answers within one project."""

    memory: Memoria
    workspace: str

    async def brief(self) -> str:
        """Return what a session is told at its start."""
        return await answer_briefing(self.memory, {"workspace": self.workspace})

    async def search(self, task: Task) -> str:
        """Return the answer to one search in the task's own words."""
        command = task.trap.action if task.by_command else None
        found = await self.memory.search_memory(
            task.prompt, queries=[task.decision.question], command=command, workspace=self.workspace
        )
        return result_text(found)

    async def look_up(self, error: str) -> str:
        """Return the answer to a search for an error."""
        found = await self.memory.search_memory(error=error, workspace=self.workspace)
        return result_text(found)

    async def warn(self, session: str, tool: str, action: str) -> str:
        """Return the line that a hook would say before a call; empty for none."""
        home, tenant = str(self.memory.settings.home_path), self.memory.tenant
        return choose_line(home, tenant, self.workspace, session, tool, {"command": action})


@asynccontextmanager
async def record_projects(
    projects: Sequence[Project], told_of: Sequence[Project]
) -> AsyncIterator[list[Showing]]:
    """Record sessions in a home of their own; yield what each project's later sessions are shown.

    Args:
        projects: whose repositories are made.
        told_of: whose sessions are recorded in each of them: the same, or others.
    """
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as name:
        home = Path(name) / "home"
        async with memoria.open(home) as memory:
            note_asked(str(home), memory.tenant)
            shown = []
            for project, told in zip(projects, told_of, strict=True):
                folder = Path(name) / "work" / project.name
                make_repository(folder, project)
                workspace = find_project(str(home), folder) or str(folder)
                await _record(memory, told, workspace)
                await anyio.to_thread.run_sync(_ground, memory, workspace)
                apply_changes(folder, project)
                await anyio.to_thread.run_sync(_ground, memory, workspace)
                shown.append(Showing(memory, workspace))
            await memory.wait_until_idle()
            for one in shown:
                await anyio.to_thread.run_sync(_lay_ready, memory, one.workspace)
            yield shown


async def _record(memory: Memoria, project: Project, workspace: str) -> None:
    hook = memory.with_channel(hook_channel(_CLIENT))
    for session in project.sessions:
        name = f"{project.name}-{session['id']}"
        turns = list_turns(session)
        await hook.record_conversation(turns, "session_end", session_id=name, workspace=workspace)
        for statement in list_kept(session):
            await memory.remember(
                statement, valid_from=session["at"], session_id=name, workspace=workspace
            )
    await memory.wait_until_idle()


def _ground(memory: Memoria, workspace: str) -> None:
    """Bind memories to a project's files and lay ready how these stand, as its server does."""
    worker = memory._home.grounds  # noqa: SLF001
    while worker is not None and worker.catch_up(memory.tenant, workspace):
        pass


def _lay_ready(memory: Memoria, workspace: str) -> None:
    """Lay a project's words before a mistake ready, as a server of the project does.

    Raises:
        TimeoutError: the home does not come to rest.
    """
    settings = memory.settings.model_copy(update={"workspace": workspace})
    keeper = AnswerKeeper(settings, memory._store, composers_for(settings))  # noqa: SLF001
    deadline = time.monotonic() + _PATIENCE_S
    while not keeper.keep():
        if time.monotonic() > deadline:
            raise TimeoutError("the home does not come to rest")
        time.sleep(_PAUSE_S)

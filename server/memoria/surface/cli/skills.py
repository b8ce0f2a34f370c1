"""Commands on skills: what was done three times, as files that agents load."""

from typing import TYPE_CHECKING, Annotated

import typer

from memoria.app.skills import DEFAULT_CLIENT
from memoria.model.base import write_document
from memoria.surface.cli.console import AsJson, is_for_subcommand, show, with_memory
from memoria.surface.cli.layout import columns, entry_of_list, wrap_text
from memoria.surface.text import quantity

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.app.skills import SettledFiles, SkillRecord

app = typer.Typer()
group = typer.Typer(invoke_without_command=True)
app.add_typer(group, name="skills")

Name = Annotated[str, typer.Argument(help="Name of the skill, or the end of its memory's id.")]
_NONE = (
    "There is no skill yet. The night proposes one once a task was done in three sessions of this "
    "project, where a chat model reads for you; `memoria model` chooses one."
)
_WORDS = {
    "draft": "waits for your word: memoria skills keep {0}",
    "kept": "kept",
    "idle": "kept; to write its file: memoria skills keep {0}",
    "withdrawn": "withdrawn",
    "dropped": "dropped by you, and not proposed again",
}


@group.callback()
def list_unless_named(context: typer.Context, as_json: AsJson = False) -> None:
    """List skills: tasks that were done three times, as drafts, kept or withdrawn; keep one."""
    if is_for_subcommand(context, has_options=as_json):
        return

    async def read(memory: "Memoria") -> "tuple[SettledFiles, list[SkillRecord]]":
        return await memory.skills.settle(), await memory.skills.list_all()

    settled, skills = with_memory(context, read)
    lines = [line for one in skills for line in _describe(one)] or wrap_text(_NONE, columns())
    for path in settled.left:
        lines += wrap_text(f"Changed by hand, of a skill that was forgotten: {path}", columns())
    document = write_document(skills=skills, left_files=[*settled.left])
    show(document, "\n".join(lines), as_json=as_json)


@group.command("show")
def show_skill(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Print a skill as the text of its SKILL.md."""
    skill = with_memory(context, lambda memory: memory.skills.get(name))
    show(skill, skill.text.rstrip("\n"), as_json=as_json)


@group.command()
def keep(
    context: typer.Context,
    name: Name,
    client: Annotated[
        str,
        typer.Option(
            help="Client that is to load it: claude-code reads .claude/skills of the project, all "
            "others read .agents/skills."
        ),
    ] = DEFAULT_CLIENT,
    as_json: AsJson = False,
) -> None:
    """Keep a skill, and write its SKILL.md into the project for a client."""
    skill = with_memory(context, lambda memory: memory.skills.keep(name, client))
    show(skill, "\n".join([f"{skill.name} is kept.", *skill.files]), as_json=as_json)


@group.command()
def drop(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Drop a skill: it is not proposed again, and its file is set aside."""
    skill = with_memory(context, lambda memory: memory.skills.drop(name))
    show(skill, "\n".join([f"{skill.name} is dropped.", *skill.files]), as_json=as_json)


@group.command("failed")
def note_failure(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Say that a skill has failed. At the second time it is withdrawn, and its file set aside."""
    skill = with_memory(context, lambda memory: memory.skills.fail(name))
    times = quantity(skill.failures, "time", "times")
    said = f"{skill.name} has failed {times}" + (" and is withdrawn." if _is_gone(skill) else ".")
    show(skill, "\n".join([said, *skill.files]), as_json=as_json)


def _is_gone(skill: "SkillRecord") -> bool:
    return skill.state == "withdrawn"


def _describe(skill: "SkillRecord") -> list[str]:
    state = "idle" if skill.state == "kept" and not skill.files else skill.state
    details = [
        _WORDS[state].format(skill.name),
        *([f"failed {quantity(skill.failures, 'time', 'times')}"] if skill.failures else []),
        *([f"seen on {', '.join(skill.days)}"] if skill.days else []),
        *([f"sessions {', '.join(skill.sessions)}"] if skill.sessions else []),
        *skill.files,
    ]
    return [*entry_of_list(f"{skill.name}: {skill.description}", details, columns())]

"""Commands on settings: show those in force and why, change the home's settings file."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from memoria.admin.settings import (
    COMMENTS,
    SettingInForce,
    SettingsInForce,
    change_settings,
    describe_variable,
    explain_settings,
)
from memoria.bare.home import find_home
from memoria.bare.settings_file import settings_path
from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.model.base import write_document
from memoria.settings_file import FORMER_SETTINGS, describe_unknown
from memoria.surface.cli.console import AsJson, Options, show
from memoria.surface.text import quantity

_Pairs = Annotated[
    list[str],
    typer.Argument(help="The setting's name and its value; several pairs are one change."),
]
_Names = Annotated[list[str], typer.Argument(help="Names of settings.")]


app = typer.Typer()
group = typer.Typer(invoke_without_command=True)
app.add_typer(group, name="config")


@group.callback()
def show_settings(
    context: typer.Context,
    every: Annotated[
        bool, typer.Option("--all", help="Every setting, also those at their default.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show which settings hold and why; set one in the home's settings file."""
    if context.invoked_subcommand is not None:
        return
    options: Options = context.obj
    found = explain_settings(find_home(options.home, options.tenant))
    listed = [one for one in found.settings if every or _matters(one)]
    document = write_document(
        file=found.file,
        exists=found.exists,
        settings=[write_document(**asdict(one) | {"note": one.note or None}) for one in listed],
        problems=found.problems,
    )
    show(document, _text(found, listed), as_json=as_json)


@group.command("set")
def set_values(context: typer.Context, pairs: _Pairs, as_json: AsJson = False) -> None:
    """Write settings into the home's file, or refuse what they can't be."""
    names, values = [_plain(name) for name in pairs[::2]], pairs[1::2]
    if len(names) != len(values):
        raise InvalidInputError(f"{names[-1]}: which value? Write memoria config set NAME VALUE.")
    _change(context, dict(zip(names, values, strict=True)), as_json=as_json)


@group.command("unset")
def unset_values(context: typer.Context, names: _Names, as_json: AsJson = False) -> None:
    """Take settings out of the home's file: their defaults hold again."""
    _change(context, dict.fromkeys(map(_plain, names)), as_json=as_json)


def _change(context: typer.Context, changes: dict[str, str | None], *, as_json: bool) -> None:
    options: Options = context.obj
    home = Path(find_home(options.home, options.tenant))
    former = [name for name, given in changes.items() if given and name in FORMER_SETTINGS]
    for name in former:  # a script may set a former setting: it is told, and goes on
        sys.stderr.write(f"note: {name}: {describe_unknown(Settings, name)}\n")
    changes = {name: given for name, given in changes.items() if name not in former}
    if former and not changes:
        file, lines = Path(settings_path(str(home))), ["Nothing was written."]
    else:
        file = change_settings(home, changes)
        lines = [f"Written to {file}. What runs already reads it when it is started again."]
    notes = {one.name: one.note for one in explain_settings(str(home)).settings}
    lines += (f"But {name}: {note}." for name in changes if (note := notes.get(name)))
    show(write_document(file=str(file), changed=[*changes]), "\n".join(lines), as_json=as_json)


def _plain(name: str) -> str:
    """Return a setting's name as the file has it: in lower case, without `MEMORIA_`."""
    return name.lower().removeprefix("memoria_")


def _matters(setting: SettingInForce) -> bool:
    return setting.source != "default" or bool(setting.note) or setting.name in COMMENTS


def _text(found: SettingsInForce, listed: list[SettingInForce]) -> str:
    made = "" if found.exists else " (not there yet: `memoria config set` makes it)"
    width = max(len(one.name) for one in found.settings)
    lines = [f"{found.file}{made}", "", *(_line(one, width) for one in listed)]
    left = len(found.settings) - len(listed)
    if left:
        lines += [
            "",
            f"{quantity(left, 'more setting is', 'more are')} at the default: memoria config --all",
        ]
    lines += (f"! {problem}" for problem in found.problems)
    return "\n".join(lines)


def _line(setting: SettingInForce, width: int) -> str:
    note = f"; {setting.note}" if setting.note else ""
    value = f"{setting.value}  " if setting.value else ""
    return f"{setting.name:{width}}  {value}({describe_variable(setting)}{note})"

"""The settings that people need, each with a line about it: what a new settings file has."""

from collections.abc import Iterator

from memoria.config import Settings
from memoria.connectors.clients.syntax.toml_edit import write_value

COMMENTS = {
    "time_zone": "Your time zone, such as Asia/Shanghai; by default this machine's.",
    "private_workspaces": "Projects that are seen from themselves alone.",
    "ignored_folders": "Folders of which nothing is kept, such as ~/diary.",
    "personal_data": "What becomes of personal data in memories: phone=mask,email=drop",
    "forget_grace_days": "Days in which what is forgotten can be put back; 0: erased at once.",
    "llm_command": "A program that reads conversations for you; `memoria model` finds one.",
    "llm_base_url": "Or an endpoint that does, such as http://127.0.0.1:11434/v1.",
    "llm_model": "The endpoint's model.",
    "llm_api_key": "The endpoint's key: the name of the variable that holds it, as $NAME.",
    "llm_daily_tokens": "Tokens that such a model may cost in a day.",
    "nightly_idle_minutes": "Idle minutes before a server does its nightly work; 0: never.",
    "core_file_tokens": "The size of each core file (MEMORY.md, USER.md, PERSONA.md) in tokens.",
    "backup_keep_days": "Days for which a backup is kept.",
}
_HEAD = """\
# Settings of this Memoria. A variable such as MEMORIA_TIME_ZONE wins over a line of this file.
# `memoria config` shows what holds and why; all settings: `memoria config --all`.
# Servers and commands read this file when they start.
"""


def new_file() -> str:
    """Write a settings file in which nothing is set."""
    return "\n".join([_HEAD, *_paragraphs()])


def comment_out(name: str) -> str:
    """Write a setting at its default, as a comment."""
    default = Settings.model_fields[name].default
    return f"# {name} = {write_value('' if default is None else default)}"


def _paragraphs() -> Iterator[str]:
    return (f"# {comment}\n{comment_out(name)}\n" for name, comment in COMMENTS.items())

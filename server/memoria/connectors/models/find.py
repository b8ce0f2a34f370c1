"""Candidates on this machine that could read conversations, and the settings for each."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from memoria.connectors.models.endpoints import Endpoint, find_local, find_remote
from memoria.connectors.models.programs import PROGRAMS, ReadingProgram
from memoria.disk.folders import make_private
from memoria.disk.home_files import replace_file
from memoria.errors import InvalidInputError, quote_value

MODEL_SETTINGS = ("llm_command", "llm_base_url", "llm_model", "llm_api_key")
FOLDER = "model"
"""The home's folder with the files that a program's flags name."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One who could read: a program, or an endpoint."""

    name: str
    title: str
    where: str
    """Destination of conversations, as the end of a sentence."""
    models: tuple[str, ...] = ()
    """Models that an endpoint names."""
    program: ReadingProgram | None = None
    path: str = ""
    """Path of the program."""
    endpoint: Endpoint | None = None


def find_readers() -> list[Candidate]:
    """List all that are found, programs first."""
    return [*find_programs(), *_find_endpoints()]


def choose_reader(name: str, found: list[Candidate]) -> Candidate:
    """Return the candidate of a name.

    Raises:
        InvalidInputError: there is none.
    """
    for one in found:
        if one.name == name:
            return one
    names = ", ".join(one.name for one in found) or "none"
    raise InvalidInputError(
        f"{quote_value(name)} is not on this machine. Found: {names}. For another program, "
        "memoria config set llm_command; for another endpoint, memoria config set llm_base_url "
        "URL llm_model NAME."
    )


def settings_for(reader: Candidate, home: Path, model: str | None) -> dict[str, str | None]:
    """Map settings to the values with which this one reads; what another needed is None.

    Raises:
        InvalidInputError: nobody has said which of an endpoint's models.
    """
    given: dict[str, str | None] = dict.fromkeys(MODEL_SETTINGS)
    if reader.program is not None:
        return given | {"llm_command": reader.program.command(reader.path, home / FOLDER)}
    chosen = model or (reader.models[0] if len(reader.models) == 1 else None)
    if reader.endpoint is None or chosen is None:
        listed = f" It has {', '.join(reader.models)}." if reader.models else ""
        raise InvalidInputError(f"Which of its models is to read? Name one with --model.{listed}")
    key = f"${reader.endpoint.variable}" if reader.endpoint.variable else None
    return given | {"llm_base_url": reader.endpoint.url, "llm_model": chosen, "llm_api_key": key}


def write_files(reader: Candidate, home: Path) -> None:
    """Write what a program's flags name into the home."""
    files: Mapping[str, str] = reader.program.files if reader.program else {}
    if files:
        make_private(home / FOLDER)
    for name, content in files.items():
        replace_file(home / FOLDER / name, content.encode())


def find_programs() -> Iterator[Candidate]:
    """Yield the programs that are on the PATH."""
    for one in PROGRAMS:
        if path := shutil.which(one.program):
            place = str(Path(path).absolute())
            yield Candidate(one.name, one.title, f"{one.title}'s provider", (), one, place)


def _find_endpoints() -> Iterator[Candidate]:
    for endpoint, models in find_local():
        where = f"{endpoint.title} on this machine"
        yield Candidate(endpoint.name, endpoint.title, where, tuple(models), endpoint=endpoint)
    for endpoint in find_remote():
        yield Candidate(endpoint.name, endpoint.title, endpoint.title, endpoint=endpoint)

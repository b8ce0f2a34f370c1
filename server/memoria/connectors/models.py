"""Programs and endpoints on this machine that could read conversations, and the settings for each.

Each program's row keeps the program from tools, hooks, servers of other programs, transcripts and
what its user has told it elsewhere, as far as its flags can; `keeps` says what they can't.
"""

import json
import os
import shlex
import shutil
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from memoria.disk.folders import make_private
from memoria.disk.home_files import replace_file
from memoria.errors import InvalidInputError, quote_value

_WAIT_S = 0.5
_MOST_BYTES = 1 << 20
_NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible endpoint."""

    name: str
    title: str
    url: str
    variable: str | None = None
    """Variable of the environment that holds its key."""


LOCAL = (
    Endpoint("ollama", "Ollama", "http://127.0.0.1:11434/v1"),
    Endpoint("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1"),
    Endpoint("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1"),
    Endpoint("vllm", "vLLM", "http://127.0.0.1:8000/v1"),
)
REMOTE = (
    Endpoint("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    Endpoint("anthropic", "Anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
    Endpoint(
        "google",
        "Google",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
    ),
    Endpoint("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    Endpoint("deepseek", "DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    Endpoint("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
)


def find_local(endpoints: Sequence[Endpoint] = LOCAL) -> Iterator[tuple[Endpoint, list[str]]]:
    """Yield the servers that run on this machine, each with the models that it names."""
    with ThreadPoolExecutor(len(endpoints)) as threads:
        for endpoint, models in zip(endpoints, threads.map(_list_models, endpoints), strict=True):
            if models is not None:
                yield endpoint, models


def _list_models(endpoint: Endpoint) -> list[str] | None:
    """List the models that a server names; None where none answers."""
    try:
        with _NO_PROXY.open(f"{endpoint.url}/models", timeout=_WAIT_S) as answer:
            found = json.loads(answer.read(_MOST_BYTES))
        return [str(one["id"]) for one in found["data"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # nobody listens there, or something else does


INSTRUCTIONS = "Do what the message says. Answer with the JSON that it asks for and nothing else.\n"
_INSTRUCTIONS_FILE, _NO_TOOLS_FILE = "instructions.md", "no-tools.toml"
_NO_TOOLS = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'
_OPENCODE_FILE = "opencode.json"
_OPENCODE = json.dumps(
    {
        "agent": {
            "memoria": {
                "mode": "primary",
                "description": "Reads conversations for Memoria.",
                "prompt": INSTRUCTIONS.strip(),
                "permission": {"*": "deny"},
            }
        },
        "mcp": {"memoria": {"enabled": False}},
        "share": "disabled",
        "autoupdate": False,
        "snapshot": False,
    },
    indent=2,
)
_CODEX_FEATURES = (
    *"hooks shell_tool unified_exec goals multi_agent apps plugins".split(),
    *"image_generation view_image".split(),
)


@dataclass(frozen=True, slots=True)
class ReadingProgram:
    """A program that is asked for an answer by a command."""

    name: str
    title: str
    program: str
    arguments: tuple[str, ...]
    """Arguments; `{folder}` is where its files are."""
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Contents of the files that the program's flags name, by the file's name."""
    keeps: str = ""
    """Sentence on what the program keeps of a question, or adds, against all flags."""

    def command(self, path: str, folder: Path) -> str:
        """Write the command that asks the program, with the program's path and files."""
        given = [f"{name}={value}" for name, value in self.variables.items()]
        words = [*given, path, *self.arguments]
        return shlex.join(word.replace("{folder}", str(folder)) for word in words)


PROGRAMS = (
    ReadingProgram(
        name="claude",
        title="Claude Code",
        program="claude",
        arguments=(
            *("-p", "--tools", "", "--setting-sources", "", "--strict-mcp-config"),
            *("--no-session-persistence", "--disable-slash-commands"),
            *("--system-prompt", INSTRUCTIONS.strip()),
        ),
    ),
    ReadingProgram(
        name="codex",
        title="Codex",
        program="codex",
        arguments=(
            *("exec", "--skip-git-repo-check", "--ephemeral", "--ignore-user-config"),
            *("--ignore-rules", "--sandbox", "read-only", "--color", "never"),
            *(word for one in _CODEX_FEATURES for word in ("-c", f"features.{one}=false")),
            *("-c", 'web_search="disabled"', "-c", "skills.include_instructions=false"),
            *("-c", "include_permissions_instructions=false"),
            *("-c", "include_environment_context=false", "-c", "project_doc_max_bytes=0"),
            *("-c", 'model_instructions_file="{folder}/instructions.md"', "-"),
        ),
        files={_INSTRUCTIONS_FILE: INSTRUCTIONS},
        keeps="It adds your own AGENTS.md to each question, and takes neither model nor provider "
        "from your config.toml.",
    ),
    ReadingProgram(
        name="gemini",
        title="Gemini CLI",
        program="gemini",
        arguments=(
            *("--policy", "{folder}/no-tools.toml", "--extensions", "none"),
            *("--allowed-mcp-server-names", "none", "--skip-trust"),
            *("--output-format", "text", "-p", ""),
        ),
        variables={"GEMINI_SYSTEM_MD": "{folder}/instructions.md"},
        files={_INSTRUCTIONS_FILE: INSTRUCTIONS, _NO_TOOLS_FILE: _NO_TOOLS},
        keeps="It adds your own GEMINI.md, runs other programs' hooks, and keeps a transcript of "
        "each question in ~/.gemini/tmp, which no import of Memoria's reads.",
    ),
    ReadingProgram(
        name="qwen",
        title="Qwen Code",
        program="qwen",
        arguments=(
            *("--bare", "--chat-recording=false", "--extensions", "none"),
            *("--exclude-tools", "read_file,edit,run_shell_command"),
            *("--allowed-mcp-server-names", "none", "--output-format", "text"),
            *("--system-prompt", INSTRUCTIONS.strip()),
        ),
    ),
    ReadingProgram(
        name="opencode",
        title="OpenCode",
        program="opencode",
        arguments=(*("run", "--pure", "--agent", "memoria"), *("--title", "memoria")),
        variables={
            "OPENCODE_CONFIG": f"{{folder}}/{_OPENCODE_FILE}",
            "OPENCODE_DB": ":memory:",
            "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
            "OPENCODE_DISABLE_CLAUDE_CODE": "1",
        },
        files={_OPENCODE_FILE: _OPENCODE},
        keeps="It adds your own AGENTS.md to each question, and starts the MCP servers of your "
        "opencode.json, of which the model is told nothing.",
    ),
)
MODEL_SETTINGS = ("llm_command", "llm_base_url", "llm_model", "llm_api_key")
FOLDER = "model"
"""The home's folder with the files that a program's flags name."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program or an endpoint that could read conversations."""

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
    """List the programs and endpoints that are found, programs first."""
    return [*find_programs(), *_find_endpoints()]


def choose_reader(name: str, found: list[Candidate]) -> Candidate:
    """Return the candidate that has a name.

    Raises:
        InvalidInputError: no candidate has the name.
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
    """Map each setting of a model to the value that a reader needs; None for all others.

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
    """Write the files that a program's flags name into the home."""
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
    for endpoint in REMOTE:
        if endpoint.variable and os.environ.get(endpoint.variable):
            yield Candidate(endpoint.name, endpoint.title, endpoint.title, endpoint=endpoint)

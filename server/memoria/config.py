"""Settings, each with its name, unit, default, bounds and reason.

Each can be given as `MEMORIA_<NAME>` in the environment, as `<name>` in the home's settings file,
or in a `Settings` of the caller's own.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from memoria.bare.home import find_home, home_below
from memoria.bare.projects import name_here
from memoria.config_attachments import AttachmentSettings
from memoria.config_checks import check_command, check_together, check_url
from memoria.config_database import DatabaseSettings
from memoria.config_hooks import HookSettings, split_parts
from memoria.config_http import HttpSettings, TenantName
from memoria.errors import InvalidInputError
from memoria.model.moments import Zone
from memoria.model.privacy import PersonalRules, parse_personal_rules
from memoria.model.retention import RetentionChanges, parse_retention_changes
from memoria.model.status import DailyCap, TokenPrice
from memoria.settings_file import (
    describe_error,
    name_private,
    read_settings_file,
    variable_of,
    without_other_places,
)

NO_WORKSPACE = "none"
"""Workspace that means no project."""
LONGEST_LEASE_MS = 600_000
"""Longest lease that is given: a lease that ends later was taken while the clock was wrong."""
LONGEST_WAIT_MS = 26 * 3_600_000
"""Longest time an entry of the extraction queue is put off: until tomorrow's budget."""
LONGEST_PAUSE_MS = 10 * 60_000
"""The longest wait before a document that could not be embedded is tried again."""


class Settings(AttachmentSettings, DatabaseSettings, HookSettings, HttpSettings):
    """All settings of a process; none changes while the process runs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    if not TYPE_CHECKING:  # a type checker is to know the settings by name

        def __init__(self, **given: object) -> None:
            try:
                super().__init__(**given)
            except ValidationError as error:
                raise InvalidInputError(describe_error(error)) from error

    home: Path = Path("~/.memoria")
    """The data folder. Everything Memoria keeps is in it. `memoria backup` copies it, also while it
    is in use."""

    homes: Path | None = None
    """A folder with a data folder for each tenant, in place of `MEMORIA_HOME`: each tenant's memory
    is a file of its own, to be written beside the others, backed up and deleted by itself. A folder
    that `--home` names comes first."""

    open_homes: int = Field(200, ge=1, le=10_000)
    """With `MEMORIA_HOMES`: how many tenants' homes a server keeps open over HTTP while nobody
    calls for them. Each takes five open files."""

    tenant: TenantName = "default"
    """Whose memory this is. A tenant never sees another's rows."""

    workspace: Annotated[str, StringConstraints(min_length=1, max_length=1000)] | None = None
    """The project at hand. Its conversations and what is about its work are seen from it alone;
    what is about you is seen from everywhere. `none` for no project. By default a command and a
    server take the git repository of the folder they are started in, and the library takes none."""

    private_workspaces: Annotated[tuple[str, ...], BeforeValidator(split_parts)] | None = None
    """Projects that are seen from themselves alone, such as `/home/ann/diary,/home/ann/secret`.
    What is said in one stays in it, even if it is about you, unless you say `scope=everywhere`; no
    search of all projects shows it, and none counts it."""

    connectors: Annotated[tuple[str, ...], BeforeValidator(split_parts)] | None = None
    """Packages that add sources to `memoria import` and clients to `memoria connect`, such as
    `memoria-fieldlog`. These two commands run their code, with all your rights: name none that you
    don't trust. Servers, hooks and nightly jobs load none."""

    name_other_projects: bool = False
    """Whether a search that found less than was asked for names the other projects that have a
    match, and completions over MCP name them. Otherwise it only counts the matches. Private
    projects are never named."""

    grounds: bool = True
    """Whether memories of a project are bound to the files of its repository on this machine, and
    marked once these have changed. If not, nothing of any repository is read."""

    resource_links: bool = False
    """Whether answers over MCP end with links to what they name, three at most, for a client that
    lets you open them. Many clients write each link into what their model reads, some as a file
    that its vendor then refuses."""

    time_zone: Annotated[str, StringConstraints(strip_whitespace=True, max_length=255)] | None = (
        None
    )
    """Your time zone, by its IANA name, such as `Asia/Shanghai`: where days begin. A turn that was
    given with an offset (`2026-11-05T07:30:00+08:00`) is of that offset's day all the same. By
    default this machine's zone."""

    embedder: Literal["bundled", "endpoint", "off"] = "bundled"
    """Where vectors come from: the model in the wheel, an OpenAI-compatible endpoint, nowhere."""

    embedding_base_url: str | None = None
    """The endpoint's URL, such as http://127.0.0.1:11434/v1."""

    embedding_model: str | None = None
    """The endpoint's model, in the endpoint's own spelling."""

    embedding_api_key: SecretStr | None = None
    """The endpoint's key, where it wants one. Never stored, never logged."""

    rerank_base_url: str | None = None
    """The URL of a reranker, such as http://127.0.0.1:8080/v1: `/rerank` of Jina, Cohere, vLLM,
    llama.cpp or Text Embeddings Inference. With `MEMORIA_RERANK_MODEL` it switches reranking on,
    and the texts of the best hits go there; without either it is off."""

    rerank_model: str | None = None
    """The reranker's model, in the endpoint's own spelling."""

    rerank_api_key: SecretStr | None = None
    """The reranker's key, where it wants one. Never stored, never logged."""

    rerank_timeout_s: float = Field(2.0, gt=0, le=60)
    """How long a search waits for the reranker's whole answer before its own order stands."""

    llm_base_url: str | None = None
    """The URL of an OpenAI-compatible chat model, such as http://127.0.0.1:11434/v1. With
    `MEMORIA_LLM_MODEL` it switches extraction by a model on; without either it is off."""

    llm_model: str | None = None
    """The chat model, in the endpoint's own spelling."""

    llm_api_key: SecretStr | None = None
    """The chat endpoint's key, where it wants one. Never stored, never logged."""

    llm_command: (
        Annotated[str, StringConstraints(strip_whitespace=True, max_length=4096)] | None
    ) = None
    """A program that is asked instead of an endpoint, such as `claude -p`. Variables may stand
    before it, as `NAME=value`. It reads the request from standard input and writes JSON to standard
    output; it runs without a shell, in an empty folder."""

    llm_timeout_s: float = Field(120.0, gt=0, le=3600)
    """How long the chat model may take for one answer. No further attempt begins after that."""

    llm_attempts: int = Field(3, ge=1, le=20)
    """How often a request is sent to a chat model that fails for the moment; and how often a
    conversation segment is read of which comes no usable answer, before its queue entry becomes a
    dead letter."""

    llm_concurrency: int = Field(2, ge=1, le=64)
    """How many requests a process sends to the chat model at the same time."""

    llm_daily_tokens: int = Field(500_000, ge=1, le=10**12)
    """Tokens that a tenant may spend in a day (UTC), requests and answers together. Memoria
    reserves a request's maximum cost before sending it; one that might exceed the cap waits for the
    next day."""

    llm_input_price: float | None = Field(None, ge=0, le=10**6)
    """What a million tokens of requests cost, in your currency. With `MEMORIA_LLM_OUTPUT_PRICE`,
    `memoria stats`, `model` and `doctor` tell what a day cost."""

    llm_output_price: float | None = Field(None, ge=0, le=10**6)
    """What a million tokens of answers cost, in the same currency."""

    llm_daily_cost: float | None = Field(None, gt=0, le=10**9)
    """What a tenant may spend in a day (UTC), in the currency of both prices. It holds beside
    `MEMORIA_LLM_DAILY_TOKENS`, and like that before a request is sent."""

    llm_output_tokens: int = Field(4096, ge=64, le=1_000_000)
    """The longest answer a chat model may give."""

    extraction_wait_minutes: float = Field(10, ge=0, le=1440)
    """How long a session must be quiet before the chat model reads what cannot wait for the end of
    its segment: a standing wish. What is said meanwhile is read along, and so are the short
    sessions that wait; nothing waits longer than three times that. 0: every such turn is read at
    once and by itself, and every session when it ends, at a far higher price."""

    extraction_turns: int = Field(80, ge=1, le=1000)
    """How many turns a request may have in which several conversations that wait are read together.
    1: each conversation by itself, at a higher price; a small model may do better so."""

    forget_similarity: float | None = Field(None, ge=0.5, le=1)
    """If set, Memoria keeps the vector of a forgotten text, and rejects what a model concludes
    later when its cosine with that vector is at least this; 0.8 suits the bundled embedder. Off by
    default, because whoever has the file can compare guesses with a vector."""

    forget_at_once: int = Field(10, ge=0, le=1000)
    """How many items (memories, turns, lines) an agent may forget in one call where its client
    cannot ask the user. For more, the answer names the command to type."""

    forget_grace_days: float = Field(0, ge=0, le=365)
    """How long what is forgotten can be put back (`memoria undo REPORT`). Until then it is
    hidden everywhere, backups included; then it is erased. 0: it is erased at once."""

    personal_data: Annotated[PersonalRules, BeforeValidator(parse_personal_rules)] | None = None
    """How personal data in memories is handled, by class, such as `phone=mask,email=drop`. Classes:
    email, phone, id_number, card, iban, address, ip. Ways: store, confirm (the memory waits for the
    user's confirmation), mask, drop. By default phone and address are confirmed, id_number, card
    and iban masked, email and ip stored. What is named here holds for explicit statements, too,
    where stating something confirms it."""

    retention: Annotated[RetentionChanges, BeforeValidator(parse_retention_changes)] | None = None
    """How long memories stay strong, where the built-in table is not to hold, such as
    `fact.tau=120,episode.archive=0.05,active=8000`. Of a type: tau (days in which the strength
    above its floor falls to a third; `never`), floor (the strength that is left at any age),
    archive (the strength under which it is archived), ttl (days until it expires). Of all: demote
    (the strength under which a memory is not long-term), review (the strength at which a reviewer
    is asked), promote (the importance from which a memory in use is reviewed for the core), lasting
    (the importance from which it does not fade), grace (days before it begins to fade), access
    (days by which a use delays that), again (days for which a reviewer's decision holds), active
    (memories kept active at most)."""

    nightly_minutes: float = Field(15, gt=0, le=1440)
    """How long one run of nightly maintenance may take. The next run does the rest."""

    nightly_tokens: int = Field(100_000, ge=0, le=10**12)
    """Tokens of the day that one run of nightly maintenance may spend. The next run does the
    rest."""

    archive_days: float = Field(0, ge=0, le=100_000)
    """How long an archived memory is kept before nightly maintenance deletes it for good. 0: for
    ever."""

    nightly_idle_minutes: float = Field(0, ge=0, le=100_000)
    """How long a server must have been idle before it starts nightly maintenance by itself, if the
    last run is more than a day old. 0: never, unless `connect` was told yes."""

    core_file_tokens: int = Field(800, ge=50, le=20_000)
    """The size in tokens of each core file (MEMORY.md, USER.md, PERSONA.md) as nightly maintenance
    writes it. Memories that do not fit are found by searching."""

    instructions_core: bool = True
    """Whether the server's instructions end with a few lines of core memory: your rules and
    preferences, and what you have confirmed."""

    agents_read: bool = True
    """Whether agents are asked to read what nobody has read, where no chat model is configured.
    Saying no to `memoria connect`, or `--no-model`, makes it false."""

    history_files: bool = True
    """Whether nightly maintenance writes each closed conversation into a file of the home's
    `conversation_history`, for people to read."""

    backup_keep_days: float = Field(30, gt=0, le=100_000)
    """How long a backup in the home's `backups` folder is kept. The next backup deletes older
    ones."""

    # No settings from here on: nobody could tell what to turn them to. A subclass may have others.

    embedding_batch: ClassVar[int] = 32
    """How many documents are embedded before the lease is renewed, and how many texts an endpoint
    is given at once; with few, a stop is prompt."""

    embedding_attempts: ClassVar[int] = 5
    """Failures after which a document is set aside as failed instead of being tried again."""

    segment_idle_minutes: ClassVar[float] = 30
    """The pause in a session after which a new segment begins."""

    segment_messages: ClassVar[int] = 30
    """How many messages a segment may have, tool calls not counted. The next segment begins with
    the user's next message."""

    lease_ms: ClassVar[int] = 30_000
    """How long a lease (on embedding, on a queue entry) outlives a process that died."""

    busy_timeout_ms: ClassVar[int] = 10_000
    """How long a process that wants to write waits while another one writes on and on. Those
    that are in line before it and write in turn do not count."""

    @field_validator("workspace")
    @classmethod
    def _resolve_none(cls, workspace: str | None) -> str | None:
        return None if workspace == NO_WORKSPACE else workspace

    @field_validator("time_zone")
    @classmethod
    def _check_time_zone(cls, name: str | None) -> str | None:
        Zone.from_name(name)
        return name

    @field_validator("home", "homes")
    @classmethod
    def _check_home(cls, home: Path | None) -> Path | None:
        if home is None:
            return None
        try:
            os.fsencode(home.expanduser())
        except (UnicodeEncodeError, RuntimeError) as error:  # half a character; ~nobody
            raise ValueError(f"no folder can have this name: {str(error).rstrip('.')}") from error
        if "\0" in str(home):
            raise ValueError("no folder can have this name: it holds a NUL character")
        return home

    @model_validator(mode="after")
    def _check_together(self) -> Self:
        check_together(dict(self))
        return self

    _check_url = field_validator("llm_base_url", "rerank_base_url")(check_url)
    _check_command = field_validator("llm_command")(check_command)

    @property
    def zone(self) -> Zone:
        """Time zone in which days begin, where no better zone is known."""
        return Zone.from_name(self.time_zone)

    @property
    def has_chat_model(self) -> bool:
        """True if a chat model is configured, which reads what is said."""
        return bool(self.llm_command or self.llm_base_url)

    @property
    def daily_cap(self) -> DailyCap:
        """Cap on a tenant's spending in a day, and the price of tokens where it was stated."""
        asked, answered = self.llm_input_price, self.llm_output_price
        is_known = asked is not None and answered is not None
        price = TokenPrice(input=asked, output=answered) if is_known else None
        return DailyCap(tokens=self.llm_daily_tokens, cost=self.llm_daily_cost, price=price)

    @property
    def home_path(self) -> Path:
        """The data folder with `~` resolved: the tenant's own one, where each has one."""
        if self.homes is not None:
            return Path(home_below(str(self.homes), self.tenant))
        return self.home.expanduser().absolute()

    @property
    def place(self) -> str:
        """Place of the memory, for messages: the data folder, or the database of a server."""
        return self.shown_database or str(self.home_path)

    @classmethod
    def load(cls, **given: Any) -> Self:  # noqa: ANN401  (validated field by field by pydantic)
        """Load each setting from what is given, else from the environment, else from the file.

        Raises:
            InvalidInputError: a value is out of bounds or of the wrong kind, or the file can't be
                read.
        """
        named = {name: value for name, value in given.items() if value is not None}
        stronger = {**cls.read_environment(), **named}
        if "home" in named:
            stronger.pop("homes", None)
        home = find_home(str(named.get("home") or ""), str(named.get("tenant") or ""))
        filed = read_settings_file(home, cls)
        loaded = cls.from_values(**{**without_other_places(filed.values, stronger), **stronger})
        if private := loaded.private_workspaces:
            loaded = loaded.model_copy(update={"private_workspaces": name_private(home, private)})
        return loaded

    @classmethod
    def read_environment(cls) -> dict[str, str]:
        """Return the settings that environment variables set, as text."""
        return {
            name: value for name in cls.model_fields if (value := os.environ.get(variable_of(name)))
        }

    @classmethod
    def load_here(cls, home: str | None, tenant: str | None, workspace: str | None) -> Self:
        """Load the settings of a process, with its folder's project if no workspace is named.

        Raises:
            InvalidInputError: a value is out of bounds or of the wrong kind.
        """
        named = workspace or os.environ.get(variable_of("workspace"))
        here = name_here(find_home(home, tenant), named)
        return cls.load(home=home, tenant=tenant, workspace=here)

    @classmethod
    def from_values(cls, **given: Any) -> Self:  # noqa: ANN401  (validated field by field by pydantic)
        """Build settings from these values alone, without the environment and the file.

        Raises:
            InvalidInputError: a value is out of bounds or of the wrong kind.
        """
        return cls(**given)

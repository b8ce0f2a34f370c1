"""How steps are drawn from what the product has: its tools, methods, commands and formats."""

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints
from urllib.parse import quote

import typer.main
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from pydantic import (
    BaseModel,
    PydanticSchemaGenerationError,
    PydanticUserError,
    TypeAdapter,
    create_model,
)

from bench.fuzz.schemas import Arguments, Schema, arguments
from bench.fuzz.steps import (
    Configuring,
    Importing,
    LibraryCall,
    Prompting,
    Reading,
    Step,
    ToolCall,
    Typing,
)
from bench.fuzz.transcripts import files
from bench.fuzz.values import NUMBERS, junk, names, python_values, real, texts, weighted
from bench.fuzz.world import World
from memoria.app import Memoria
from memoria.config import Settings
from memoria.connectors.transcripts import FORMATS
from memoria.surface.cli.main import app

COMMANDS = ("remember", "search", "traces", "show", "revise", "forget", "stats")
"""Commands that touch nothing but their home."""
_NOT_HERE = ("settle", "rebuild_indexes", "backup", "restore")
"""Methods that may take minutes or write elsewhere."""


def steps(world: World) -> SearchStrategy[Step]:
    """Any step, tools most often."""
    every: SearchStrategy[Step] = weighted(
        (6, _calls(world)),
        (3, _library()),
        (1, _readings(world)),
        (1, _prompts(world)),
        (1, _settings()),
        (1, _commands()),
        (1, _imports()),
    )
    return every


def formats() -> tuple[str, ...]:
    """The import formats the command line offers."""
    return tuple(FORMATS)


def schema_of(function: Callable[..., object]) -> Schema:
    """The JSON schema of what a function takes, as far as its types have one."""
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    fields: dict[str, Any] = {
        name: (_hint(hints.get(name, Any)), ... if one.default is one.empty else None)
        for name, one in parameters.items()
        if name != "self" and hints.get(name) is not typer.Context
    }
    model: type[BaseModel] = create_model("Arguments", **fields)
    return model.model_json_schema()


def _hint(hint: Any) -> Any:  # noqa: ANN401  (a type)
    try:
        TypeAdapter(hint).json_schema()
    except (PydanticUserError, PydanticSchemaGenerationError):
        return Any
    return hint


def _calls(world: World) -> SearchStrategy[Step]:
    return st.one_of(
        [
            st.builds(ToolCall, st.just(name), arguments(tool.input_schema))
            for name, tool in sorted(world.tools.items())
        ]
    )


def _readings(world: World) -> SearchStrategy[Step]:
    text = texts().map(lambda value: str(real(value, ()))[:2_000])
    quoted = text.map(lambda value: quote(value, errors="replace"))
    inside = st.one_of(text, quoted, st.just("GIVEN"))
    known = st.builds(_filled, st.sampled_from(world.uris), inside)
    return weighted((3, known), (1, text), (1, text.map("memory://{}".format))).map(Reading)


def _filled(template: str, value: str) -> str:
    start, _, rest = template.partition("{")
    return start + value + rest.partition("}")[2] if rest else start


def _prompts(world: World) -> SearchStrategy[Step]:
    return st.one_of(
        [
            st.builds(
                Prompting,
                st.just(prompt.name),
                st.fixed_dictionaries(
                    {}, optional={argument.name: texts() for argument in prompt.arguments or ()}
                ),
            )
            for prompt in world.prompts
        ]
    )


def _library() -> SearchStrategy[Step]:
    methods = {
        name: method
        for name, method in sorted(vars(Memoria).items())
        if inspect.iscoroutinefunction(inspect.unwrap(method))
        and name[0] != "_"
        and name not in _NOT_HERE
    }
    return st.one_of(
        [
            st.builds(LibraryCall, st.just(name), arguments(schema_of(method), python_values()))
            for name, method in methods.items()
        ]
    )


def _settings() -> SearchStrategy[Step]:
    return st.builds(Configuring, arguments(Settings.model_json_schema(), python_values()))


def _commands() -> SearchStrategy[Step]:
    group: Any = typer.main.get_command(app)
    return st.one_of(
        [
            st.builds(Typing, st.just(name), _words(group.commands[name]))
            for name in COMMANDS
            if name in group.commands
        ]
    )


def _words(command: Any) -> SearchStrategy[tuple[object, ...]]:  # noqa: ANN401  (typer's own)
    options = [option for one in command.params for option in one.opts if option.startswith("--")]
    loose = st.one_of(junk(), texts(), names(), st.sampled_from(NUMBERS + tuple(options)))
    fitting = arguments(schema_of(command.callback)).map(lambda given: _typed(command, given))
    return weighted((2, fitting), (1, st.lists(loose, max_size=5).map(tuple)))


def _typed(command: Any, given: Arguments) -> tuple[object, ...]:  # noqa: ANN401  (typer's own)
    """Arguments as a person types them."""
    words: list[object] = []
    for one in command.params:
        value = given.get(one.name)
        option = [word for word in one.opts if word.startswith("--")][:1]
        flag = getattr(one, "is_flag", False)
        for item in value if isinstance(value, list) else [value]:
            words += [] if item is None else [*option, *([] if flag else [item])]
    return tuple(words)


def _imports() -> SearchStrategy[Step]:
    return st.one_of([st.builds(Importing, st.just(name), files(name)) for name in formats()])

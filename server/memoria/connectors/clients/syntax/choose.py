"""Choice of the editor for a syntax. YAML's is imported when a client wants it."""

from typing import Literal

from memoria.connectors.clients.syntax.interface import ConfigSyntax
from memoria.connectors.clients.syntax.json_edit import JsonSyntax

SyntaxName = Literal["JSON", "TOML", "YAML"]


def choose_syntax(name: SyntaxName) -> ConfigSyntax:
    """Return the editor of a syntax."""
    if name == "TOML":
        from memoria.connectors.clients.syntax.toml_edit import TomlSyntax  # noqa: PLC0415

        return TomlSyntax()
    if name == "YAML":
        from memoria.connectors.clients.syntax.yaml_edit import YamlSyntax  # noqa: PLC0415

        return YamlSyntax()
    return JsonSyntax()

"""What the tools cost a model: the tokens of their names, descriptions and input schemas.

Clients hand these on to their model with every request. Output schemas and annotations they keep
for themselves.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from bench.tokens import count_tokens

_REACHES_A_MODEL = ("name", "description", "inputSchema")


def count_tool_tokens(tools: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The tokens of each tool, by its name, as OpenAI's newer models count them.

    Args:
        tools: the tools of an answer to `tools/list`.
    """
    return {tool["name"]: count_tokens(_model_text(tool)) for tool in tools}


def _model_text(tool: Mapping[str, Any]) -> str:
    reaching = {key: tool[key] for key in _REACHES_A_MODEL}
    return json.dumps(reaching, ensure_ascii=False, separators=(",", ":"))

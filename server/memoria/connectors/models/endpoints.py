"""Endpoints that could read conversations: servers on this machine, and those of keys it has."""

import json
import os
import urllib.request
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

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


def find_remote() -> list[Endpoint]:
    """Find the endpoints that the environment has a key for."""
    return [one for one in REMOTE if one.variable and os.environ.get(one.variable)]


def _list_models(endpoint: Endpoint) -> list[str] | None:
    """List the models that a server names; None where none answers."""
    try:
        with _NO_PROXY.open(f"{endpoint.url}/models", timeout=_WAIT_S) as answer:
            found = json.loads(answer.read(_MOST_BYTES))
        return [str(one["id"]) for one in found["data"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # nobody listens there, or something else does

"""Checks of settings: URLs and commands, and settings that need or exclude each other."""

import shlex
from collections.abc import Mapping
from typing import Any

from memoria.model.parse import is_safe_address, is_web_address


def check_together(values: Mapping[str, Any]) -> None:
    """Check that the values of all settings go together.

    Raises:
        ValueError: they don't.
    """
    _check_embedding_endpoint(values)
    _check_chat_model(values)
    _check_price(values)
    _check_reranker(values)
    _check_issuer(values)
    _check_database(values)


def _check_embedding_endpoint(values: Mapping[str, Any]) -> None:
    named = values["embedding_base_url"] and values["embedding_model"]
    if values["embedder"] == "endpoint" and not named:
        raise ValueError(
            "embedder=endpoint needs MEMORIA_EMBEDDING_BASE_URL and MEMORIA_EMBEDDING_MODEL"
        )


def _check_chat_model(values: Mapping[str, Any]) -> None:
    url, model, key = (values[f"llm_{name}"] for name in ("base_url", "model", "api_key"))
    is_endpoint = bool(url or model or key)
    if values["llm_command"] and is_endpoint:
        raise ValueError(
            "MEMORIA_LLM_COMMAND is one way to ask a chat model and MEMORIA_LLM_BASE_URL with "
            "MEMORIA_LLM_MODEL and MEMORIA_LLM_API_KEY is another; set one of the two"
        )
    if is_endpoint and not (url and model):
        raise ValueError("a chat model needs MEMORIA_LLM_BASE_URL and MEMORIA_LLM_MODEL")


def _check_price(values: Mapping[str, Any]) -> None:
    prices = (values["llm_input_price"], values["llm_output_price"])
    is_needed = prices != (None, None) or values["llm_daily_cost"] is not None
    if None in prices and is_needed:
        raise ValueError(
            "to know what a day costs, state both MEMORIA_LLM_INPUT_PRICE and "
            "MEMORIA_LLM_OUTPUT_PRICE, of a million tokens each"
        )


def _check_reranker(values: Mapping[str, Any]) -> None:
    url, model, key = (values[f"rerank_{name}"] for name in ("base_url", "model", "api_key"))
    if (url or model or key) and not (url and model):
        raise ValueError("a reranker needs MEMORIA_RERANK_BASE_URL and MEMORIA_RERANK_MODEL")


def _check_issuer(values: Mapping[str, Any]) -> None:
    if values["jwt_issuer"] is None:
        return
    audience, resource = values["jwt_audience"], values["jwt_resource"]
    if audience is None:
        raise ValueError("MEMORIA_JWT_ISSUER needs MEMORIA_JWT_AUDIENCE: else any token would do")
    if resource is None and not is_web_address(audience):
        raise ValueError(
            "MEMORIA_JWT_AUDIENCE is no address, so clients need MEMORIA_JWT_RESOURCE: the address "
            "at which they reach the memory, such as https://memory.example.com/mcp"
        )


def _check_database(values: Mapping[str, Any]) -> None:
    if values["homes"] is not None and values["database_url"] is not None:
        raise ValueError(
            "MEMORIA_HOMES gives each tenant a file and MEMORIA_DATABASE_URL keeps all tenants in "
            "one database; set one of the two"
        )


def check_safe_url(url: str | None) -> str | None:
    """Return a URL, if nobody on the way can change what it answers.

    Raises:
        ValueError: it is neither https nor on this machine.
    """
    if url is not None and not is_safe_address(url):
        raise ValueError("write a URL that begins with https://, such as https://id.example.com")
    return url


def check_url(url: str | None) -> str | None:
    """Return a URL, if it is an address of the web.

    Raises:
        ValueError: the text is no such address.
    """
    if url and not is_web_address(url):
        raise ValueError("write a URL such as http://127.0.0.1:11434/v1")
    return url


def check_command(command: str | None) -> str | None:
    """Return a command, if a shell's rules split it into words.

    Raises:
        ValueError: the command can't be split.
    """
    try:
        shlex.split(command or "")
    except ValueError as error:
        raise ValueError(f"it can't be split into words: {str(error).lower()}") from error
    return command

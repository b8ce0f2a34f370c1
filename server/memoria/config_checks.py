"""Values that settings may have, and which of them need or exclude each other."""

import shlex
from typing import TYPE_CHECKING

from memoria.model.parse import is_web_address

if TYPE_CHECKING:
    from memoria.config import Settings


def check_together(settings: "Settings") -> None:
    """Check that settings go together.

    Raises:
        ValueError: they don't.
    """
    _check_embedding_endpoint(settings)
    _check_chat_model(settings)
    _check_price(settings)
    _check_reranker(settings)


def _check_embedding_endpoint(settings: "Settings") -> None:
    named = settings.embedding_base_url and settings.embedding_model
    if settings.embedder == "endpoint" and not named:
        raise ValueError(
            "embedder=endpoint needs MEMORIA_EMBEDDING_BASE_URL and MEMORIA_EMBEDDING_MODEL"
        )


def _check_chat_model(settings: "Settings") -> None:
    endpoint = (settings.llm_base_url, settings.llm_model, settings.llm_api_key)
    if settings.llm_command and any(endpoint):
        raise ValueError(
            "MEMORIA_LLM_COMMAND is one way to ask a chat model and MEMORIA_LLM_BASE_URL with "
            "MEMORIA_LLM_MODEL and MEMORIA_LLM_API_KEY is another; set one of the two"
        )
    if any(endpoint) and not (settings.llm_base_url and settings.llm_model):
        raise ValueError("a chat model needs MEMORIA_LLM_BASE_URL and MEMORIA_LLM_MODEL")


def _check_price(settings: "Settings") -> None:
    prices = (settings.llm_input_price, settings.llm_output_price)
    is_needed = prices != (None, None) or settings.llm_daily_cost is not None
    if None in prices and is_needed:
        raise ValueError(
            "to know what a day costs, state both MEMORIA_LLM_INPUT_PRICE and "
            "MEMORIA_LLM_OUTPUT_PRICE, of a million tokens each"
        )


def _check_reranker(settings: "Settings") -> None:
    named = (settings.rerank_base_url, settings.rerank_model, settings.rerank_api_key)
    if any(named) and not (settings.rerank_base_url and settings.rerank_model):
        raise ValueError("a reranker needs MEMORIA_RERANK_BASE_URL and MEMORIA_RERANK_MODEL")


def check_url(url: str | None) -> str | None:
    """Return an address if it is one of the web.

    Raises:
        ValueError: it is none.
    """
    if url and not is_web_address(url):
        raise ValueError("write a URL such as http://127.0.0.1:11434/v1")
    return url


def check_command(command: str | None) -> str | None:
    """Return a command if a shell's rules split it into words.

    Raises:
        ValueError: they don't.
    """
    try:
        shlex.split(command or "")
    except ValueError as error:
        raise ValueError(f"it can't be split into words: {str(error).lower()}") from error
    return command

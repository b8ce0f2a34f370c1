"""Choice of a chat model by the settings. Its library is imported only when one is configured."""

import os

from memoria.config import Settings
from memoria.inference.chat.base import ChatModel
from memoria.inference.chat.client import ChatLimits
from memoria.inference.chat.command import ASKED_BY_MEMORIA, CommandChat


def choose_chat_model(settings: Settings) -> ChatModel | None:
    """Return the configured chat model; None where there is none.

    None as well in a Memoria that was started by the very program a Memoria asks.
    """
    if os.environ.get(ASKED_BY_MEMORIA):
        return None
    if settings.llm_command:
        return CommandChat(settings.llm_command, settings.llm_timeout_s)
    if settings.llm_base_url and settings.llm_model:
        return _connect_endpoint(settings.llm_base_url, settings.llm_model, settings)
    return None


def chat_limits(settings: Settings) -> ChatLimits:
    """Return the limits of a model's use, by the settings."""
    return ChatLimits(
        timeout_s=settings.llm_timeout_s,
        attempts=settings.llm_attempts,
        concurrency=settings.llm_concurrency,
        daily_cap=settings.daily_cap,
    )


def _connect_endpoint(base_url: str, model: str, settings: Settings) -> ChatModel:
    from memoria.inference.chat.endpoint import EndpointChat  # noqa: PLC0415

    key = settings.llm_api_key
    return EndpointChat(
        base_url=base_url,
        model=model,
        api_key=key.get_secret_value() if key else None,
        timeout_s=settings.llm_timeout_s,
    )

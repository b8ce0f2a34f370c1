"""Choice of a reranker by the settings. There is none unless one is named."""

from memoria.config import Settings
from memoria.inference.rerank.endpoint import EndpointReranker


def choose_reranker(settings: Settings) -> EndpointReranker | None:
    """Return the configured reranker, its library not loaded yet; None where there is none."""
    if not (settings.rerank_base_url and settings.rerank_model):
        return None
    key = settings.rerank_api_key
    return EndpointReranker(
        base_url=settings.rerank_base_url,
        model=settings.rerank_model,
        api_key=key.get_secret_value() if key else None,
        timeout_s=settings.rerank_timeout_s,
    )

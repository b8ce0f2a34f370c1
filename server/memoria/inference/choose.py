"""Choice of an embedder by the settings. Model libraries are imported only when one is built."""

from memoria.config import Settings
from memoria.inference.base import Embedder
from memoria.inference.bundled import BUNDLED, BUNDLED_CALIBRATION, BundledEmbedder
from memoria.inference.lazy import LazyEmbedder

_TIMEOUT_S = 20.0
"""Time that a request to an endpoint may take before text search goes on alone."""


def choose_embedder(settings: Settings) -> LazyEmbedder | None:
    """Return the configured embedder, not loaded yet; None when vectors are switched off."""
    match settings.embedder:
        case "bundled":
            return LazyEmbedder(BUNDLED, lambda: BundledEmbedder(BUNDLED), BUNDLED_CALIBRATION)
        case "endpoint":
            return LazyEmbedder(
                f"endpoint:{settings.embedding_model}",
                lambda: _connect_endpoint(settings),
                most_texts=settings.embedding_batch,
            )
        case "off":
            return None


def _connect_endpoint(settings: Settings) -> Embedder:
    from memoria.inference.endpoint import EndpointEmbedder  # noqa: PLC0415

    key = settings.embedding_api_key
    return EndpointEmbedder(
        base_url=settings.embedding_base_url or "",
        model=settings.embedding_model or "",
        api_key=key.get_secret_value() if key else None,
        timeout_s=_TIMEOUT_S,
    )

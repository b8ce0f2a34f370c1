"""The adapter of LlamaIndex, as programs import it."""

from memoria.connectors.adapters.llama_index import MemoriaBlock

__all__ = ["MemoriaBlock"]

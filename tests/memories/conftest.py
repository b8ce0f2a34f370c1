"""The model and the memory of the tests of reading."""

from tests.ingest.conftest import m, model

__all__ = ["m", "model"]

"""The texts' vectors by the bundled model, kept in a folder: they take a quarter of an hour."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memoria.inference.base import Embedder

_PAGE = 2000


def embedded(
    said: Sequence[str], embedder: Embedder, kept: Path, done: Callable[[int], None]
) -> NDArray[np.float32]:
    """A vector for every text, from the folder where it has them.

    Args:
        said: the texts, always in the same order.
        embedder: who makes vectors.
        kept: the folder.
        done: told how many more are there.
    """
    kept.mkdir(parents=True, exist_ok=True)
    pages = []
    for first in range(0, len(said), _PAGE):
        page = said[first : first + _PAGE]
        file = kept / f"{first:07d}-{len(page)}.npy"
        if not file.exists():
            unfinished = file.with_suffix(".part.npy")
            np.save(unfinished, np.stack(embedder.embed_documents(page)))
            unfinished.rename(file)
        pages.append(np.load(file))
        done(len(page))
    return np.concatenate(pages)

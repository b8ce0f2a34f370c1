"""The type of an embedding, without importing NumPy: it costs more than all of a start-up."""

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]
    """Shape (dims,), float32, of length 1."""
else:
    Vector = Any

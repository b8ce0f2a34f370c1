"""Several memories of one call of `remember`: each is kept or refused by itself."""

from collections.abc import Mapping, Sequence

from memoria.app import Memoria
from memoria.errors import InvalidInputError, MemoriaError
from memoria.model.handed_in import (
    MOST_CONCLUSIONS,
    HandedIn,
    KeptConclusion,
    RefusedConclusion,
)
from memoria.surface.text import remember_notes

Given = Sequence[Mapping[str, object]]
_LEFT_OUT: tuple[object, ...] = (None, "", [])
"""Values that models write where they have nothing to say."""


async def remember_several(memory: Memoria, given: Given, page: str | None) -> HandedIn:
    """Keep several memories: of a page that was read, or each as it would be kept by itself.

    Raises:
        InvalidInputError: they are too many, or none of a page can be kept. Nothing was done.
        NotFoundError: there is no such page.
    """
    plain = [{k: v for k, v in one.items() if v not in _LEFT_OUT} for one in given]
    if page is not None:
        return await memory.hand_in(page.removeprefix("memory://unread/"), plain)
    if len(plain) > MOST_CONCLUSIONS:
        raise InvalidInputError(
            f"memories: these are {len(plain)}, and a call takes {MOST_CONCLUSIONS} at most. "
            "Nothing was done; send them in parts."
        )
    kept, refused = list[KeptConclusion](), list[RefusedConclusion]()
    for number, one in enumerate(plain, 1):
        try:
            kept.append(await _remember_one(memory, number, one))
        except MemoriaError as error:
            refused.append(RefusedConclusion(number=number, reason=str(error)))
    return HandedIn(kept=tuple(kept), refused=tuple(refused))


async def _remember_one(
    memory: Memoria, number: int, given: Mapping[str, object]
) -> KeptConclusion:
    kept = await memory.remember(**given)  # type: ignore[arg-type]  # it checks them itself
    return KeptConclusion(
        number=number, id=kept.id, status=kept.status, notes=tuple(remember_notes(kept))
    )

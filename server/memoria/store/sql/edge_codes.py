"""Codes of edges in the database: of types, semantic roles and modalities. Never change a code."""

from collections.abc import Iterable, Mapping

from memoria.model.graph import EdgeType
from memoria.model.operation import Modality, SemanticRole

TYPE_CODES: Mapping[EdgeType, int] = {
    EdgeType.TEMPORAL_NEXT: 1,
    EdgeType.ABOUT: 2,
    EdgeType.MENTIONS: 3,
    EdgeType.CAUSES: 5,
    EdgeType.SUPPORTS: 6,
    EdgeType.CONTRADICTS: 7,
    EdgeType.DERIVED_FROM: 8,
    EdgeType.REFERS_TO: 9,
    EdgeType.SIMILAR_TO: 10,
    EdgeType.SAME_AS: 11,
    EdgeType.VERSION_NEXT: 12,
}
ROLE_CODES: Mapping[SemanticRole, int] = {
    "agent": 21,
    "patient": 22,
    "location": 23,
    "time": 24,
    "manner": 25,
    "instrument": 26,
    "recipient": 27,
    "cause": 28,
    "beneficiary": 29,
}
MODALITY_CODES: Mapping[Modality, int] = {
    "actual": 0,
    "planned": 1,
    "wished": 2,
    "possible": 3,
    "hearsay": 4,
    "joking": 5,
}


def list_codes(types: Iterable[EdgeType]) -> list[int]:
    """List the codes of edges of some types; a ROLE edge has the code of its role."""
    return [
        code
        for kind in types
        for code in (ROLE_CODES.values() if kind is EdgeType.ROLE else (TYPE_CODES[kind],))
    ]

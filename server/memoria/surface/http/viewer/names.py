"""Names: people, places and things that memories speak of."""

from collections.abc import Mapping

from memoria.model.operation import EntityKind
from memoria.surface.http.viewer.table import sentence

KINDS: Mapping[EntityKind, str] = {
    "person": sentence("person"),
    "organisation": sentence("organisation"),
    "place": sentence("place"),
    "product": sentence("product"),
    "event": sentence("event"),
    "other": sentence("thing"),
}

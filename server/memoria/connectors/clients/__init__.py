"""Other programs' configuration: how Memoria is wired into each client, and out again."""

from memoria.connectors.clients.interface import Client
from memoria.connectors.clients.place import ClientPlace, Scope
from memoria.connectors.clients.program import ClientProgram

__all__ = ["Client", "ClientPlace", "ClientProgram", "Scope"]

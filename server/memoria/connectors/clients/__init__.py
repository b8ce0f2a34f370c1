"""Other programs' configuration: how Memoria is wired into each client, and out again."""

from memoria.connectors.clients.interface import Client, ClientPlace, ClientProgram, Scope

__all__ = ["Client", "ClientPlace", "ClientProgram", "Scope"]

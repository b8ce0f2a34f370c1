"""Other programs' configuration: how Memoria is wired into each client, and out again."""

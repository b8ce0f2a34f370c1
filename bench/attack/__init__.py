"""Attacks on a memory, by name: whatever may make it leak, lie, forget or obey.

An attack goes through a public face only: a real MCP client, the command line as a process, files
of a home, a backup, an endpoint on loopback that plays a model. Each has a function in the module
of its theme, and looks at what came of it.

    python -m bench.attack
"""

"""REST: the operations of MCP and the command line for any program, from one table of routes."""

"""Adapters under the names that programs import: `memoria.adapters.langgraph` and the others.

The code is in `memoria.connectors.adapters`.
"""

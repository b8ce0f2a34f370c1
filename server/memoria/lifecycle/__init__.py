"""The life of memories: what a night does with what was kept, and how it is undone."""

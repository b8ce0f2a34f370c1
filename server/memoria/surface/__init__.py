"""FACES: parse, call, format, and nothing else."""

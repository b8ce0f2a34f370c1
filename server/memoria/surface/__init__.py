"""Faces of Memoria: they parse, call and format, and do nothing else."""

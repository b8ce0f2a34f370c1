"""Disk: how files and folders of a home are opened, written and kept safe."""

"""Generated files: their contents, and how they are written so that nothing is lost."""

"""Generated files: what they say, and how they are written so that nothing is lost."""

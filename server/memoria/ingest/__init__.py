"""WRITE: from a message or a statement to rows on disk, and to vectors later."""

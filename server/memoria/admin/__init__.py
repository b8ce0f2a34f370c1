"""Administration: import, export, backup, doctor, settings, and intake of what hooks left."""

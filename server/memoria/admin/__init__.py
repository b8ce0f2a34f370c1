"""Administration: import, backup, doctor, schedule."""

"""What was said last, what help rests on and what was never said: cases that others wrote."""

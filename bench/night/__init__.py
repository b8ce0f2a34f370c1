"""What a night promises, tried on filled homes: it survives kills, delays nobody, can be undone.

python -m bench.night kill --rounds 100
python -m bench.night contention --turns 100000
python -m bench.night undo --rounds 40
python -m bench.night year --plot docs/night-year.png
"""

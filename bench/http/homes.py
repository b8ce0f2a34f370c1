"""x"""
import argparse
def add_options(p): ...
def run(a): return 0

"""Starts the server, for a client that has made an environment of this bundle."""

import runpy
import sys

sys.argv = ["memoria", "serve"]
runpy.run_module("memoria", run_name="__main__")

"""The command `zom`: one file per verb.

A verb's module imports nothing slow at its top, so that `zom --help` is quick. `declare` adds its arguments
to the parser of argparse, `run` does the work and returns the exit code.
"""

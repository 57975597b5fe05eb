"""The command `zom`: one file for each verb.

A verb's module imports nothing of zom but errors at its top, so that `zom --help` is quick: `declare`
tells argparse its arguments, `run` does the work and gives the exit code.
"""

"""Schemas follow the registries, whenever something is registered."""

import subprocess
import sys

SCRIPT = """
import json
from typing import ClassVar
import zom
from zom.extension.codec import Codec, codecs

def known(flavour):
    return '"example.mine"' in json.dumps(zom.json_schema("v3/node", flavour=flavour))

class Mine(Codec):
    name: ClassVar[str] = "example.mine"
    kind: ClassVar = "bytes->bytes"
    def thread(self, configuration, before, faults, path):
        return before
    def bind(self, configuration, before, after):
        raise NotImplementedError

before = [known("validation"), known("codegen")]
codecs.register(Mine())
print(before, [known("validation"), known("codegen")])
"""


def test_a_codec_registered_after_an_export_is_in_the_next_one():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[False, False] [True, True]\n", "")

from __future__ import annotations

import sys

import pytest

import zom.dtypes  # noqa: F401 - registers the types
from zom.codecs.zfp import library as zfp_library
from zom.errors import ExtensionError
from zom.extension.bound import Block, Stream
from zom.extension.codec import codecs
from zom.extension.resolve import data_type


@pytest.fixture(autouse=True)
def _no_packages(monkeypatch):
    monkeypatch.setitem(sys.modules, "zfpy", None)
    monkeypatch.setitem(sys.modules, "pcodec", None)
    zfp_library.zfp_library.cache_clear()
    yield
    zfp_library.zfp_library.cache_clear()


@pytest.mark.parametrize(
    ("name", "members", "message"),
    [
        ("zfp", {"mode": "reversible"}, "zfp needs the package zfpy: pip install zfpy==1.0.1"),
        ("numcodecs.zfpy", {}, "zfp needs the package zfpy: pip install zfpy==1.0.1"),
        ("numcodecs.pcodec", {}, 'pcodec needs the package pcodec: pip install "pcodec>=1,<2"'),
    ],
)
def test_a_codec_without_its_package_says_how_to_get_it(name, members, message):
    codec = codecs[name]
    configuration = codec.configuration.model_validate(members)
    with pytest.raises(ExtensionError) as caught:
        codec.bind(configuration, Block((4,), data_type("float32"), 0), Stream(None, 100))
    assert str(caught.value) == message

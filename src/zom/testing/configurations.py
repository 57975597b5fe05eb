"""What every extension with a configuration keeps: the contract of its registry, and the form of its documents."""
# ruff: noqa: S101, D102 - assertions are what this is made of; a test's name is its claim

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any, ClassVar

from zom.extension.configuration import parse_configuration
from zom.json.value import freeze
from zom.problems import Fault, rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from zom.extension.configuration import Configuration

__all__ = ["ConfigurationSuite", "read_configuration"]

BROKEN = rule("testing/configuration", "a configuration is as its model says", source="zom.testing")


def read_configuration(model: type[Configuration], value: Mapping[str, Any]) -> tuple[Any, list[Fault]]:
    """`value` as the model reads it from a document, with the faults.

    >>> from zom.extension import codecs
    >>> read_configuration(codecs["gzip"].configuration, {"level": 10})[1][0].expected
    'an integer from 0 to 9'
    """
    faults: list[Fault] = []
    return parse_configuration(model, freeze(dict(value), faults), BROKEN, faults), faults


class ConfigurationSuite:
    """The claims about names and configurations; the suite of each kind of extension is one of these."""

    configurations: ClassVar[Sequence[Mapping[str, Any]]] = ({},)
    """Configurations as documents have them."""
    wrong_configurations: ClassVar[Sequence[Mapping[str, Any]]] = ({"no_such_member": 1},)
    """Some that break a rule."""

    def extension(self) -> Any:
        """What is tested."""
        raise NotImplementedError

    def registry(self) -> Any:
        """Where it is registered."""
        raise NotImplementedError

    def test_it_is_registered_and_keeps_the_contract(self) -> None:
        extension, registry = self.extension(), self.registry()
        assert registry.faults(extension) == []
        assert all(registry.find(name) is extension for name in (extension.name, *extension.aliases))

    def test_configurations_are_read_and_written_back(self) -> None:
        for value in self.configurations:
            made, faults = read_configuration(self.extension().configuration, value)
            told = [str(fault.problem()) for fault in faults]
            assert made is not None, f"{value}: {told}; set `configurations` to some that the model takes"
            assert not faults, f"{value}: {told}"
            spelled = made.canonical()
            assert json.loads(json.dumps(spelled)) == spelled, f"expected JSON, found {spelled}"
            again, faults = read_configuration(self.extension().configuration, spelled)
            assert not faults, f"{spelled}: {faults}"
            assert again.canonical() == spelled, f"expected {spelled}, found {again.canonical()}"
            assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 - of our own making

    def test_wrong_configurations_are_faults(self) -> None:
        for value in self.wrong_configurations:
            assert self.faults_of(value), f"expected a fault of {value}"

    def faults_of(self, value: Mapping[str, Any]) -> list[Fault]:
        """All faults of a configuration; suites add those that need more than the model."""
        return read_configuration(self.extension().configuration, value)[1]

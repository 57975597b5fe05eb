"""Tests for extensions with a configuration: the contract of the registry, and the form of documents."""
# ruff: noqa: S101, D102 - tests consist of assertions; a test's name is its claim

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

BROKEN = rule("testing/configuration", "a configuration matches its model", source="zom.testing")


def read_configuration(model: type[Configuration], value: Mapping[str, Any]) -> tuple[Any, list[Fault]]:
    """Parse `value` with the model, and return the configuration with its faults.

    >>> from zom.extension import codecs
    >>> read_configuration(codecs["gzip"].configuration, {"level": 10})[1][0].expected
    'an integer from 0 to 9'
    """
    faults: list[Fault] = []
    return parse_configuration(model, freeze(dict(value), faults), BROKEN, faults), faults


class ConfigurationSuite:
    """Tests of names and configurations; the base of the suite for each kind of extension."""

    configurations: ClassVar[Sequence[Mapping[str, Any]]] = ({},)
    """Configurations as in documents."""
    wrong_configurations: ClassVar[Sequence[Mapping[str, Any]]] = ({"no_such_member": 1},)
    """Configurations that break a rule."""

    def extension(self) -> Any:
        """The extension to test."""
        raise NotImplementedError

    def registry(self) -> Any:
        """The registry of the extension."""
        raise NotImplementedError

    def test_it_is_registered_and_keeps_the_contract(self) -> None:
        extension, registry = self.extension(), self.registry()
        assert registry.faults(extension) == []
        assert all(registry.find(name) is extension for name in (extension.name, *extension.aliases))

    def test_configurations_are_read_and_written_back(self) -> None:
        for value in self.configurations:
            made, faults = read_configuration(self.extension().configuration, value)
            told = [str(fault.problem()) for fault in faults]
            assert made is not None, f"{value}: {told}; set `configurations` to values that the model accepts"
            assert not faults, f"{value}: {told}"
            spelled = made.canonical()
            assert json.loads(json.dumps(spelled)) == spelled, f"expected JSON, found {spelled}"
            again, faults = read_configuration(self.extension().configuration, spelled)
            assert not faults, f"{spelled}: {faults}"
            assert again.canonical() == spelled, f"expected {spelled}, found {again.canonical()}"
            assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 - our own bytes

    def test_wrong_configurations_are_faults(self) -> None:
        for value in self.wrong_configurations:
            assert self.faults_of(value), f"expected a fault for {value}"

    def faults_of(self, value: Mapping[str, Any]) -> list[Fault]:
        """All faults of a configuration; suites add those beyond the model."""
        return read_configuration(self.extension().configuration, value)[1]

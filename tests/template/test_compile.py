"""Templates are compiled to rules, once, and to those of conventions where they ask the same."""

from __future__ import annotations

import gc

from zom import v3
from zom.checks.verdict import verdict
from zom.extension.codec import codecs
from zom.template import ArrayTemplate, GroupTemplate, Pattern
from zom.template import compile as compilation
from zom.template.compile import compile_template


def checks_of(template):
    return [(rule.id.removeprefix("template/"), rule.check.name) for rule in compile_template(template).rules]


def test_attributes_are_judged_by_the_checks_of_conventions():
    template = GroupTemplate(attributes={"units": "string", "scale": "number|null?", "any": "any"})
    assert checks_of(template) == [
        ("attribute", "required"),
        ("attribute", "json_type"),
        ("attribute", "json_type"),
        ("attribute", "required"),
    ]


def test_a_template_has_no_rule_for_what_it_does_not_say():
    assert checks_of(GroupTemplate()) == []
    assert compile_template(ArrayTemplate()).array_rules == ()
    assert checks_of(GroupTemplate(patterns=[Pattern(pattern="a")])) == [("unknown-members", "known_members")]


def test_what_can_not_be_judged_is_a_warning():
    (rule,) = compile_template(GroupTemplate(patterns=[Pattern(pattern="a")])).rules
    assert (rule.level, rule.severity()) == ("SHOULD", "warning")


def test_a_template_is_compiled_once(monkeypatch):
    template = GroupTemplate(patterns=[Pattern(pattern=".*", template=ArrayTemplate(rank=1))])
    made = compile_template(template)
    assert compile_template(template) is made
    monkeypatch.setattr(compilation, "_MAKERS", {})  # nothing more can be compiled
    template.check(v3.GroupSpec(members={}))
    assert compile_template(template) is made


def test_a_copy_with_another_field_is_compiled_again():
    template = ArrayTemplate(rank=1)
    array = v3.ArraySpec.build(shape=(4,), dtype="int8")
    assert template.check(array) == ()
    assert len(template.replace(rank=2).check(array)) == 1
    assert len(template.model_copy(update={"rank": 2}).check(array)) == 1
    assert template.check(array) == ()


def test_a_template_is_compiled_again_where_names_mean_something_else(monkeypatch):
    template = ArrayTemplate(codecs=["zstd"])
    made = compile_template(template)
    monkeypatch.setattr(compilation, "revision", lambda: -1)
    assert compile_template(template) is not made
    assert codecs.find("zstd") is not None


def test_rules_are_let_go_with_their_template():
    gc.collect()
    before = len(compilation._compiled)
    template = GroupTemplate(attributes={"a": "string"})
    compile_template(template)
    assert len(compilation._compiled) == before + 1
    del template
    gc.collect()
    assert len(compilation._compiled) == before


def test_the_rules_of_a_template_are_run_as_those_of_conventions_are(monkeypatch):
    ran = []
    module = __import__("zom.template.checking", fromlist=["verdict"])
    monkeypatch.setattr(module, "verdict", lambda rule, site: ran.append(rule.id) or verdict(rule, site))
    template = ArrayTemplate(rank=1, attributes={"a": "string?"})
    assert template.check(v3.ArraySpec.build(shape=(4,), dtype="int8")) == ()
    assert ran == ["template/node-type", "template/rank", "template/attribute"]

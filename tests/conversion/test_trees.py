"""Converting whole trees: what is kept, and how losses and refusals are told."""

from __future__ import annotations

import pytest

from zom import ConversionError, draft, v2, v3
from zom.conversion.trees import convert


def v2_array(**changes):
    members = {
        "shape": (4, 6),
        "chunks": (2, 3),
        "dtype": "<i2",
        "compressor": None,
        "fill_value": 0,
        "order": "C",
        "filters": None,
    }
    return v2.ArraySpec(**{**members, **changes})


def v3_array(**changes):
    members = {
        "shape": (4, 6),
        "data_type": "int16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
        "chunk_key_encoding": {"name": "v2"},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    }
    return v3.ArraySpec(**{**members, **changes})


def test_a_spec_of_the_format_asked_for_is_the_answer():
    spec = v3.GroupSpec(members={"a": v3_array()})
    made = convert(spec, "v3")
    assert made.spec is spec
    assert made.losses == ()
    assert made.same_chunks == {"/a": True}


@pytest.mark.parametrize(("spec", "to"), [(draft.GroupSpec(attributes={}), "v2"), (v2.GroupSpec(), "draft")])
def test_a_conversion_that_there_is_not_is_refused(spec, to):
    with pytest.raises(ConversionError) as caught:
        convert(spec, to)
    assert str(caught.value) == (
        "conversion: expected one from v2 or the draft to v3, or from v3 to v2, "
        f'found a conversion from {spec.family.form} to "{to}"'
    )


def test_the_entry_point_of_a_draft_hierarchy_is_no_node_to_convert():
    entry = draft.EntryPoint(
        metadata_encoding={"type": "json", "metadata_key_suffix": ".json"}, extensions=()
    )
    with pytest.raises(ConversionError):
        convert(entry, "v3")


def test_a_tree_keeps_its_shape_and_the_order_of_its_members():
    tree = v2.GroupSpec(
        attributes={"title": "t"},
        members={
            "z": v2.GroupSpec(),
            "a": v2.GroupSpec(members={"x": v2_array()}),
            "e": v2.GroupSpec(members={}),
        },
    )
    made = convert(tree, "v3")
    assert list(made.spec.members) == ["z", "a", "e"]
    assert made.spec["z"].members is None
    assert made.spec["e"].members == {}
    assert made.spec.attributes == {"title": "t"}
    assert made.same_chunks == {"/a/x": True}
    assert convert(made.spec, "v2").spec["a"].document == tree["a"].document


def test_absent_attributes_stay_absent():
    tree = v2.GroupSpec(members={"a": v2_array(), "b": v2_array(attributes={})})
    made = convert(tree, "v3").spec
    assert "attributes" not in made.document
    assert "attributes" not in made["a"].document
    assert made["b"].document["attributes"] == {}


def test_a_tree_of_a_thousand_levels_is_converted():
    tree = v2_array()
    for _ in range(1000):
        tree = v2.GroupSpec(members={"g": tree})
    made = convert(tree, "v3")
    assert made.same_chunks == {"/g" * 1000: True}
    assert convert(made.spec, "v2").same_chunks == {"/g" * 1000: True}


def test_a_loss_is_located_in_the_source():
    tree = v2.GroupSpec(members={"a/b".replace("/", "~"): v2_array(fill_value=None)})
    (loss,) = convert(tree, "v3").losses
    assert (loss.code, loss.severity) == ("convert/undefined-fill", "warning")
    assert (loss.node, loss.pointer, loss.inside) == ("/a~b", "/members/a~0b/fill_value", ("fill_value",))


def test_all_refusals_are_raised_together_and_losses_are_not_among_them():
    tree = v2.GroupSpec(
        members={
            "a": v2_array(dtype=[["x", "<i2"], ["y", ">i2"]], fill_value=None),
            "b": v2.GroupSpec(members={"c": v2_array(compressor={"id": "unheard-of"})}),
            "d": v2_array(),
        }
    )
    with pytest.raises(ConversionError) as caught:
        convert(tree, "v3")
    assert [(problem.severity, problem.pointer) for problem in caught.value.problems] == [
        ("error", "/members/a/dtype"),
        ("error", "/members/b/members/c/compressor"),
    ]
    assert str(caught.value) == (
        "conversion to v3: 2 problems\n"
        "  /a: dtype: expected fields of one byte order, found big and little endian fields\n"
        '  /b/c: compressor: expected a codec that zom knows, found "unheard-of"'
    )


def test_a_name_that_the_other_format_refuses_is_refused():
    with pytest.raises(ConversionError) as caught:
        convert(v2.GroupSpec(members={"__x": v2.GroupSpec()}), "v3")
    assert str(caught.value) == (
        'conversion to v3: /__x: expected a name that does not start with "__", found "__x"'
    )
    with pytest.raises(ConversionError) as caught:
        convert(v3.GroupSpec(members={".zarray": v3.GroupSpec()}), "v2")
    assert caught.value.problems[0].code == "convert/node-name"
    assert caught.value.problems[0].pointer == "/members/.zarray"


def test_a_name_beyond_ascii_is_a_loss_in_v2():
    (loss,) = convert(v3.GroupSpec(members={"é": v3.GroupSpec()}), "v2").losses
    assert str(loss) == '/é: expected a name of ASCII characters, found "é"'
    assert loss.code == "convert/ascii-name"


def test_a_converted_spec_is_strict_even_where_its_source_was_read_leniently():
    document = {**v2_array().to_dict(), "filters": {}}
    spec = v2.ArraySpec.parse(document, "lenient", on_warning=lambda problem: None)
    made = convert(spec, "v3").spec
    assert made.level == "strict"
    assert v3.ArraySpec.check(made.to_dict()) == ()


def test_a_subclass_is_converted_to_the_other_format_s_own_class():
    class Mine(v2.GroupSpec):
        pass

    assert type(convert(Mine(), "v3").spec) is v3.GroupSpec


def test_what_would_break_a_rule_of_the_other_format_is_refused(monkeypatch):
    from zom.conversion import v2_to_v3 as convert_v2_v3

    def group(*_arguments):
        return {"zarr_format": 3, "node_type": "group", "attributes": 1}

    monkeypatch.setattr(convert_v2_v3, "group", group)
    with pytest.raises(ConversionError) as caught:
        convert(v2.GroupSpec(), "v3")
    assert str(caught.value) == (
        "conversion to v3: expected an object, found 1, which v3 would have at /attributes (v3/attributes)"
    )

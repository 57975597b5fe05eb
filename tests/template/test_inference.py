import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zom import draft, v2, v3
from zom.errors import ZomError
from zom.template import ArrayTemplate, GroupTemplate, NodeTemplate, infer, parse


def array(shape=(4, 6), dtype="float32", **facts):
    return v3.ArraySpec.build(shape=shape, dtype=dtype, **facts)


def group(**members):
    return v3.GroupSpec(members=members)


def test_members_of_all_examples_are_required_and_of_some_optional():
    template = infer(group(a=array(), b=array()), group(a=array()))
    assert sorted(template.members) == ["a", "b"]
    assert template.optional == ("b",)
    assert template.open is False
    assert infer(group(a=array()), open=True).open is True


def test_names_that_differ_in_a_number_become_a_pattern_with_counts():
    template = infer(
        group(r10m=group(), r20m=group(), r60m=group(), aux=group()), group(r10m=group(), aux=group())
    )
    (pattern,) = template.patterns
    assert (pattern.pattern, pattern.min_count, pattern.max_count) == ("r[0-9]+m", 1, 3)
    assert list(template.members) == ["aux"]


def test_levels_become_a_pattern_and_share_their_type():
    levels = {str(level): array(shape=(64 >> level, 64 >> level), dtype="uint16") for level in range(3)}
    (pattern,) = infer(group(**levels)).patterns
    assert (pattern.pattern, pattern.min_count, pattern.max_count) == ("[0-9]+", 3, 3)
    assert pattern.same == ("dtype",)
    assert pattern.template.dtype == "uint"


@pytest.mark.parametrize("names", [("b02", "b03", "b11"), ("r10m",), ("a1", "b2")])
def test_numbers_that_name_things_stay_names(names):
    template = infer(group(**{name: array() for name in names}))
    assert template.patterns == ()
    assert sorted(template.members) == sorted(names)


def test_numbered_members_of_both_kinds_stay_names():
    assert infer(group(a1=array(), a2=group())).patterns == ()


def test_a_pattern_takes_the_rest_of_a_name_literally():
    (pattern,) = infer(v3.GroupSpec(members={"a.(1)": array(), "a.(2)": array()})).patterns
    assert pattern.pattern == r"a\.\([0-9]+\)"


def test_a_place_of_both_kinds_stays_one():
    template = infer(group(a=array(shape=(3,))), group(a=group(b=array())))
    assert template.members["a"] == NodeTemplate(
        array=infer(array(shape=(3,))), group=infer(group(b=array()))
    )


def test_members_that_are_not_known_are_not_asked_for():
    template = infer(v3.GroupSpec(), group(a=array()))
    assert template == GroupTemplate()


def test_attributes_have_the_types_that_they_had():
    specs = [
        v3.GroupSpec(attributes={"a": 1, "b": "x", "c": None, "d": True}),
        v3.GroupSpec(attributes={"a": 2.5, "b": "y", "c": "s", "e": {"f": []}}),
    ]
    assert infer(*specs).attributes == {
        "a": "number",
        "b": "string",
        "c": "null|string",
        "d": "boolean?",
        "e": "object?",
    }


def test_arrays_have_the_rank_type_names_and_chunks_that_they_had():
    specs = [
        array(chunks=(2, 3), dimension_names=("y", "x")),
        array(dtype="int8", chunks=(4, 3), dimension_names=("y", "x")),
    ]
    assert infer(*specs) == ArrayTemplate(
        rank=2, dimension_names=["y", "x"], dtype=["float", "int"], chunks={"y": [2, 4], "x": 3}
    )


def test_ranks_and_dimensions_may_differ():
    specs = [
        array(chunks=(2, 3), dimension_names=("y", "x")),
        array(shape=(4,), chunks=2, dimension_names=("x",)),
    ]
    template = infer(*specs)
    assert (template.rank, template.dimension_names.required) == ((1, 2), ("x",))
    assert template.chunks == {"y": 2, "x": (2, 3)}


def test_chunks_without_names_are_told_by_place():
    assert infer(array(chunks=(2, 3))).chunks == {"0": 2, "1": 3}
    assert infer(array(chunks=(2, 3), dimension_names=("y", None))).chunks == {"0": 2, "1": 3}
    assert infer(array(), array(shape=(4,))).chunks == {}


def test_a_dimension_that_is_called_like_a_place_is_told_by_place():
    spec = array(chunks=(2, 3), dimension_names=("1", "0"))
    assert infer(spec).chunks == {"0": 2, "1": 3}
    assert infer(spec).check(spec) == ()


def test_many_lengths_of_chunks_become_a_range():
    specs = [array(shape=(9,), chunks=length) for length in range(1, 10)]
    chunks = infer(*specs).chunks["0"]
    assert (chunks.min, chunks.max) == (1, 9)


def test_what_zom_does_not_know_is_not_asked_for():
    document = {
        **array().to_dict(),
        "data_type": "example.decimal",
        "chunk_grid": {"name": "example.hexagons"},
    }
    assert infer(v3.ArraySpec.parse(document)) == ArrayTemplate(rank=2)


def test_dimensions_that_agree_below_a_group_must_agree():
    product = group(
        r1=group(a=array(dimension_names=("y", "x")), b=array(dimension_names=("y", "x"))),
        r2=group(
            a=array(shape=(8, 6), dimension_names=("y", "x")),
            b=array(shape=(8, 6), dimension_names=("y", "x")),
        ),
    )
    template = infer(product)
    assert template.same_length == ("x",)
    assert template.patterns[0].template.same_length == ("y",)


def test_without_an_example_there_is_no_template():
    with pytest.raises(ZomError, match="expected at least one example, found none"):
        infer()


def test_a_tree_of_a_thousand_levels_is_an_example():
    spec = group(a=array())
    for _ in range(1000):
        spec = group(g=spec)
    assert infer(spec).check(spec) == ()


# --- property ----------------------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "a1", "a2", "a01", "1", "2", "10", "x.1", "x.2", "units"])
KEYS = st.sampled_from(["type", "$schema", "required", "properties", "units", "?", "", "a|b"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("ab?|", max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=4,
)
ATTRIBUTES = st.dictionaries(KEYS, VALUES, max_size=4)
DIMENSIONS = st.sampled_from(["x", "y", "time", "0", None])


@st.composite
def arrays(draw, form):
    shape = draw(st.lists(st.integers(0, 9), max_size=3))
    chunks = [draw(st.integers(1, 4)) for _ in shape]
    names = draw(st.none() | st.lists(DIMENSIONS, min_size=len(shape), max_size=len(shape)))
    if form is not v3 and names is not None and None in names:
        names = None
    dtype = draw(st.sampled_from(["bool", "int8", "uint16", "float32", "float64", "complex64"]))
    facts = {"shape": shape, "dtype": dtype, "chunks": chunks, "dimension_names": names}
    if form is v3 and draw(st.booleans()):
        facts["shards"] = [2 * length for length in chunks]
    return form.ArraySpec.build(**facts, attributes=draw(ATTRIBUTES))


@st.composite
def trees(draw, form):
    def groups(inner):
        members = st.none() | st.dictionaries(NAMES, inner, max_size=4)
        return st.builds(lambda m, a: form.GroupSpec(members=m, attributes=a), members, ATTRIBUTES)

    return draw(st.recursive(arrays(form), groups, max_leaves=8))


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from([v2, v3, draft]).flatmap(lambda form: st.lists(trees(form), min_size=1, max_size=4)))
def test_all_examples_fit_the_template_made_from_them(specs):
    template = infer(*specs)
    for spec in specs:
        assert template.check(spec) == ()
    assert parse(template.to_json()) == template

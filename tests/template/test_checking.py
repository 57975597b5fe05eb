import pytest

from zom import draft, v2, v3
from zom.template import ArrayTemplate, Codecs, GroupTemplate, Names, NodeTemplate, Pattern


def array(shape=(4, 6), dtype="float32", **given):
    return v3.ArraySpec.build(shape=shape, dtype=dtype, **given)


def group(**members):
    return v3.GroupSpec(members=members)


def told(problems):
    return [(p.code.removeprefix("template/"), p.pointer, p.expected, p.found) for p in problems]


def fixes(problems):
    return [problem.fix for problem in problems]


# --- members -----------------------------------------------------------------------------------------


def test_a_required_member_that_is_missing_is_told_with_the_name_that_was_meant():
    template = GroupTemplate(members={"tm2": ArrayTemplate(), "b02": ArrayTemplate()})
    problems = template.check(group(t2m=array()))
    assert told(problems) == [
        ("missing-member", "/members/tm2", 'a member "tm2"', "nothing of that name"),
        ("missing-member", "/members/b02", 'a member "b02"', "nothing of that name"),
    ]
    assert fixes(problems) == ["did you mean 't2m'?", None]
    assert [(p.severity, p.node, p.inside) for p in problems] == [
        ("error", "/", ("members", "tm2")),
        ("error", "/", ("members", "b02")),
    ]


def test_an_optional_member_may_be_missing_but_not_wrong():
    template = GroupTemplate(members={"mask": ArrayTemplate(dtype="bool")}, optional=["mask"])
    assert template.check(group()) == ()
    assert told(template.check(group(mask=array()))) == [
        ("dtype", "/members/mask/data_type", "a data type of kind bool", '"float32"')
    ]


def test_an_open_group_has_other_members_and_a_closed_one_does_not():
    members = {"b02": ArrayTemplate(), "mask": ArrayTemplate()}
    spec = group(b02=array(), maks=array())
    assert GroupTemplate(members=members, optional=["mask"]).check(spec) == ()
    problems = GroupTemplate(members=members, optional=["mask"], open=False).check(spec)
    assert told(problems) == [("unexpected-member", "/members/maks", "only b02, mask", '"maks"')]
    assert fixes(problems) == ["did you mean 'mask'?"]
    empty = GroupTemplate(open=False).check(spec)
    assert [p.expected for p in empty] == ["no members", "no members"]


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        (["r10m"], None),
        (["r10m", "r20m"], None),
        ([], ("at least 1 member like ^r[0-9]+m$", "none")),
        (["r10m", "r20m", "r60m"], ("at most 2 members like ^r[0-9]+m$", "3")),
    ],
)
def test_members_that_match_a_pattern_are_counted(names, problem):
    pattern = Pattern(pattern="^r[0-9]+m$", template=GroupTemplate(), min_count=1, max_count=2)
    problems = GroupTemplate(patterns=[pattern]).check(group(**{name: group() for name in names}))
    assert [(p.pointer, p.expected, p.found) for p in problems] == (
        [("/members", *problem)] if problem else []
    )


def test_a_pattern_matches_whole_names_and_only_ascii_digits():
    template = GroupTemplate(patterns=[Pattern(pattern=r"r\d+m")], open=False)
    spec = group(r10m=array(), xr10m=array(), r10mx=array(), r١m=array())
    assert [p.pointer for p in template.check(spec)] == [
        "/members/xr10m",
        "/members/r10mx",
        "/members/r\u0661m",
    ]
    assert template.check(spec)[0].expected == r"only any like r\d+m"


def test_a_member_belongs_to_its_name_before_any_pattern_and_to_the_first_pattern():
    template = GroupTemplate(
        members={"r1": GroupTemplate()},
        patterns=[Pattern(pattern="r[0-9]"), Pattern(pattern="r.*", template=ArrayTemplate())],
    )
    assert template.check(group(r1=group(), r2=group(), rx=array())) == ()
    assert told(template.check(group(r1=array(), rx=group()))) == [
        ("node-type", "/members/r1/node_type", "a group", "an array"),
        ("node-type", "/members/rx/node_type", "an array", "a group"),
    ]


def test_members_that_are_not_known_are_a_warning_not_a_missing_member():
    template = GroupTemplate(members={"a": GroupTemplate(members={"b": ArrayTemplate()})})
    (problem,) = template.check(v3.GroupSpec(members={"a": v3.GroupSpec()}))
    assert (problem.code, problem.severity, problem.node) == ("template/unknown-members", "warning", "/a")
    assert problem.expected == "known members"
    assert problem.found == "a group whose members are unknown"


def test_where_nothing_is_asked_of_members_they_need_not_be_known():
    assert GroupTemplate(attributes={}).check(v3.GroupSpec()) == ()


def test_a_place_for_either_kind_is_checked_by_the_kind_that_is_there():
    either = NodeTemplate(
        attributes={"title": "string"}, array=ArrayTemplate(rank=1), group=GroupTemplate(open=False)
    )
    template = GroupTemplate(patterns=[Pattern(pattern=".", template=either)])
    attributes = {"title": "t"}
    spec = group(
        a=array(attributes=attributes),
        b=v3.GroupSpec(attributes=attributes, members={"x": array()}),
        c=array(shape=(3,)),
    )
    assert told(template.check(spec)) == [
        ("rank", "/members/a/shape", "1 dimension", "2 dimensions"),
        ("unexpected-member", "/members/b/members/x", "no members", '"x"'),
        ("attribute", "/members/c/attributes/title", "an attribute that is a string", "nothing"),
    ]


# --- arrays ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rank", "expected"),
    [
        (2, None),
        ([2, 3], None),
        ({"min": 1, "max": 2}, None),
        (1, "1 dimension"),
        ({0, 4}, "0 or 4 dimensions"),
        ({"min": 3}, "at least 3 dimensions"),
        ({"max": 1}, "at most 1 dimension"),
        ({"min": 3, "max": 4}, "from 3 to 4 dimensions"),
    ],
)
def test_an_array_has_the_rank_that_is_asked_for(rank, expected):
    problems = ArrayTemplate(rank=rank).check(array())
    assert told(problems) == ([("rank", "/shape", expected, "2 dimensions")] if expected else [])


def test_dimension_names_are_exact_or_required_in_any_order():
    named = array(dimension_names=("y", "x"))
    assert ArrayTemplate(dimension_names=["y", "x"]).check(named) == ()
    assert ArrayTemplate(dimension_names=Names(required=["x"])).check(named) == ()
    exact = ArrayTemplate(dimension_names=["x", "y"])
    expected = 'the dimension names ["x", "y"]'
    assert told(exact.check(named)) == [("dimension-names", "/dimension_names", expected, '["y", "x"]')]
    assert told(exact.check(array())) == [("dimension-names", "/dimension_names", expected, "none")]


def test_a_missing_dimension_is_told_with_the_one_that_was_meant():
    template = ArrayTemplate(dimension_names={"required": ["lat", "time"]})
    problems = template.check(array(dimension_names=("lta", "x")))
    assert told(problems) == [
        ("dimension-names", "/dimension_names", 'a dimension "lat"', '["lta", "x"]'),
        ("dimension-names", "/dimension_names", 'a dimension "time"', '["lta", "x"]'),
    ]
    assert fixes(problems) == ["did you mean 'lta'?", None]


def test_a_wrong_rank_and_the_names_that_follow_from_it_are_one_fault():
    template = ArrayTemplate(rank=3, dimension_names=["t", "y", "x"])
    assert [p.code for p in template.check(array(dimension_names=("y", "x")))] == ["template/rank"]


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("float", None),
        ("float32", None),
        (["int", "float32"], None),
        ("int", "a data type of kind int"),
        ("float64", '"float64"'),
        (["uint", "int16"], 'a data type of kind uint or "int16"'),
    ],
)
def test_a_type_is_asked_for_by_kind_or_by_name(dtype, expected):
    problems = ArrayTemplate(dtype=dtype).check(array())
    assert told(problems) == ([("dtype", "/data_type", expected, '"float32"')] if expected else [])


def test_a_type_that_nobody_knows_fits_by_its_name_only():
    spec = v3.ArraySpec.parse({**array().to_dict(), "data_type": "example.decimal"})
    assert ArrayTemplate(dtype="example.decimal").check(spec) == ()
    assert told(ArrayTemplate(dtype="float").check(spec)) == [
        ("dtype", "/data_type", "a data type of kind float", '"example.decimal"')
    ]


CUBE = ArrayTemplate(
    shape={"x": {"multiple_of": 3}, "0": [4, 8]},
    chunks={"y": [256, 512], "x": 3, "time": {"min": 1, "max": 24}},
)


def test_lengths_are_bounded_by_the_name_or_the_place_of_a_dimension():
    spec = array(shape=(4, 6), chunks=(4, 3), dimension_names=("y", "x"))
    assert told(CUBE.check(spec)) == [
        (
            "chunks",
            "/chunk_grid/configuration/chunk_shape/0",
            'a chunk length of 256 or 512 along "y"',
            "4",
        )
    ]
    spec = array(shape=(5, 7), chunks=(1, 7), dimension_names=("time", "x"))
    assert told(CUBE.check(spec)) == [
        ("shape", "/shape/1", 'a length that is a multiple of 3 along "x"', "7"),
        ("shape", "/shape/0", 'a length of 4 or 8 along "time"', "5"),
        ("chunks", "/chunk_grid/configuration/chunk_shape/1", 'a chunk length of 3 along "x"', "7"),
    ]


def test_the_last_dimension_is_called_minus_one():
    (problem,) = ArrayTemplate(shape={"-1": {"min": 7, "max": 9}, "-3": 1}).check(array())
    assert (problem.pointer, problem.expected) == ("/shape/1", "a length from 7 to 9 along 1")


def test_bounds_of_v2_point_at_the_document_of_v2():
    spec = v2.ArraySpec.build(
        shape=(4, 6), dtype="i4", chunks=(4, 2), dimension_names=("y", "x"), compress="zlib"
    )
    template = ArrayTemplate(
        dimension_names=["x", "y"], dtype="uint", chunks={"x": 3}, codecs=["zstd"], sharded=True
    )
    assert told(template.check(spec)) == [
        (
            "dimension-names",
            "/attributes/_ARRAY_DIMENSIONS",
            'the dimension names ["x", "y"]',
            '["y", "x"]',
        ),
        ("dtype", "/dtype", "a data type of kind uint", '"int32"'),
        ("chunks", "/chunks/1", 'a chunk length of 3 along "x"', "2"),
        ("sharded", "/chunks", "shards", "no shards"),
        ("codecs", "/compressor", "only the codecs zstd", '"zlib"'),
    ]


def test_a_template_checks_arrays_of_every_format():
    template = ArrayTemplate(
        rank=2, dtype="int", dimension_names=["y", "x"], chunks={"x": 3}, codecs=["gzip", "zstd", "crc32c"]
    )
    for module in (v2, v3, draft):
        spec = module.ArraySpec.build(
            shape=(4, 6), dtype="int16", chunks=(4, 3), dimension_names=("y", "x"), compress="gzip"
        )
        assert template.check(spec) == ()


def test_every_length_of_a_rectilinear_grid_is_bounded():
    grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[1, 2, 3], 3]}}
    spec = v3.ArraySpec.parse({**array(shape=(6, 6)).to_dict(), "chunk_grid": grid})
    assert told(ArrayTemplate(chunks={"0": {"min": 3}, "1": 3}).check(spec)) == [
        (
            "chunks",
            "/chunk_grid/configuration/chunk_shapes/0",
            "a chunk length of at least 3 along 0",
            "1 and 2",
        )
    ]


def test_bounds_on_shards_ask_for_shards():
    template = ArrayTemplate(shards={"0": 4}, chunks={"0": 2})
    assert told(template.check(array(chunks=(2, 6)))) == [("sharded", "/codecs", "shards", "no shards")]
    sharded = array(shape=(8, 6), chunks=(2, 6), shards=(8, 6))
    assert told(template.check(sharded)) == [
        ("shards", "/chunk_grid/configuration/chunk_shape/0", "a shard length of 4 along 0", "8")
    ]
    assert told(ArrayTemplate(sharded=False).check(sharded)) == [
        ("sharded", "/codecs", "no shards", "shards")
    ]


@pytest.mark.parametrize("template", [ArrayTemplate(sharded=True), ArrayTemplate(shards={"0": 4})])
def test_shards_that_can_not_be_told_are_a_warning(template):
    document = array(checksum=False).to_dict()
    document["codecs"].append({"name": "example.unknown"})
    (problem,) = template.check(v3.ArraySpec.parse(document))
    assert (problem.code, problem.severity) == ("template/unknown-layout", "warning")
    assert (problem.expected, problem.found) == ("shards of known lengths", "unknown shards")


def test_chunks_that_can_not_be_told_are_one_warning():
    document = {**array().to_dict(), "chunk_grid": {"name": "example.hexagons"}}
    (problem,) = ArrayTemplate(chunks={"0": 2, "1": 2}).check(v3.ArraySpec.parse(document))
    assert (problem.severity, problem.pointer) == ("warning", "/chunk_grid")
    assert (problem.expected, problem.found) == ("chunks of known lengths", "unknown chunks")


def test_codecs_are_allowed_and_required_inside_of_shards_too():
    spec = array(shape=(8, 6), chunks=(2, 6), shards=(8, 6), compress="gzip", checksum=False)
    template = ArrayTemplate(codecs=Codecs(allowed=["zstd"], required=["zstd"]))
    assert told(template.check(spec)) == [
        ("codecs", "/codecs/0/configuration/codecs/1", "only the codecs zstd", '"gzip"'),
        ("codecs", "/codecs", 'the codec "zstd"', '"sharding_indexed", "bytes", "gzip"'),
    ]
    assert ArrayTemplate(codecs=["gzip"]).check(spec) == ()
    assert [p.expected for p in ArrayTemplate(codecs=[]).check(spec)] == ["no codec"]


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [(0, True), (0.0, True), ("0x00000000", True), (-0.0, False), ("NaN", False), (None, False)],
)
def test_a_fill_value_is_compared_bit_for_bit_not_by_its_spelling(wanted, fits):
    problems = ArrayTemplate(fill_value=wanted).check(array(fill_value=0))
    assert [p.pointer for p in problems] == ([] if fits else ["/fill_value"])


def test_any_nan_is_the_nan_that_was_meant_only_with_the_same_bits():
    spec = array(fill_value=float("nan"))
    assert ArrayTemplate(fill_value="NaN").check(spec) == ()
    assert ArrayTemplate(fill_value="0x7fc00000").check(spec) == ()
    (problem,) = ArrayTemplate(fill_value="0x7fc00001").check(spec)
    assert (problem.expected, problem.found) == ('"0x7fc00001"', '"NaN"')


def test_a_fill_value_of_null_is_one_of_v2():
    spec = v2.ArraySpec.build(shape=(4,), dtype="i1").replace(fill_value=None)
    assert ArrayTemplate(fill_value=None).check(spec) == ()
    assert len(ArrayTemplate(fill_value=0).check(spec)) == 1


# --- across nodes ------------------------------------------------------------------------------------


def test_dimensions_of_one_name_have_one_length_below_a_group():
    spec = group(
        time=array(shape=(48,), dimension_names=("time",)),
        t2m=array(shape=(48, 6), dimension_names=("time", "x")),
        deep=group(u=array(shape=(47, 7), dimension_names=("time", "x"))),
        free=array(shape=(9,)),
    )
    problems = GroupTemplate(same_length=True).check(spec)
    assert told(problems) == [
        ("same-length", "/members/deep/members/u/shape/0", '48 for the dimension "time", as in /time', "47"),
        ("same-length", "/members/deep/members/u/shape/1", '6 for the dimension "x", as in /t2m', "7"),
    ]
    assert [p.related for p in problems] == [("/time",), ("/t2m",)]
    assert [p.pointer for p in GroupTemplate(same_length=["x"]).check(spec)] == [problems[1].pointer]


def test_groups_of_their_own_have_lengths_of_their_own():
    level = GroupTemplate(same_length=True)
    template = GroupTemplate(patterns=[Pattern(pattern=".*", template=level)])
    spec = group(
        a=group(x=array(shape=(4,), dimension_names=("x",))),
        b=group(x=array(shape=(8,), dimension_names=("x",)), v=array(shape=(9,), dimension_names=("x",))),
    )
    assert [(p.node, p.related) for p in template.check(spec)] == [("/b/v", ("/b/x",))]


def test_a_fault_in_two_scopes_is_told_once():
    inner = GroupTemplate(same_length=["x", "y"])
    spec = group(
        a=group(
            p=array(shape=(4, 2), dimension_names=("x", "y")),
            q=array(shape=(5, 3), dimension_names=("x", "y")),
        )
    )
    for same in (True, ["x"], False):
        problems = GroupTemplate(members={"a": inner}, same_length=same).check(spec)
        assert [p.pointer for p in problems] == [
            "/members/a/members/q/shape/0",
            "/members/a/members/q/shape/1",
        ]


def test_members_of_one_pattern_share_their_type():
    levels = Pattern(
        pattern="[0-9]+", template=ArrayTemplate(), min_count=1, same=["dtype", "rank", "dimension_names"]
    )
    spec = group(**{"0": array(dimension_names=("y", "x")), "1": array(dtype="int8"), "2": array(shape=(3,))})
    problems = GroupTemplate(patterns=[levels]).check(spec)
    assert told(problems) == [
        ("same", "/members/1/data_type", '"float32", as in /0', '"int8"'),
        ("same", "/members/1/dimension_names", '["y", "x"], as in /0', "nothing"),
        ("same", "/members/2/shape", "2 dimensions, as in /0", "1 dimension"),
        ("same", "/members/2/dimension_names", '["y", "x"], as in /0', "nothing"),
    ]
    assert problems[0].related == ("/0",)


# --- what is checked ---------------------------------------------------------------------------------


def test_a_document_is_checked_as_its_spec_is():
    template = GroupTemplate(members={"b02": ArrayTemplate(rank=3)})
    spec = group(b02=array())
    expected = template.check(spec)
    assert len(expected) == 1
    assert template.check(spec.to_dict()) == expected
    assert template.check(spec.to_json()) == expected
    assert template.check(spec.to_json().encode()) == expected


def test_a_document_that_is_no_spec_is_told_as_such():
    codes = [p.code for p in ArrayTemplate().check({"zarr_format": 3, "node_type": "arry"})]
    assert codes
    assert not any(code.startswith("template/") for code in codes)
    assert len(ArrayTemplate().check("{")) == 1


def test_warnings_of_a_document_come_before_the_findings():
    document = {"zarr_format": 3, "node_type": "group", "attributes": None, "members": {}}
    problems = GroupTemplate(members={"a": ArrayTemplate()}).check(document, "lenient")
    assert [(p.code, p.severity) for p in problems] == [
        ("v3/null-attributes", "warning"),
        ("template/missing-member", "error"),
    ]


def test_an_entry_point_is_neither_an_array_nor_a_group():
    point = draft.EntryPoint(
        metadata_encoding={"type": "json", "metadata_key_suffix": ".json"}, extensions=()
    )
    assert told(GroupTemplate().check(point)) == [("node-type", "", "a group", "an entry point")]


def test_three_faults_are_three_problems_in_the_order_of_the_tree():
    template = GroupTemplate(
        attributes={"title": "string"},
        patterns=[
            Pattern(pattern="r.*", template=GroupTemplate(members={"b": ArrayTemplate(rank=2, dtype="int")}))
        ],
    )
    spec = group(r1=group(b=array(shape=(3,), dtype="float32")))
    assert [p.pointer for p in template.check(spec)] == [
        "/attributes/title",
        "/members/r1/members/b/shape",
        "/members/r1/members/b/data_type",
    ]


def test_what_a_group_finds_in_its_arrays_is_told_where_they_stand_in_the_tree():
    template = GroupTemplate(
        members={"a": ArrayTemplate(rank=2), "b": ArrayTemplate(rank=2), "c": ArrayTemplate()},
        same_length=True,
    )
    spec = group(
        a=array(shape=(4,), dimension_names=("x",)),
        b=array(shape=(5,), dimension_names=("x",)),
    )
    assert [p.pointer for p in template.check(spec)] == [
        "/members/c",
        "/members/a/shape",
        "/members/b/shape/0",
        "/members/b/shape",
    ]


def test_arrays_that_are_alike_are_each_told():
    template = GroupTemplate(patterns=[Pattern(pattern=".*", template=ArrayTemplate(rank=2, dtype="int"))])
    good, bad = array(dtype="int8"), array(dtype="float32")
    for members, wrong in (
        ({"a": good, "b": bad, "c": bad, "d": good}, ["/b", "/c"]),
        ({"a": bad, "b": good}, ["/a"]),
        ({"a": array(dtype="int8", shape=(4,)), "b": good}, ["/a"]),
    ):
        for _ in range(2):
            assert [p.node for p in template.check(group(**members))] == wrong


def test_what_fits_one_template_may_not_fit_another():
    spec = array()
    assert ArrayTemplate(dtype="float").check(spec) == ()
    assert [p.code for p in ArrayTemplate(dtype="int").check(spec)] == ["template/dtype"]


def test_a_place_for_either_kind_may_hold_another():
    deep = ArrayTemplate(rank=3)
    for _ in range(1000):
        deep = NodeTemplate(array=deep)
    assert [p.code for p in deep.check(array())] == ["template/rank"]
    assert deep.check(group()) == ()


def test_names_that_are_not_as_many_as_the_dimensions_name_none():
    def one(shape, names):
        return v2.ArraySpec.build(shape=shape, dtype="i1").replace(attributes={"_ARRAY_DIMENSIONS": names})

    members = {"a": one((4,), ["x"]), "b": one((5, 6), ["x"]), "c": one((5, 6), ["x", None])}
    assert GroupTemplate(same_length=True).check(v2.GroupSpec(members=members)) == ()


def test_names_with_slashes_in_pointers_are_escaped():
    spec = v2.GroupSpec(members={"a~b": v2.GroupSpec(members={})})
    (problem,) = GroupTemplate(members={"a~b": ArrayTemplate()}).check(spec)
    assert (problem.node, problem.pointer) == ("/a~b", "/members/a~0b")


def test_a_tree_of_a_thousand_levels_is_checked():
    spec, template = group(a=array()), GroupTemplate(members={"a": ArrayTemplate(rank=3)}, same_length=True)
    for _ in range(1000):
        spec, template = group(g=spec), GroupTemplate(members={"g": template}, open=False, same_length=["y"])
    (problem,) = template.check(spec)
    assert problem.node == "/g" * 1000 + "/a"


def test_ten_thousand_nodes_are_checked_with_little_effort_for_each(calls):
    one = array(dimension_names=("y", "x"), attributes={"units": "K"})
    spec = group(**{f"a{index}": one for index in range(10_000)})
    wanted = ArrayTemplate(
        rank=2, dtype="float", dimension_names=["y", "x"], chunks={"y": 4}, attributes={"units": "string"}
    )
    template = GroupTemplate(patterns=[Pattern(pattern="a[0-9]+", template=wanted)], same_length=True)
    assert template.check(spec) == ()
    assert calls(lambda: template.check(spec)) < 100 * 10_000

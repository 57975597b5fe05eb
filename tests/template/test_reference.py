import pytest

from zom import v3
from zom.template import ArrayTemplate, GroupTemplate, Pattern, Reference


def array(**attributes):
    return v3.ArraySpec.build(shape=(4,), dtype="int8", attributes=attributes)


def group(attributes=None, **members):
    return v3.GroupSpec(attributes=attributes or {}, members=members)


def check(reference, spec):
    problems = GroupTemplate(references=[Reference(**reference)]).check(spec)
    return [(p.pointer, p.found, p.fix) for p in problems]


PYRAMID = {"multiscales": [{"datasets": [{"path": "0"}, {"path": "1"}]}]}
PATHS = {"attribute": "/multiscales/*/datasets/*/path", "kind": "array"}


def test_paths_in_attributes_lead_to_nodes():
    assert check(PATHS, group(PYRAMID, **{"0": array(), "1": array()})) == []


def test_a_path_that_leads_nowhere_is_told_where_it_stands():
    spec = group(PYRAMID, **{"0": array(), "s1": array()})
    (problem,) = GroupTemplate(references=[PATHS]).check(spec)
    assert (problem.code, problem.severity, problem.node) == ("template/dangling-reference", "error", "/")
    assert problem.pointer == "/attributes/multiscales/0/datasets/1/path"
    assert problem.expected == "the path of an array"
    assert (problem.found, problem.fix) == ('"1"', "did you mean 's1'?")


def test_a_path_leads_to_the_kind_that_is_asked_for():
    spec = group({"a": "g", "b": "x"}, g=group(), x=array())
    assert check({"attribute": "/a", "kind": "array"}, spec) == [
        ("/attributes/a", '"g", which is a group', None)
    ]
    assert check({"attribute": "/b", "kind": "group"}, spec) == [
        ("/attributes/b", '"x", which is an array', None)
    ]
    assert check({"attribute": "/*", "kind": "any"}, spec) == []


@pytest.mark.parametrize(
    ("path", "leads"),
    [
        ("g/x", True),
        ("./g/x", True),
        ("g/../g/x", True),
        ("/g/x", True),
        ("g/x/", True),
        (".", True),
        ("..", False),
        ("g/y", False),
        ("g/x/y", False),
        ("x", False),
    ],
)
def test_paths_are_followed_as_people_write_them(path, leads):
    assert (check({"attribute": "/p"}, group({"p": path}, g=group(x=array()))) == []) is leads


@pytest.mark.parametrize(
    ("relative_to", "path"), [("parent", "lat"), ("node", "../lat"), ("root", "g/lat"), ("node", "/g/lat")]
)
def test_a_path_of_an_array_starts_where_it_is_said_to(relative_to, path):
    wanted = ArrayTemplate(references=[Reference(attribute="/ancillary", relative_to=relative_to)])
    template = GroupTemplate(members={"g": GroupTemplate(members={"t": wanted, "lat": ArrayTemplate()})})
    good = group(g=group(t=array(ancillary=path), lat=array()))
    assert template.check(good) == ()
    (problem,) = template.check(group(g=group(t=array(ancillary=f"{path}x"), lat=array())))
    assert (problem.node, problem.pointer) == ("/g/t", "/members/g/members/t/attributes/ancillary")
    assert problem.fix == "did you mean 'lat'?"


def test_one_text_may_hold_several_paths():
    coordinates = Reference(attribute="/coordinates", relative_to="parent", kind="array", split=True)
    template = GroupTemplate(
        patterns=[Pattern(pattern=".*", template=ArrayTemplate(references=[coordinates]))]
    )
    spec = group(t=array(coordinates="lat  lon hight"), lat=array(), lon=array(), height=array())
    (problem,) = template.check(spec)
    assert problem.found == '"hight"'
    assert problem.fix == "did you mean 'height'?"
    whole = Reference(attribute="/coordinates", relative_to="parent")
    template = GroupTemplate(members={"t": ArrayTemplate(references=[whole])})
    assert template.check(spec)[0].found == '"lat  lon hight"'


def test_what_is_no_text_is_no_path():
    assert check({"attribute": "/a/*"}, group({"a": [3, None]})) == [
        ("/attributes/a/0", "3", None),
        ("/attributes/a/1", "null", None),
    ]


def test_a_star_stands_for_part_of_a_step():
    spec = group({"x_path": "no", "path_x": "no", "sub": {"y_path": "no"}})
    assert [pointer for pointer, *_ in check({"attribute": "/*_path"}, spec)] == ["/attributes/x_path"]


def test_a_step_may_be_the_place_in_a_list():
    assert [pointer for pointer, *_ in check({"attribute": "/a/1"}, group({"a": ["no", "no"]}))] == [
        "/attributes/a/1"
    ]


def test_attributes_that_are_not_there_refer_to_nothing():
    assert check({"attribute": "/a/b/*"}, group({"a": 3})) == []


def test_a_path_through_members_that_are_not_known_is_a_warning():
    spec = v3.GroupSpec(attributes={"p": "g/x"}, members={"g": v3.GroupSpec()})
    (problem,) = GroupTemplate(references=[Reference(attribute="/p")]).check(spec)
    assert (problem.code, problem.severity) == ("template/unknown-reference", "warning")
    assert (problem.expected, problem.found) == ("a path along known members", '"g/x"')


def test_a_path_does_not_leave_the_root():
    assert check({"attribute": "/p"}, group({"p": "../a"}, a=array())) == [
        ("/attributes/p", '"../a", which leaves the hierarchy', None)
    ]


@pytest.mark.parametrize(
    ("path", "fix"),
    [
        ("gg/x/t", "did you mean 'gg1'?"),
        ("gg1/xx/t", "did you mean 'x'?"),
        ("/gg1/x/tt", "did you mean 't'?"),
        ("gg1/x/quite else", "known are t"),
    ],
)
def test_the_step_that_leads_no_further_is_told_with_the_one_that_was_meant(path, fix):
    spec = group({"p": path}, gg1=group(x=group(t=array())))
    assert check({"attribute": "/p"}, spec) == [("/attributes/p", f'"{path}"', fix)]

"""The families of formats: a process that asks for one has its classes, whatever it asked first."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from zom import draft, v2, v3

DOCUMENTS = {
    "v2": v2.GroupSpec(members={"a": v2.ArraySpec.build(shape=(4,), dtype="int8")}),
    "v3": v3.GroupSpec(members={"a": v3.ArraySpec.build(shape=(4,), dtype="int8")}),
    "draft": draft.GroupSpec(members={"a": draft.ArraySpec.build(shape=(4,), dtype="int8")}),
}
OTHERS = {
    "v2": {"zom.formats.v3", "zom.formats.draft"},
    "v3": {"zom.formats.v2", "zom.formats.draft"},
    "draft": {"zom.formats.v2", "zom.formats.v3"},
}
FIRST = {
    "parse": "import zom; print(zom.parse(document).to_json(indent=None) == document)",
    "check": "from zom.formats.detection import check; print(check(document) == ())",
    "check, one member too many": """
from zom.formats.detection import check
wrong = document.replace('"shape"', '"odd":1,"shape"')
print([problem.pointer for problem in check(wrong, "closed") if problem.pointer.endswith("odd")] == ["/members/a/odd"])
""",
    "validate": "import zom; print(zom.validate(document, conventions=()).ok)",
    "view": "from zom.formats.node_view import document_tree; import json; print(document_tree(json.loads(document)).family.form == form)",
    "unpickle": "import pickle; print(pickle.loads(pickled).to_json(indent=None) == document)",
    "class": "from zom.model.family import family_of; print(sorted(family_of(form).classes) == ['array', 'group'])",
}


@pytest.mark.slow
@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize("first", FIRST)
def test_a_new_process_has_the_classes_of_the_format_that_it_asks_for(form, first):
    document = DOCUMENTS[form].to_json(indent=None)
    code = f"form = {form!r}\ndocument = {document!r}\npickled = {pickle.dumps(DOCUMENTS[form])!r}\n{FIRST[first]}"
    code += "\nimport sys; print(*(name for name in sys.modules if name in ('zom.formats.v2', 'zom.formats.v3', 'zom.formats.draft')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    is_right, modules = done.stdout.splitlines()
    assert is_right == "True"
    assert not {*modules.split()} & OTHERS[form]

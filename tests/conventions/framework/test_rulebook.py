"""Conventions written as TOML: what each key means, and what is said of one that is wrong."""

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import zom
from zom import v3
from zom.conventions import (
    Attributes,
    CheckedRule,
    Convention,
    Site,
    cf,
    conventions,
    pattern,
    python,
    read_rulebook,
)
from zom.conventions.cf.dataset import BARE, NAMED
from zom.conventions.framework import rulebook_tables as tables
from zom.errors import ExtensionError
from zom.formats.node_view import attributes_node

ROOT = Path(__file__).parents[3]

HEAD = 'id = "x"\nlink = "https://a.org/1/"\n'
RULE = '[[rule]]\nid = "r"\nmust = "so it is"\n'


@pytest.fixture
def read(tmp_path):
    def read(text, **given):
        path = tmp_path / "x.toml"
        path.write_text(text, encoding="utf-8")
        return read_rulebook(path, **given)

    return read


def facts(convention):
    return [each.to_dict() for each in convention.rules]


def test_a_rulebook_is_the_convention_that_python_would_say(read):
    class Dggs(Attributes, key="dggs"):
        name: str

    made = read(
        """
id = "dggs"
version = "v1"
title = "Grids"
uuid = "7b255807-140c-42ca-97f6-7a1cfecdbc38"
on = ["group"]
signs = [{ has = "dggs.name" }, [{ has = "dggs" }, { lacks = "other" }]]
[[rule]]
id = "name-lower"
should = "the name is in lower case"
fix = "write it so"
source = "both"
when = { has = "dggs" }
check.pattern = { regex = "[a-z]+", at = "dggs.name" }
""",
        attributes=Dggs,
    )
    said = Convention(
        id="dggs",
        version="v1",
        title="Grids",
        uuid="7b255807-140c-42ca-97f6-7a1cfecdbc38",
        on=("group",),
        signs=(({"has": "dggs.name"},), ({"has": "dggs"}, {"lacks": "other"})),
        attributes=Dggs,
        rules=[
            CheckedRule(
                "name-lower",
                pattern("[a-z]+", at="dggs.name"),
                should="the name is in lower case",
                fix="write it so",
                source="both",
                when=({"has": "dggs"},),
            )
        ],
    )
    assert made.json_schema() == said.json_schema()


def test_a_convention_of_one_file_and_one_model_is_checked(read):
    class Title(Attributes):
        title: str

    made = read(f'{HEAD}{RULE}check.pattern = {{ regex = "[A-Z].*", at = "title" }}\n', attributes=Title)
    report = zom.validate(v3.GroupSpec(attributes={"title": "a"}, members={}), conventions=[made])
    assert [problem.code for problem in report] == ["x/r"]


def test_sections_and_relative_links_belong_to_the_link_of_the_convention(read):
    rule = "[[rule]]\nid = '{0}'\nmust = 'm'\n{1}\ncheck.required = 'a'\n"
    links = {
        "a": "section = 'axes'",
        "b": "link = 'schemas/image'",
        "c": "link = 'https://b.org/x'",
        "d": "",
    }
    made = read(HEAD + "".join(rule.format(*each) for each in links.items()))
    assert [each.link for each in made.rules] == [
        "https://a.org/1/#axes",
        "https://a.org/1/schemas/image",
        "https://b.org/x",
        None,
    ]


def test_a_group_says_once_what_its_rules_share(read):
    made = read(
        f"""{HEAD}
[[group]]
section = "s"
source = "both"
each = ["a", "b[*]"]
on = "group"
[[group.rule]]
id = "one"
must = "one"
each = [".c", ".d"]
check = "schema"
[[group.rule]]
id = "two"
note = "two"
source = "schema"
link = "https://c.org/"
check = [{{ required = ".e" }}, {{ forbidden = ".f" }}]
[[group.rule]]
id = "three"
should = "three"
each = "z"
check.any_of = [".g", ".h"]
"""
    )
    shown = [(each.id, each.each, each.check.name, each.source) for each in made.rules]
    assert shown == [
        ("one", "a.c", "schema", "both"),
        ("one", "a.d", "schema", "both"),
        ("two", "a", "required", "schema"),
        ("two", "a", "forbidden", "schema"),
        ("three", "z", "any_of", "both"),
        ("one", "b[*].c", "schema", "both"),
        ("one", "b[*].d", "schema", "both"),
        ("two", "b[*]", "required", "schema"),
        ("two", "b[*]", "forbidden", "schema"),
        ("three", "z", "any_of", "both"),
    ]
    assert {each.on for each in made.rules} == {"group"}
    assert [each.link for each in made.rules[:3]] == [
        "https://a.org/1/#s",
        "https://a.org/1/#s",
        "https://c.org/",
    ]


def test_cases_are_one_rule_at_several_places(read):
    made = read(
        f"""{HEAD}{RULE}fix = "do so"
cases = [
  {{ each = "a", check = "schema" }},
  {{ each = "b", when = {{ has = ".c" }}, check = {{ required = ".d" }} }},
]
"""
    )
    assert [(each.id, each.fix, each.each, each.when, each.check.name) for each in made.rules] == [
        ("r", "do so", "a", (), "schema"),
        ("r", "do so", "b", ({"has": ".c"},), "required"),
    ]


def test_python_checks_are_given_what_their_table_has(read):
    def at_most(site, most):
        return [site.breach(("attributes", "n"), f"at most {most}", site.node.attributes["n"])]

    made = read(
        f'{HEAD}{RULE}check = [{{ python = {{ function = "at_most", most = 3 }} }}, {{ python = "check" }}]\n',
        functions={"at_most": at_most, "check": python(lambda _site: ())},
    )
    node = attributes_node({"n": 4})
    assert [[breach.expected for breach in each.check.run(Site(node, node))] for each in made.rules] == [
        ["at most 3"],
        [],
    ]
    nothing = attributes_node({})
    with pytest.raises(ExtensionError, match=r"the rule's function .*at_most failed at /: KeyError\('n'\)"):
        made.rules[0].check.run(Site(nothing, nothing))


# --- versions --------------------------------------------------------------------------------------------


BASE = f"""{HEAD}version = "2"
uuid = "u"
owns = ["k"]
[[rule]]
id = "axes"
must = "`k.axes` is a list of some. axes"
fix = "see 2"
section = "axes"
each = "k.axes"
check = "schema"
[[rule]]
id = "plate-name"
should = "a plate has a name"
each = "k.plate"
check.required = ".name"
[[rule]]
id = "plate-rows"
must = "rows"
check.required = "k.plate.rows"
"""


@pytest.fixture
def extended(tmp_path):
    def extended(text):
        (tmp_path / "base.toml").write_text(BASE, encoding="utf-8")
        path = tmp_path / "new.toml"
        path.write_text(f'extends = "base.toml"\n{text}', encoding="utf-8")
        return read_rulebook(path)

    return extended


def test_a_version_takes_rules_of_another_one_with_other_words(extended):
    made = extended(
        """version = "1"
link = "https://a.org/0/"
owns = ["axes", "plate"]
words = { "k." = "", "2" = "1" }
[[change]]
of = ["plate-*"]
must = "a plate has this"
source = "both"
[[rule]]
id = "own"
note = "k.axes"
check = "shared_dims"
[[group]]
take = ["plate*"]
but = ["plate-rows"]
[[group]]
take = ["axes"]
words = { "axes" = "dims" }
"""
    )
    assert (made.name, made.uuid, made.owns) == ("x/1", "u", ("axes", "plate"))
    assert [(each.id, each.level, each.text, each.each, each.source) for each in made.rules] == [
        ("own", "NOTE", "k.axes", None, "text"),
        ("plate-name", "MUST", "a plate has this", "plate", "both"),
        ("axes", "MUST", "`dims` is a list of some. dims", "dims", "text"),
    ]
    assert (made.rules[2].link, made.rules[2].fix) == ("https://a.org/0/#dims", "see 1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[[group]]\ntake = ["plates"]\n',
            (
                'group 1: take: expected ids of rules in base.toml, or patterns that match them, found "plates"; '
                "did you mean 'plate-rows' or 'plate-name'?"
            ),
        ),
        (
            '[[group]]\ntake = ["*"]\nbut = ["q-*"]\n',
            'group 1: but: expected ids of rules in base.toml, or patterns that match them, found "q-*"',
        ),
        (
            '[[change]]\nof = ["q"]\nsource = "both"\n[[group]]\ntake = ["*"]\n',
            'group 1: change.of: expected ids of rules in base.toml, or patterns that match them, found "q"',
        ),
        (
            '[[group]]\ntake = ["*"]\neach = "a"\n',
            'group 1: each: expected one of take, but, words, found "each"',
        ),
    ],
)
def test_what_can_not_be_taken_is_told(extended, text, message):
    with pytest.raises(ExtensionError) as caught:
        extended(text)
    assert str(caught.value).partition("new.toml: ")[2] == message


# --- what is wrong ---------------------------------------------------------------------------------------


WRONG = {
    "links = 'x'": "links: expected one of {book}, found \"links\"; did you mean 'link'?",
    "title = 5": "title: expected a string, found 5",
    "owns = 'k'": 'owns: expected a list of strings, found "k"',
    "assumed = 'yes'": 'assumed: expected true or false, found "yes"',
    "further = { a = 1 }": 'further: expected a table of strings, found {{"a": 1}}',
    "[[rule]]\nid = 'r'\nsince = 1.7\nmust = 'so'\ncheck = 'schema'": (
        "rule 'r': since: expected the numbers of a version, such as \"1.7\", found 1.7"
    ),
    "inherit = 'all'": 'inherit: expected "none", "children" or "descendants", found "all"',
    "signs = { has = 'a' }": 'signs: expected a list, found {{"has": "a"}}',
    "signs = [{ has = '[' }]": 'signs.has: expected a selector, such as a.b[*].c, found "["',
    "rule = 1": "rule: expected tables, found 1",
    "[[rule]]\nmust = 'm'": "rule '?': id: expected a name such as axes-unique, found nothing",
    "[[rule]]\nid = 'r'": "rule 'r': must: expected one sentence, as must, should or note, found []",
    f"{RULE}note = 'n'": 'rule \'r\': must: expected one sentence, as must, should or note, found ["must", "note"]',
    RULE: 'rule \'r\': check: expected a check, such as check.required = ".name", or "schema", found nothing',
    f"{RULE}chek = 'schema'": "rule 'r': chek: expected one of {rule}, found \"chek\"; did you mean 'check'?",
    f"{RULE}check = 3": 'rule \'r\': check: expected one check, such as check.required = ".name", or "schema", found 3',
    f"{RULE}check.uniqe = 'a'": "rule 'r': check.uniqe: expected the name of a check, found \"uniqe\"; did you mean 'unique'?",
    f"{RULE}check.qqq = 'a'": "rule 'r': check.qqq: expected the name of a check, found \"qqq\"; "
    "docs/conventions-rules.md lists the checks",
    f"{RULE}check.shared_dims = 1": "rule 'r': check.shared_dims: expected no parameters: "
    'write check = "shared_dims", found 1',
    f"{RULE}check.unique = {{ att = 'a' }}": "rule 'r': check.unique.att: expected one of at, fold, found \"att\"; "
    "did you mean 'at'?",
    f"{RULE}check.length = {{ equals = 3 }}": "rule 'r': check.length.at: expected a string, found nothing",
    f"{RULE}check.required = 3": "rule 'r': check.required.at: expected a selector, found 3",
    f"{RULE}check.any_of = 'a'": "rule 'r': check.any_of.selectors: expected a list of strings, found \"a\"",
    f"{RULE}check.zarr_format = 'v4'": 'rule \'r\': check.zarr_format.form: expected "v2" or "v3", found "v4"',
    f"{RULE}check.between = {{ minimum = true, at = 'a' }}": "rule 'r': check.between.minimum: expected a number, found true",
    f"{RULE}check.pattern = '['": "rule 'r': check.pattern.regex: expected a regular expression, found \"[\"; "
    "unterminated character set at position 0",
    f"{RULE}check.required = 'a['": "rule 'r': check.required: expected selectors, found {{\"at\": \"a[\"}}; selector 'a[': expected "
    "keys joined by dots, with [*] after each list, as in 'a.b[*].c'",
    f"{RULE}each = 3": "rule 'r': each: expected a selector, or a list of them, found 3",
    f"{RULE}each = '.a'\ncheck = 'schema'": "rule 'r': each: expected a selector that starts at the attributes, such as a.b[*].c, found \".a\"",
    f"{RULE}when = {{ haz = 'a' }}\ncheck = 'schema'": "rule 'r': when: expected a condition: {{ has = S }}, "
    "{{ lacks = S }}, {{ at = S, values = [...] }}, {{ at = S, like = R }}, {{ kind = K }}, {{ root = C }} or "
    '{{ above = C }}, found {{"haz": "a"}}',
    f"{RULE}when = {{ at = 'a', values = 1 }}\ncheck = 'schema'": "rule 'r': when.values: expected a list, found 1",
    f"{RULE}when = {{ root = {{ at = 'a', like = '(' }} }}\ncheck = 'schema'": "rule 'r': when.root.like: "
    'expected a regular expression, found "("',
    f"{RULE}when = {{ kind = 'node' }}\ncheck = 'schema'": 'rule \'r\': when.kind: expected "array" or "group", found "node"',
    f"{RULE}on = 'node'": 'rule \'r\': on: expected "group" or "array", found "node"',
    f"{RULE}source = 'me'": 'rule \'r\': source: expected "text", "schema" or "both", found "me"',
    f"{RULE}check.python = 'f'": "rule 'r': check.python: expected a function among none, as read_rulebook was given no "
    'functions, found "f"',
    "[[group]]\nid = 'g'": 'group 1: id: expected one of {group}, found "id"',
    "[[group]]\ntake = ['*']": "group 1: take: expected a rulebook that this one extends, found nothing; "
    'write extends = "FILE.toml"',
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_entry_is_told_by_file_rule_and_key(read, text):
    known = {"book": tables._BOOK, "rule": tables._RULE, "group": tables._GROUP}
    with pytest.raises(ExtensionError) as caught:
        read(HEAD + text + "\n")
    file, _, message = str(caught.value).partition("x.toml: ")
    assert file
    assert message == WRONG[text].format(**{name: ", ".join(keys) for name, keys in known.items()})


def test_functions_of_a_list_are_called_by_their_own_names(read):
    def _right(site):
        return []

    def left(site):
        return [site.breach((), "nothing", "a node")]

    text = f"{HEAD}everywhere = true\n" + "".join(
        f'[[rule]]\nid = "{name}"\nmust = "so"\ncheck.python = "{name}"\n' for name in ("left", "right")
    )
    made = read(text, functions=[_right, python(left)])
    report = zom.validate(v3.GroupSpec(), conventions=[made])
    assert [each.code for each in report.of("error")] == ["x/left"]


def test_two_functions_of_a_list_have_two_names(read):
    def right(site):
        return []

    text = f"{HEAD}{RULE}check.python = 'right'\n"
    message = (
        'functions: expected functions with different names, found "right"; give them by name, as a dict'
    )
    with pytest.raises(ExtensionError, match=re.escape(message)):
        read(text, functions=[right, python(right)])


def test_a_function_that_is_missing_or_unused_is_refused(read):
    text = f"{HEAD}{RULE}check.python = 'is_god'\n"
    with pytest.raises(
        ExtensionError,
        match=r"rule 'r': check.python: expected a function among is_good, found \"is_god\"; did",
    ):
        read(text, functions={"is_good": lambda _site: ()})
    with pytest.raises(
        ExtensionError,
        match=r'x.toml: functions: expected functions that rules call by check.python, found "more"; remove it',
    ):
        read(text, functions={"is_god": lambda _site: (), "more": lambda _site: ()})


def test_a_file_that_is_no_toml_is_told(read):
    with pytest.raises(ExtensionError, match=r"x.toml: expected TOML: .*\(at line 1, column 6\)"):
        read("id = \n")
    with pytest.raises(
        ExtensionError, match=r"x.toml: id: expected the name of the convention, found nothing"
    ):
        read("title = 'x'\n")


# --- those that come with zom ----------------------------------------------------------------------------


def test_the_stored_json_is_what_would_be_made_now():
    command = [sys.executable, str(ROOT / "docs" / "generate_rulebooks.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_json_that_is_older_than_its_rulebook_is_passed_over(tmp_path):
    path = tmp_path / "x.toml"
    path.write_text(f"{HEAD}{RULE}check.required = 'a'\n", encoding="utf-8")
    (tmp_path / "parsed").mkdir()
    (tmp_path / "parsed" / "x.json").write_text(
        json.dumps({"files": {"x.toml": 1}, "identity": {"id": "old"}, "rules": []}), encoding="utf-8"
    )
    assert read_rulebook(path).id == "x"


def test_no_toml_is_parsed_for_conventions_that_come_with_zom():
    code = (
        "import sys, zom\nassert 'zom.conventions' not in sys.modules\n"
        "from zom.conventions import conventions\nlist(conventions)\nassert 'tomllib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("name", "home"),
    [
        ("license", "license"),
        ("multiscales", "multiscales.rules"),
        ("proj", "proj"),
        ("spatial", "spatial"),
        ("uom", "uom"),
    ],
)
def test_what_declarations_are_published_with_is_what_the_rulebook_says(name, home):
    module = import_module(f"zom.conventions.{home}")
    published, convention = module.PUBLISHED, vars(module)[name.upper()]
    assert convention.uuid == published.uuid
    assert convention.aliases[:2] == (published.schema_url, published.spec_url)


def test_what_names_cf_is_what_the_rulebook_says():
    assert [each[0]["above"] for each in cf.CF.signs] == [
        {"at": "Conventions", "like": NAMED},
        {"at": "Conventions", "values": [*BARE]},
        {"at": "Conventions", "values": [*map(str, BARE)]},
        {"at": "Conventions[*]", "like": NAMED},
    ]


@pytest.mark.parametrize("convention", conventions.own(), ids=lambda each: each.name)
def test_sentences_fixes_and_links_have_no_words_that_nobody_filled_in(convention):
    texts = [text for rule in convention.rules for text in (rule.text, rule.fix, rule.link) if text]
    assert [text for text in texts if re.search(r"\{[a-z_]*\}", text)] == []


SINCE = """
id = "x"
everywhere = true
[[rule]]
id = "old"
must = "so"
check.required = "a"
[[rule]]
id = "new"
since = "1.10"
must = "so"
check.required = "b"
"""


UNTIL = SINCE.replace('since = "1.10"', 'since = "1.10"\nuntil = "2.0"')
OLDER = "a rule since version 1.10; the node follows an older one"
ANOTHER = "a rule since version 1.10 until version 2.0; the node follows another one"


@pytest.mark.parametrize(
    ("rules", "version", "why"),
    [
        (SINCE, "1.9", OLDER),
        (SINCE, "1.10", None),
        (SINCE, "2.0", None),
        (UNTIL, "1.9", ANOTHER),
        (UNTIL, "1.10", None),
        (UNTIL, "1.11", None),
        (UNTIL, "2.0", ANOTHER),
        (UNTIL, "2.1", ANOTHER),
    ],
    ids=lambda value: str(value)[:12].strip(),
)
def test_a_rule_holds_from_the_version_that_made_it_until_the_one_that_took_it_back(
    read, rules, version, why
):
    def followed(node):
        return tuple(map(int, node.root.attributes["version"].split(".")))

    report = zom.validate(
        v3.GroupSpec(attributes={"version": version}), conventions=[read(rules, followed=followed)]
    )
    codes = ["x/old", "x/new"] if why is None else ["x/old"]
    assert [each.code for each in report.of("error")] == codes
    late = next(each for each in report.rules if each.code == "x/new")
    assert dict(late.reasons) == ({} if why is None else {why: 1})


def test_since_takes_what_tells_which_version_is_followed(read):
    with pytest.raises(ExtensionError) as caught:
        read(SINCE)
    assert str(caught.value) == "convention 'x': rule 'new' has since or until: expected followed=, got none"

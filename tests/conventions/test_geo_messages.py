"""What is said of a breach of each rule of the geo conventions: where, expected, found, what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

import zom
from zom.testing.convention_cases import load_cases

HERE = Path(__file__).parent.parent / "conformance" / "conventions"
NAMES = ("zarr-conventions", "multiscales", "spatial", "proj", "license", "uom", "geozarr")
CASES = {
    (case.rule["rule"], case.name): case
    for name in NAMES
    for case in load_cases(HERE / f"{name}.json")
    if case.findings is not None
}

MESSAGES = [
    (
        "zarr-conventions/attributes",
        "null",
        "attributes.zarr_conventions: expected a list, each an object, found null; see the JSON Schema of the convention",
    ),
    (
        "zarr-conventions/attributes",
        "a-uuid-that-is-a-number",
        "attributes.zarr_conventions[0].uuid: expected a string, found 7; see the JSON Schema of the convention",
    ),
    (
        "zarr-conventions/identified",
        "by-name-only",
        "attributes.zarr_conventions[0]: expected at least 1 of uuid, schema_url, spec_url, found none; add the uuid of the convention",
    ),
    (
        "zarr-conventions/fields",
        "a-version",
        'attributes.zarr_conventions[0].version: expected one of uuid, schema_url, spec_url, name, description, found "version"; move the convention\'s metadata to the attributes, next to zarr_conventions',
    ),
    (
        "zarr-conventions/uuid",
        "a-digit-too-many",
        'attributes.zarr_conventions[0].uuid: expected that a uuid has 32 hexadecimal digits, in groups of 8, 4, 4, 4 and 12, found "3bbe438d-df37-49fe-8e2b-739296d46dfb5"; copy the uuid from the convention\'s specification',
    ),
    (
        "zarr-conventions/uuid-lower-case",
        "in-upper-case",
        'attributes.zarr_conventions[0].uuid: expected that a uuid is written in lower case, found "2DC8D146-3932-4E08-8542-06AA0E826508"; write it in lower case',
    ),
    (
        "zarr-conventions/schema-url",
        "a-relative-path",
        'attributes.zarr_conventions[0].schema_url: expected that a schema_url is a URL, found "schema.json"; write the whole URL of the JSON Schema, or leave it out',
    ),
    (
        "zarr-conventions/spec-url",
        "a-title",
        'attributes.zarr_conventions[0].spec_url: expected that a spec_url is a URL, found "Soil convention"; write the whole URL of the specification, or leave it out',
    ),
    (
        "zarr-conventions/with-url",
        "uuid-alone",
        "attributes.zarr_conventions[0]: expected at least 1 of schema_url, spec_url, found none; add the schema_url of the version that you follow",
    ),
    (
        "zarr-conventions/name",
        "without-a-name",
        'attributes.zarr_conventions[0].name: expected a value at "name", found nothing; add a name, such as the key or the prefix of the convention\'s attributes',
    ),
    (
        "zarr-conventions/twice",
        "the-same-entry",
        "attributes.zarr_conventions[1]: expected a convention that is not declared yet, found the convention of entry 0 again; remove one of the two",
    ),
    (
        "zarr-conventions/one-version",
        "another-below",
        '/a: attributes.zarr_conventions[0].schema_url: expected "https://example.com/soil/v1/schema.json", as in /, found "https://example.com/soil/v2/schema.json"; use one version of the convention in the whole hierarchy',
    ),
    (
        "zarr-conventions/version",
        "a-future-version",
        'attributes.zarr_conventions[0].schema_url: expected a schema_url of spatial, such as "https://raw.githubusercontent.com/zarr-conventions/spatial/refs/tags/v0.1/schema.json", found "https://raw.githubusercontent.com/zarr-conventions/spatial/refs/tags/v7/schema.json"; write the schema_url of the version that the attributes follow, or update zom',
    ),
    (
        "zarr-conventions/version",
        "the-url-of-another-convention",
        'attributes.zarr_conventions[0].schema_url: expected a schema_url of multiscales, such as "https://raw.githubusercontent.com/zarr-conventions/multiscales/refs/tags/v0.1/schema.json", found "https://raw.githubusercontent.com/zarr-conventions/spatial/refs/tags/v0.1/schema.json", a URL of spatial; write the schema_url of the version that the attributes follow, or update zom',
    ),
    (
        "zarr-conventions/dead-url",
        "spatial-v1",
        'attributes.zarr_conventions[0].schema_url: expected "https://raw.githubusercontent.com/zarr-conventions/spatial/refs/tags/v0.1/schema.json", found "https://raw.githubusercontent.com/zarr-conventions/spatial/refs/tags/v1/schema.json"; write the schema_url of v0.1',
    ),
    (
        "zarr-conventions/unknown",
        "an-unknown-url",
        'attributes.zarr_conventions[0]: expected a convention that zom knows, found "https://example.com/soil/v1/README.md"; install a package that describes it, if there is one',
    ),
    (
        "zarr-conventions/unknown",
        "a-known-name-and-an-unknown-uuid",
        'attributes.zarr_conventions[0]: expected a convention that zom knows, found "2dc8d146-3932-4e08-8542-06aa0e826508"; the uuid of proj is f17cb550-5864-4468-aeb7-f3180cfb622f',
    ),
    (
        "multiscales/attributes",
        "a-list-of-ome-zarr",
        'attributes.multiscales: expected an object, found [{"version": "0.5"}]; see the JSON Schema of the convention',
    ),
    (
        "multiscales/present",
        "written-otherwise",
        "attributes.multiscales: expected a value at \"multiscales\", found nothing, but 'multiscale'; add multiscales with its layout, or remove the declaration",
    ),
    (
        "multiscales/group-only",
        "on-an-array",
        "node_type: expected a group, found an array; move multiscales to the group that holds the levels",
    ),
    (
        "multiscales/asset-path",
        "from-the-root",
        "attributes.multiscales.layout[0].asset: expected that asset and derived_from are paths relative to the group: no slash at the start or end, no empty parts, no '..', found \"/0\"; write the path from this group, such as '0' or '0/data'",
    ),
    (
        "multiscales/asset-dots",
        "two-dots-within-a-name",
        "attributes.multiscales.layout[0].asset: expected that asset and derived_from do not contain '..', not even within a name, found \"a..b\"; rename the level",
    ),
    (
        "multiscales/asset-exists",
        "no-such-level",
        'attributes.multiscales.layout[1].asset: expected the path of a node of this group, found "2"; known are 0, 1',
    ),
    (
        "multiscales/asset-once",
        "twice",
        'attributes.multiscales.layout[1].asset: expected a value that is listed once, found "0" again; remove one of the two entries',
    ),
    (
        "multiscales/same-kind",
        "a-group-and-an-array",
        "attributes.multiscales.layout[1].asset: expected the path of a group, like /0, found an array; use only groups or only arrays as levels",
    ),
    (
        "multiscales/transform",
        "without",
        'attributes.multiscales.layout[1].transform: expected a value at "transform", found nothing; add transform, such as {"scale": [2.0, 2.0]}',
    ),
    (
        "multiscales/derived-from",
        "a-group-that-is-no-level",
        'attributes.multiscales.layout[1].derived_from: expected one of "0/data", "1/data", found "0"; write the asset of the level from which this one was made',
    ),
    (
        "multiscales/acyclic",
        "a-ring-of-two",
        'attributes.multiscales.layout[0].derived_from: expected a level that is not derived from this one, found "0" from "1" from "0"; remove derived_from from the original level',
    ),
    (
        "multiscales/transform-length",
        "a-number-too-few",
        "attributes.multiscales.layout[1].transform.translation: expected 2 numbers, as elsewhere in the layout, found 1: [0.0]; give one number for each axis",
    ),
    (
        "multiscales/scale-ratio",
        "upside-down",
        "attributes.multiscales.layout[1].transform.scale[0]: expected 2, as /0 has 8 and /1 4, found 0.5; correct scale, derived_from or asset",
    ),
    (
        "multiscales/scale-in-transform",
        "beside-as-in-the-drafts",
        'attributes.multiscales.layout[1].scale: expected no "scale", found [2.0, 2.0]; move them into transform',
    ),
    (
        "multiscales/consolidated",
        "a-level-is-missing",
        'attributes.multiscales.layout[1].asset: expected the path of a node in consolidated_metadata, found "1"; consolidate the metadata again',
    ),
    (
        "multiscales/declaration",
        "a-title-for-name",
        'attributes.zarr_conventions[0].name: expected "multiscales", found "Multiscales Attribute Extension"; copy the declaration from the specification',
    ),
    (
        "multiscales/declaration",
        "no-uuid",
        'attributes.zarr_conventions[0].uuid: expected "d35379db-88df-4056-af3a-620245f8e347", found nothing; copy the declaration from the specification',
    ),
    (
        "spatial/dimensions",
        "missing",
        'attributes[\'spatial:dimensions\']: expected a list of 2 items, each a string, found nothing; write the names of the Y and the X dimension, such as ["y", "x"]',
    ),
    (
        "spatial/bbox",
        "three-dimensions",
        "attributes['spatial:bbox']: expected a list of 4 items, each a number, found [0, 0, 0, 1, 1, 1]; write four numbers, the minima first",
    ),
    (
        "spatial/transform",
        "four-numbers",
        "attributes['spatial:transform']: expected a list of 6 items, each a number, found [1.0, 0.0, 0.0, -1.0]; write the first two rows of the matrix",
    ),
    (
        "spatial/attributes",
        "null",
        "attributes['spatial:transform_type']: expected a string, found null; see the JSON Schema of the convention",
    ),
    (
        "spatial/shape",
        "three-lengths",
        "attributes['spatial:shape']: expected a list of 2 items, each an integer, found [3, 8, 6]; write the lengths of the Y and the X dimension",
    ),
    (
        "spatial/shape-positive",
        "zero",
        "attributes['spatial:shape'][1]: expected a number of at least 1, found 0; write the lengths of the Y and the X dimension",
    ),
    (
        "spatial/registration",
        "the-word-of-geotiff",
        'attributes[\'spatial:registration\']: expected "pixel" or "node", found "PixelIsArea"; write "pixel" if values are for areas, "node" if they are for points',
    ),
    (
        "spatial/layout",
        "a-shape-of-three",
        "attributes.multiscales.layout[1]['spatial:shape']: expected 2 items, found 3: [3, 4, 3]; write them as for an array",
    ),
    (
        "spatial/spelling",
        "a-letter-too-few",
        "attributes['spatial:registraton']: expected a name such as spatial:dimensions, spatial:bbox, spatial:transform_type, spatial:transform, spatial:shape, spatial:registration, found \"spatial:registraton\"; did you mean 'spatial:registration'?",
    ),
    (
        "spatial/layout-declared",
        "only-in-the-levels",
        "attributes.multiscales.layout[0]['spatial:shape']: expected spatial declared in zarr_conventions, found no declaration of it; add spatial to zarr_conventions",
    ),
    (
        "spatial/dimensions-distinct",
        "twice",
        "attributes['spatial:dimensions'][1]: expected a value that is listed once, found \"y\" again; write the name of the Y and that of the X dimension",
    ),
    (
        "spatial/dimension-names",
        "none",
        'dimension_names: expected a value at "dimension_names", found nothing; add dimension_names to the array',
    ),
    (
        "spatial/dimensions-named",
        "in-capitals",
        'attributes[\'spatial:dimensions\'][0]: expected one of "y", "x", found "Y"; did you mean \'y\'?',
    ),
    (
        "spatial/dimensions-of-members",
        "in-capitals",
        'attributes[\'spatial:dimensions\']: expected two of "y", "x", found ["Y", "X"]; did you mean ["y", "x"]?',
    ),
    (
        "spatial/dimensions-of-members",
        "one-that-is-nowhere",
        'attributes[\'spatial:dimensions\']: expected two of "y", "x", found ["y", "lon"]; write the names that the arrays give their dimensions',
    ),
    (
        "spatial/transform-required",
        "none",
        "attributes['spatial:transform']: expected six numbers, as the transform is affine, found nothing; add spatial:transform, or name another spatial:transform_type",
    ),
    (
        "spatial/transform-invertible",
        "all-zero",
        "attributes['spatial:transform']: expected coefficients with a nonzero a*e - b*d, found [0, 0, 0, 0, 0, 0]; correct the coefficients; their order is [a, b, c, d, e, f]",
    ),
    (
        "spatial/transform-order",
        "gdal-s",
        "attributes['spatial:transform']: expected [a, b, c, d, e, f], found [500000.0, 10.0, 0.0, 5000000.0, 0.0, -10.0], which looks like GDAL's order; reorder it as [gt[1], gt[2], gt[0], gt[4], gt[5], gt[3]]",
    ),
    (
        "spatial/transform-known",
        "rpc",
        'attributes[\'spatial:transform_type\']: expected "affine", found "rpc"; check that readers know the type',
    ),
    (
        "spatial/shape-of-array",
        "exchanged",
        "attributes['spatial:shape'][0]: expected 8 for the Y dimension, found 6; write the lengths of the array's Y and X dimension",
    ),
    (
        "spatial/shape-of-array",
        "a-group-s-wrong",
        "attributes['spatial:shape'][1]: expected 6 for the X dimension, as in /red, found 7; write the lengths of the array's Y and X dimension",
    ),
    (
        "spatial/bbox-order",
        "x-exchanged",
        "attributes['spatial:bbox'][2]: expected xmax, at least 60.0, found 0.0; write [xmin, ymin, xmax, ymax]",
    ),
    (
        "spatial/bbox-extent",
        "a-node-grid-taken-for-pixels",
        "attributes['spatial:bbox']: expected [0.0, -1.0, 9.0, 8.0], found [0.0, 0.0, 8.0, 8.0]; derive the bounding box from the transform",
    ),
    (
        "spatial/declaration",
        "a-colon-behind-the-name",
        'attributes.zarr_conventions[0].name: expected "spatial", found "spatial:"; copy the declaration from the specification',
    ),
    (
        "proj/attributes",
        "the-number-alone",
        "attributes['proj:code']: expected a string, found 4326; see the JSON Schema of the convention",
    ),
    (
        "proj/crs",
        "none",
        'attributes: expected at least 1 of proj:code, proj:wkt2, proj:projjson, found none; add the coordinate reference system, such as "proj:code": "EPSG:4326" (proj:epsg belongs to STAC), or remove the declaration',
    ),
    (
        "proj/code",
        "no-authority",
        'attributes[\'proj:code\']: expected that proj:code is an authority and a code, with one colon between them, found "4326"; write it as "EPSG:4326"',
    ),
    (
        "proj/v1-code",
        "of-the-moon",
        "attributes['proj:code']: expected a string such as EPSG:4326, found \"IAU_2015:30100\"; declare v0.1, which allows any code",
    ),
    (
        "proj/v1-one-crs",
        "two",
        "attributes: expected only one of them, found proj:code and proj:wkt2; declare v0.1, which allows several",
    ),
    (
        "proj/wkt2-given",
        "a-code-alone",
        "attributes['proj:wkt2']: expected a value at \"proj:wkt2\", found nothing; add proj:wkt2",
    ),
    (
        "proj/wkt2",
        "wkt1",
        'attributes[\'proj:wkt2\']: expected a string that begins with GEOGCRS[, PROJCRS[ or another keyword of WKT2, found "GEOGCS[\\"WGS 84\\",DATUM[\\"WGS_1984\\"...; export it as WKT2: GEOGCS and PROJCS are WKT1',
    ),
    (
        "proj/projjson-name",
        "nameless",
        "attributes['proj:projjson'].name: expected a value at \"name\", found nothing; export all of it again",
    ),
    (
        "proj/projjson-type",
        "a-datum",
        "attributes['proj:projjson'].type: expected one of the names that are known, found \"GeodeticReferenceFrame\"; give the coordinate reference system, not its datum or a part of it",
    ),
    (
        "proj/spelling",
        "in-capitals",
        "attributes['proj:WKT2']: expected a name such as proj:code, proj:wkt2, proj:projjson, found \"proj:WKT2\"; did you mean 'proj:wkt2'?",
    ),
    (
        "proj/same-crs",
        "another-code",
        "attributes['proj:code']: expected EPSG:4326, as in proj:wkt2, found EPSG:3857; correct the wrong ones: readers prefer proj:wkt2",
    ),
    (
        "proj/moved",
        "as-in-the-examples-of-the-framework",
        "attributes['proj:transform']: expected no \"proj:transform\", found [1.0, 0.0, 0.0, 0.0, -1.0, 90.0]; declare spatial, and write spatial: instead of proj:",
    ),
    (
        "proj/declaration",
        "a-colon-behind-the-name",
        'attributes.zarr_conventions[0].name: expected "proj", found "proj:"; copy the declaration from the specification',
    ),
    (
        "license/attributes",
        "a-text",
        'attributes.license: expected an object, found "MIT"; see the JSON Schema of the convention',
    ),
    (
        "license/present",
        "declared-only",
        'attributes.license: expected a value at "license", found nothing; add license, or remove the declaration',
    ),
    (
        "license/one-form",
        "empty",
        'attributes.license: expected at least 1 of spdx, url, text, file, path, found none; add spdx; write {"spdx": "NONE"} if you grant no license',
    ),
    (
        "license/single",
        "spdx-and-url",
        "attributes.license: expected one form, found spdx and url; keep spdx, if it is one of them",
    ),
    (
        "license/spdx-given",
        "a-url",
        'attributes.license.spdx: expected a value at "spdx", found nothing; write spdx, such as {"spdx": "CC-BY-4.0"}',
    ),
    (
        "license/spdx",
        "a-title",
        'attributes.license.spdx: expected an expression such as MIT OR Apache-2.0, found "Apache License 2.0"; write an identifier from https://spdx.org/licenses, or several with AND, OR and WITH between them',
    ),
    (
        "license/url",
        "http",
        'attributes.license.url: expected that url uses https, found "http://opensource.org/license/mit"; write the https URL of the license\'s text',
    ),
    (
        "license/file",
        "from-the-root",
        'attributes.license.file: expected that file is a relative path: it neither starts nor ends with a slash, found "/LICENSE"; write the path from this node, such as "LICENSE" or "../LICENSE"',
    ),
    (
        "license/path",
        "from-the-root",
        'attributes.license.path: expected that path is a relative path: it neither starts nor ends with a slash, found "/a"; write the path from this node, such as "../a"',
    ),
    (
        "license/path-exists",
        "no-such-node",
        'attributes.license.path: expected the path of a node with a license, found "b", where no node exists; write the path of a group or array that declares and has a license',
    ),
    (
        "license/path-exists",
        "a-node-without-a-license",
        'attributes.license.path: expected the path of a node with a license, found "a", which has no license; write the path of a group or array that declares and has a license',
    ),
    (
        "license/path-cycle",
        "to-itself",
        "attributes.license.path: expected a path to a license, found / to /; give the license itself at one of the nodes",
    ),
    (
        "license/rootward",
        "above",
        'attributes.license.file: expected that file and path do not lead upwards: such a path does not resolve if only a part of the hierarchy is opened, found "../LICENSE"; repeat the license at the node',
    ),
    (
        "license/declaration",
        "one-s-own-description",
        'attributes.zarr_conventions[0].description: expected "License specifier for Zarr data", found "MIT"; copy the declaration from the specification',
    ),
    (
        "uom/attributes",
        "a-text",
        'attributes.uom: expected an object, found "kg"; see the JSON Schema of the convention',
    ),
    (
        "uom/present",
        "declared-only",
        'attributes.uom: expected a value at "uom", found nothing; add uom, or remove the declaration',
    ),
    (
        "uom/array-only",
        "on-a-group",
        "node_type: expected an array, found a group; move uom to each of the arrays",
    ),
    (
        "uom/unit-text",
        "null",
        "attributes.uom.ucum.unit: expected a string, found null; leave unit out if it is arbitrary",
    ),
    (
        "uom/unit",
        "as-udunits-has-it",
        'attributes.uom.ucum.unit: expected a unit such as m/s, kg.m-3 or Cel, found "m s-1"; see https://ucum.org/ucum',
    ),
    (
        "uom/unit-spelling",
        "the-celsius-of-udunits",
        'attributes.uom.ucum.unit: expected "Cel" for "degC", found "degC"; write "Cel"',
    ),
    (
        "uom/numeric",
        "true-and-false",
        "data_type: expected a numeric data type, found bool; remove uom, or store numbers",
    ),
    (
        "uom/declaration",
        "one-s-own-description",
        'attributes.zarr_conventions[0].description: expected "Units of measurement for Zarr arrays", found "mass"; copy the declaration from the specification',
    ),
    (
        "geozarr/pixel-size",
        "not-scaled",
        "attributes.multiscales.layout[1]['spatial:transform'][0]: expected a cell of 20.0, 2 times that of \"r10m\", found 10.0; correct spatial:transform or scale",
    ),
    (
        "geozarr/origin",
        "by-half-a-cell",
        "attributes.multiscales.layout[1]['spatial:transform'][2]: expected 500000.0, as for \"r10m\", found 500005.0; copy c and f of spatial:transform from the source, or add the translation",
    ),
    (
        "geozarr/translation",
        "between-centres",
        'attributes.multiscales.layout[1].transform.translation: expected [0.0, 0.0], as the origin is that of "r10m", found [0.5, 0.5]; write [0.0, 0.0], as cells keep their corner',
    ),
    (
        "geozarr/level-placed",
        "no-transform",
        "attributes.multiscales.layout[1]['spatial:transform']: expected a value at \"spatial:transform\", found nothing; add them to the level",
    ),
    (
        "geozarr/level-shape",
        "one-off",
        "attributes.multiscales.layout[1]['spatial:shape'][0]: expected 6, as in /r20m/ar, found 7; write the lengths of the Y and the X dimension",
    ),
    (
        "geozarr/scale-axes",
        "three-for-two",
        "attributes.multiscales.layout[1].transform.scale: expected 2 numbers, for Y and X, found 3: [2.0, 2.0, 1.0]; write one number for Y and one for X",
    ),
    (
        "geozarr/bbox-extent",
        "as-in-the-example-of-proj",
        "attributes['spatial:bbox']: expected [500000.0, 5000000.0, 500120.0, 5000120.0], found [500000.0, 4900000.0, 600000.0, 5000120.0]; derive the bounding box from the finest level",
    ),
]


@pytest.mark.parametrize(
    ("rule", "name", "message"), MESSAGES, ids=[f"{rule}-{name}" for rule, name, _ in MESSAGES]
)
def test_a_breach_is_told_in_one_line(rule, name, message):
    case = CASES[rule, name]
    report = zom.validate(case.document, conventions=[case.convention], profile=case.profile)
    every = (*report, *report.resting)
    assert str(next(problem for problem in every if problem.code == rule)) == message


def test_every_rule_has_its_message_asserted():
    assert {rule for rule, _, _ in MESSAGES} == {rule for rule, _ in CASES}

"""FastAPI reads, writes and describes specs."""

from __future__ import annotations

import json
import warnings
from typing import Annotated, Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from zom import v2, v3

fastapi = pytest.importorskip("fastapi", reason="pip install fastapi httpx")
pytest.importorskip("httpx", reason="pip install fastapi httpx")


class Job(BaseModel):
    name: str
    spec: v3.GroupSpec
    others: list[v2.ArraySpec | v3.ArraySpec] = []


class Tree(v3.GroupSpec):
    members: dict[str, Tree | v3.ArraySpec]


Either = Annotated[v3.ArraySpec | v3.GroupSpec, Field(discriminator="node_type")]
Format = Annotated[v3.ArraySpec | v2.ArraySpec, Field(discriminator="zarr_format")]
ARRAY = v3.ArraySpec.build(shape=(3,), dtype="int8").to_dict()
OLD = v2.ArraySpec.build(shape=(3,), dtype="int8").to_dict()
GROUP = {**v3.GroupSpec().to_dict(), "members": {"a": ARRAY}}
BODIES: dict[str, tuple[Any, Any, list[list[Any]]]] = {
    "/job": (Job, {"name": "x", "spec": GROUP, "others": [ARRAY]}, [["spec", "members", "a", "shape", 0]]),
    "/array": (v3.ArraySpec, ARRAY, [["shape", 0]]),
    "/tree": (Tree, {**GROUP, "members": {"t": GROUP}}, [["members", "t", "members", "a", "shape", 0]]),
    "/either": (Either, ARRAY, [["array", "shape", 0]]),
    "/format": (Format, OLD, [[2, "shape", 0]]),
}


@pytest.fixture(scope="module")
def client() -> Any:
    app = fastapi.FastAPI()
    for path, (kind, _, _) in BODIES.items():

        def answer(body: Any) -> Any:
            return body

        answer.__annotations__ = {"body": kind, "return": kind}
        app.post(path)(answer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the client, which asks for another httpx
        from fastapi.testclient import TestClient

        return TestClient(app)


@pytest.mark.parametrize("path", BODIES)
def test_a_body_comes_back_as_it_was_sent(client: Any, path: str) -> None:
    body = BODIES[path][1]
    answer = client.post(path, json=body)
    assert (answer.status_code, answer.json()) == (200, body)


@pytest.mark.parametrize("path", BODIES)
def test_a_refused_body_has_an_entry_for_each_problem(client: Any, path: str) -> None:
    _, body, places = BODIES[path]
    answer = client.post(path, json=json.loads(json.dumps(body).replace('"shape": [3]', '"shape": [-3]', 1)))
    assert answer.status_code == 422
    assert [error["loc"] for error in answer.json()["detail"]] == [["body", *place] for place in places]


@pytest.mark.parametrize("path", BODIES)
def test_openapi_describes_bodies_with_the_schemas_of_zom(client: Any, path: str) -> None:
    document = client.get("/openapi.json").json()
    content = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    judge = Draft202012Validator({**content["schema"], "components": document["components"]})
    body = BODIES[path][1]
    assert judge.is_valid(body)
    assert not judge.is_valid(json.loads(json.dumps(body).replace('"shape": [3]', '"shape": [-3]')))


def test_openapi_names_each_definition_once(client: Any) -> None:
    names = client.get("/openapi.json").json()["components"]["schemas"].keys()
    assert {"V3Array", "V3Group", "V2Array", "V3Codec"} <= names
    assert [name for name in names if name.startswith("zom__")] == []

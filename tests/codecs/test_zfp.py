from __future__ import annotations

import pytest


def judged(chain, configuration, lengths=(4, 4), data_type="float32"):
    return chain([{"name": "zfp", "configuration": configuration}], lengths, data_type)


@pytest.mark.parametrize(
    "configuration",
    [
        {"mode": "reversible"},
        {"mode": "expert", "minbits": 1, "maxbits": 16, "maxprec": 8, "minexp": -4},
        {"mode": "fixed_accuracy", "tolerance": 0.05},
        {"mode": "fixed_rate", "rate": 8},
        {"mode": "fixed_precision", "precision": 10},
    ],
)
def test_each_mode_has_its_parameters(chain, configuration):
    assert judged(chain, configuration).faults == []


def test_missing_and_foreign_parameters_are_each_a_fault(chain):
    verdict = judged(chain, {"mode": "fixed_rate", "tolerance": 1.0, "precision": 3})
    assert verdict.codes == ["codec/zfp-parameters"] * 3
    assert [place[-1] for place in verdict.places] == ["rate", "tolerance", "precision"]
    assert verdict.said == [
        ('a number, for mode "fixed_rate"', "nothing"),
        ('only mode, rate for mode "fixed_rate"', '"tolerance"'),
        ('only mode, rate for mode "fixed_rate"', '"precision"'),
    ]


@pytest.mark.parametrize("data_type", ["bool", "complex64", "string"])
def test_only_real_numbers_are_compressed(chain, data_type):
    verdict = judged(chain, {"mode": "reversible"}, (4,), data_type)
    assert verdict.codes == ["codec/zfp-type"]
    assert verdict.said == [("an integer or float data type", f'the data type "{data_type}"')]


def test_five_dimensions_are_too_many(chain):
    assert judged(chain, {"mode": "reversible"}, (1, 1, 2, 2)).faults == []
    verdict = judged(chain, {"mode": "reversible"}, (1, 1, 1, 2, 2))
    assert verdict.codes == ["codec/zfp-rank"]
    assert verdict.said == [("a chunk of at most 4 dimensions", "5 dimensions")]
    assert verdict.faults[0].fix == "put the reshape codec before it"

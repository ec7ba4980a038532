"""Each broken model gets the finding that names its mistake, and nothing that is not so."""

import pytest

import onnx_explorer as ox
from tests.broken.gallery import EXPECTED, GALLERY
from tests.golden.dump_findings import PAGE, page


@pytest.mark.parametrize("name", GALLERY)
def test_the_mistake_is_found_where_it_was_made(name):
    expected, report = EXPECTED[name], ox.check(GALLERY[name]())
    found = [d for d in report if (d.code, d.node) == (expected.code, expected.node)]
    assert found, f"{expected.code} at {expected.node!r} is not in\n{report}"
    for text in expected.says:
        assert text in str(found[0])
    assert expected.repair in "; ".join(found[0].repairs)
    assert (found[0].cause.node if found[0].cause else "") == expected.cause


def test_the_gallery_has_a_model_for_most_codes():
    from onnx_explorer.checker.codes import CODES

    # These need a damaged file, a fault of this package, or one more model of a kind that is here.
    assert len(GALLERY) >= 40
    assert len({expected.code for expected in EXPECTED.values()}) > len(CODES) / 2


def test_the_page_of_findings_is_up_to_date():
    assert page() == PAGE.read_text(), "python -m tests.golden.dump_findings writes it"

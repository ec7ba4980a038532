"""The words of the pages are our own: no run of 12 words in common with onnx's documentation."""

import re
from collections import defaultdict

import pytest
from onnx import defs

from onnx_explorer.ops._index import INDEX
from onnx_explorer.ops.registry import operator

RUN = 12


def runs(text):
    words = re.findall(r"[a-z0-9_]+", text.lower())
    return {tuple(words[i : i + RUN]) for i in range(len(words) - RUN + 1)}


def their_texts():
    texts = defaultdict(list)
    for schema in defs.get_all_schemas_with_history():
        ports = [*schema.inputs, *schema.outputs, *schema.attributes.values()]
        texts[schema.domain, schema.name] += [schema.doc, *(p.description for p in ports)]
    return texts


THEIRS = {key: set().union(*map(runs, texts)) for key, texts in their_texts().items()}


@pytest.mark.parametrize(("domain", "name"), sorted(INDEX))
def test_no_sentence_is_that_of_onnx(domain, name):
    page = operator(name, domain)
    ours = [page.doc]
    for version in page.versions:
        schema = page.schema(version)
        ours += [schema.doc, schema.reason]
        ours += [d.doc for d in (*schema.inputs, *schema.outputs, *schema.attributes.values())]
    shared = set().union(*map(runs, ours)) & THEIRS[domain, name]
    assert not shared, " ".join(next(iter(shared)))


def test_a_shared_run_would_be_found():
    text = defs.get_schema("Reshape").doc
    assert runs(f"Before it. {text}") & THEIRS["", "Reshape"]

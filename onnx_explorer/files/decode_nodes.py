"""Nodes from the wire format: a model has thousands, mostly written in one way, which has a reader of
its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from onnx_explorer.files import limits
from onnx_explorer.files.attributes import has_graph
from onnx_explorer.files.devices import read_placement
from onnx_explorer.files.drafts import NodeDraft
from onnx_explorer.files.memo import Memo, Metadata
from onnx_explorer.files.wire import LENGTH, Buffer, Malformed, read_field, read_varint, text_of
from onnx_explorer.ir import Attribute, Node, NodeDevices
from onnx_explorer.ir.tensor import NO_METADATA

_INPUT, _OUTPUT, _NAME, _OPERATOR, _ATTRIBUTE, _DOC, _DOMAIN, _OVERLOAD, _METADATA, _DEVICES = (
    number << 3 | LENGTH for number in range(1, 11)
)
NO_ATTRIBUTES: Mapping[str, Attribute] = MappingProxyType({})


class NodeReader(ABC):
    """Reads the NodeProtos of a buffer; how attributes are read is left to a subclass."""

    __slots__ = ("_buffer", "_memo")

    def __init__(self, buffer: Buffer, memo: Memo) -> None:
        self._buffer = buffer
        self._memo = memo

    @abstractmethod
    def _attributes(self, spans: list[tuple[int, int]]) -> Mapping[str, Attribute]:
        """The attributes of a node."""

    def _nodes(self, start: int, limit: int, node_tag: int, read: list[Node]) -> int:
        """Add the NodeProtos that follow each other from `start` on; returns where they end."""
        whole, large = self._buffer, limits.WINDOW_BYTES // 4
        while start < limit and whole[start] == node_tag:
            if read_varint(whole, start + 1)[0] > large:
                start = self._node_at(start, limit, read)
                continue
            window = whole[start : min(limit, start + limits.WINDOW_BYTES)]
            taken = self._run(window, start, node_tag, read)
            start = start + taken if taken else self._node_at(start, limit, read)
        return start

    def _run(self, window: bytes, base: int, node_tag: int, read: list[Node]) -> int:
        """Add the nodes at the beginning of a window that stands at `base` of the buffer; returns
        where the first one begins that is not all in it.

        This reads what nearly all nodes are: fields in order, names of few letters in ASCII. One
        loop for all, since calls would cost as much as the rest, and slices of a text that is
        decoded once, since to decode each name would, too.
        """
        text, size_of_all = window.decode("latin-1"), len(window)
        tails, short = self._memo.tails, limits.SHORT_NODE_BYTES
        add = read.append
        begin = 0
        while begin + 3 < size_of_all and window[begin] == node_tag:
            size, start = window[begin + 1], begin + 2
            if size > 0x7F:
                size, start = size + (window[start] << 7) - 0x80, start + 1
            end = start + size
            if size > 0x3FFF or end > size_of_all:
                break
            position = start
            inputs: list[str] = []
            outputs: list[str] = []
            draft: Any = NodeDraft()
            try:
                while window[position] == _INPUT and position < end:
                    stop = position + 2 + window[position + 1]
                    inputs.append(text[position + 2 : stop])
                    position = stop
                while window[position] == _OUTPUT:
                    stop = position + 2 + window[position + 1]
                    outputs.append(text[position + 2 : stop])
                    position = stop
                if window[position] == _NAME:
                    stop = position + 2 + window[position + 1]
                    draft.name = text[position + 2 : stop]
                    position = stop
                else:
                    draft.name = ""
                # Lengths of more than one byte, as letters that are not ASCII, show up here.
                usual = window[position] == _OPERATOR and text[start:position].isascii()
                known = tails.get(window[position:end]) if end - position < short else None
                if not usual or position > end:
                    done = False
                elif known is not None:
                    draft.op_type, draft.attributes, draft.domain = known
                    draft.metadata, done = NO_METADATA, True
                else:
                    done = self._tail(draft, window, base, position, end)
            except (IndexError, Malformed):
                done = False  # read again, what is wrong is told
            if not done:
                begin = self._node_at(base + begin, base + size_of_all, read) - base
                continue
            draft.inputs = tuple(inputs)
            draft.outputs = tuple(outputs)
            draft.overload = draft.doc = ""
            draft.devices = ()
            draft.__class__ = Node
            add(draft)
            begin = end
        return begin

    def _tail(self, draft: Any, window: bytes, base: int, start: int, end: int) -> bool:
        """Fill in what a node says from its operator on; False where it does so in an unusual way."""
        position = start + 2 + window[start + 1]
        while position < end and window[position] == _ATTRIBUTE:
            size, position = window[position + 1], position + 2
            if size > 0x7F:
                size, position = read_varint(window, position - 1)
            position += size
        if position < end and window[position] == _DOC and window[position + 1] == 0:
            position += 2  # written, but empty
        if position < end and window[position] == _DOMAIN:
            position += 2 + window[position + 1]
        first = position
        while position < end and window[position] == _METADATA:
            size, position = window[position + 1], position + 2
            if size > 0x7F:
                more = window[position]
                if more > 0x7F:
                    size, position = read_varint(window, position - 1)
                else:
                    size, position = size + (more << 7) - 0x80, position + 1
            position += size
        if position != end:
            return False
        body = window[start:first]
        known = self._memo.tails.get(body)
        if known is None:
            before = self._memo.external
            node = self._node(base + start, base + first)
            known = node.op_type, node.attributes, node.domain
            outside = self._memo.external > before or any(map(has_graph, node.attributes.values()))
            if not outside and len(body) <= limits.SMALL_MESSAGE_BYTES:
                self._memo.tails[body] = known
        draft.op_type, draft.attributes, draft.domain = known
        draft.metadata = Metadata(window[first:end]) if first < end else NO_METADATA
        return True

    def _node_at(self, after: int, limit: int, read: list[Node]) -> int:
        """Add the node whose field begins at `after`, however it is written; returns its end."""
        buffer = self._buffer
        size, start = read_varint(buffer, after + 1)
        end = start + size
        if end > limit:
            raise Malformed("a node runs past the end of its graph", start, end - limit)
        try:
            read.append(self._node(start, end))
        except Malformed as error:
            error.place.append(f"node {len(read)}")
            raise
        return end

    def _node(self, position: int, end: int) -> Node:
        buffer, texts = self._buffer, self._memo.texts
        names: dict[int, list[str]] = {_INPUT: [], _OUTPUT: []}
        last: dict[int, bytes] = {}
        attributes: list[tuple[int, int]] = []
        metadata: list[bytes] = []
        devices: list[NodeDevices] = []
        while position < end:
            begin = position
            number, wire, start, position = read_field(buffer, begin, end)
            tag = number << 3 | LENGTH
            if wire != LENGTH or tag > _DEVICES:
                continue
            if tag in names:
                names[tag].append(text_of(buffer[start:position]))
            elif tag == _ATTRIBUTE:
                attributes.append((start, position))
            elif tag == _METADATA:
                metadata.append(buffer[begin:position])
            elif tag == _DEVICES:
                devices.append(read_placement(buffer[start:position]))
            else:
                last[tag] = buffer[start:position]
        return Node(
            op_type=texts[last.get(_OPERATOR, b"")],
            inputs=tuple(names[_INPUT]),
            outputs=tuple(names[_OUTPUT]),
            attributes=self._attributes(attributes) if attributes else NO_ATTRIBUTES,
            domain=texts[last.get(_DOMAIN, b"")],
            name=text_of(last.get(_NAME, b"")),
            overload=texts[last.get(_OVERLOAD, b"")],
            doc=text_of(last.get(_DOC, b"")),
            metadata=Metadata(b"".join(metadata)) if metadata else NO_METADATA,
            devices=tuple(devices),
        )

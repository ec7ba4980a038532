"""Every limit that reading and writing of files keeps to."""

MAX_GRAPH_DEPTH = 32
"""Graphs inside graphs. protobuf itself stops at 100 nested messages, which is 33 graphs."""

MAX_PROTOBUF_BYTES = 2**31 - 1
"""The largest message that protobuf implementations read, so the largest file worth writing."""

MAX_RANK = 64
"""Axes of a tensor: what numpy can hold."""

MAX_ELEMENTS = 2**48
"""Elements of a tensor; more cannot be addressed, whatever its dims say."""

WHOLE_READ_BYTES = 2 * 2**20
"""Files below this are read into memory: faster than mapping them, and nothing can change them."""

SMALL_MESSAGE_BYTES = 1024
"""Messages up to this size are copied, and remembered by their bytes. Larger ones stay in place."""

SHORT_NODE_BYTES = 256
"""Nodes with fewer bytes from their operator on are looked up by all of them: they have no metadata."""

WINDOW_BYTES = 1 << 15
"""Piece of a file that is copied to read the nodes in it; a copy is quicker to index than a map."""

EXTERNAL_BYTES = 1024
"""Tensors from this size on go into the data file when a model is saved with one."""

EXTERNAL_ALIGNMENT = 4096
"""Each tensor of a data file starts on a page, so that it can be mapped by itself."""

COPY_BYTES = 8 * 2**20
"""Piece in which payloads are hashed."""

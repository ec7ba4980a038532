"""`python -m onnx_explorer`: the `onnx-explorer` command where scripts are not on the path."""

import sys

from onnx_explorer.cli import main

sys.exit(main())

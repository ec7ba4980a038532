"""What is drawn of a model, as data: the scene, its folding, and static pictures of it."""

from onnx_explorer.view.drawing import scene_of
from onnx_explorer.view.fold import Folding, fold
from onnx_explorer.view.scene import Box, Edge, Group, Initializer, Scene

__all__ = ["Box", "Edge", "Folding", "Group", "Initializer", "Scene", "fold", "scene_of"]

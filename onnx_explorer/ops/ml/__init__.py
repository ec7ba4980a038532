"""Operators of the domain ai.onnx.ml: encoders of features, linear models, support vector machines
and ensembles of trees.
"""

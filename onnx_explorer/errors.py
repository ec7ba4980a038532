"""The exceptions of the package: one root, one class per stage of the work."""


class ExplorerError(ValueError):
    """Root of everything that the package raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        # Pickled as it stands: `__init__` may take other arguments than the message.
        return type(self).__new__, (type(self), *self.args), self.__dict__


class ModelError(ExplorerError):
    """A model that cannot be read, written or built."""


class SchemaError(ExplorerError):
    """An operator, a version or an operator definition that is not as it must be."""


class InferenceError(ExplorerError):
    """A violation that type and shape inference found."""


class EvaluationError(ExplorerError):
    """A run that cannot start, or a node that failed while it ran."""

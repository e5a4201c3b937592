"""Exported weights behind scikit-learn's interface."""
import os

import perceptron_weights

from .examples import rows_of

try:
    from sklearn.base import BaseEstimator, ClassifierMixin

    _BASES = (ClassifierMixin, BaseEstimator)
except ImportError:  # the methods are the same without it
    _BASES = (object,)


class PerceptronClassifier(*_BASES):
    """A classifier that the engine has trained: methods of scikit-learn, labels and scores of the engine.

    weights: what Model.weights() returns, or a file of `perceptron weights export --format json`

    Rows are those of Model.send: a DataFrame, an array, a sparse matrix, a list of dicts; each is predicted by itself, in
    Python. Needs NumPy.
    """

    def __init__(self, weights):
        self.weights = weights

    def fit(self, X=None, y=None):
        """Changes nothing: the engine learns. Pipelines call it."""
        self._model()
        return self

    @property
    def classes_(self):
        import numpy

        return numpy.array(self._model().labels)

    def predict(self, X):
        import numpy

        model = self._model()
        return numpy.array([model.predict(row).label for row in rows_of(X)])

    def decision_function(self, X):
        """Two classes: score minus threshold, from 0 on classes_[1]; more: a column of scores for each class."""
        import numpy

        model = self._model()
        if model.has_class_scores:
            return numpy.array([model.scores(row) for row in rows_of(X)])
        return numpy.array([model.predict(row).score - model.threshold for row in rows_of(X)])

    def score(self, X, y, sample_weight=None):
        """Share of the rows that are predicted right."""
        import numpy

        return float(numpy.average(self.predict(X) == numpy.asarray(y), weights=sample_weight))

    def __sklearn_is_fitted__(self):
        return True

    def _model(self):
        if not isinstance(self.weights, (str, os.PathLike)):
            return self.weights
        # not loaded in __init__: scikit-learn's clone() must find there what it was given
        if getattr(self, "_loaded", (None,))[0] != self.weights:
            self._loaded = (self.weights, perceptron_weights.load(self.weights))
        return self._loaded[1]

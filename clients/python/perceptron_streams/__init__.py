"""Models of perceptron-streams: examples in, predictions and mistakes out, weights to take along.

    from perceptron_streams import Model

    with Model("loans") as model:
        ids = model.send(frame, labels="paid")
        for prediction in model.predictions(len(ids)):
            print(prediction["exampleId"], prediction["label"], prediction["score"])
"""
from perceptron_weights import Model as Weights

from .classifier import PerceptronClassifier
from .examples import InvalidExample
from .kafka import KafkaError
from .model import Model

__all__ = ["InvalidExample", "KafkaError", "Model", "PerceptronClassifier", "Weights"]

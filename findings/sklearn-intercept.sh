#!/usr/bin/env bash
# The intercept of scikit-learn's SGDClassifier depends on how its rows arrive. With average=True row by row is another model than
# one call of partial_fit: each call begins with the training intercept at 0. And a sparse matrix of the same rows is another model
# than a dense one: its steps of the intercept are a hundredth. Needs Debian's repository (bookworm), python3-numpy and python3-scipy;
# downloads the package, and does not install it.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get -q download python3-sklearn=1.2.1+dfsg-1 python3-sklearn-lib=1.2.1+dfsg-1 python3-joblib python3-threadpoolctl >/dev/null 2>&1
for package in ./*.deb; do dpkg -x "$package" root; done
cat >finding.py <<'PYTHON'
import numpy as np
import scipy.sparse
import sklearn
from sklearn.linear_model import SGDClassifier

# four rows of one feature, with classes that need an intercept
X = np.array([[1.0], [2.0], [3.0], [4.0]] * 5)
y = np.array([0, 0, 1, 1] * 5)


def intercept(average, rows, form=np.asarray):
    model = SGDClassifier(loss="log_loss", penalty=None, learning_rate="constant", eta0=0.5, shuffle=False, average=average)
    for begin in range(0, len(X), rows):
        model.partial_fit(form(X[begin : begin + rows]), y[begin : begin + rows], classes=[0, 1])
    return model.intercept_[0]


print(f"scikit-learn {sklearn.__version__}")
for average in (False, True):
    print(f"average={average}: intercept after one call {intercept(average, 20):.4f}, row by row {intercept(average, 1):.4f}")
sparse = intercept(False, 20, scipy.sparse.csr_matrix)
print(f"average=False: intercept from a dense matrix {intercept(False, 20):.4f}, from a sparse one {sparse:.4f}")
assert not np.isclose(intercept(False, 20), sparse), "the behaviour has changed"
assert np.isclose(intercept(False, 20), intercept(False, 1)), "the behaviour has changed"
assert not np.isclose(intercept(True, 20), intercept(True, 1)), "the behaviour has changed"
PYTHON
echo "SGDClassifier.partial_fit: with average=True the result depends on how the same rows are cut into calls, and without it on whether"
echo "they are dense or sparse. A column of ones with fit_intercept=False avoids both."
PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 finding.py

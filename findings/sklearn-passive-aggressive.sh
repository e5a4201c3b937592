#!/usr/bin/env bash
# scikit-learn's PassiveAggressiveClassifier changes its intercept, but leaves the 1 of the intercept out of the length of an example:
# its steps are longer than the shortest one that corrects the example (Crammer et al. 2006), the more the shorter the example is.
# Needs Debian's repository (bookworm), python3-numpy and python3-scipy; downloads the package, and does not install it.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get -q download python3-sklearn=1.2.1+dfsg-1 python3-sklearn-lib=1.2.1+dfsg-1 python3-joblib python3-threadpoolctl >/dev/null 2>&1
for package in ./*.deb; do dpkg -x "$package" root; done
cat >finding.py <<'PYTHON'
import numpy as np
import sklearn
from sklearn.linear_model import PassiveAggressiveClassifier


def margin(length, fit_intercept):
    model = PassiveAggressiveClassifier(C=1e9, fit_intercept=fit_intercept)
    model.partial_fit(np.array([[length]]), [1], classes=[0, 1])
    return model.decision_function([[length]])[0]


print(f"scikit-learn {sklearn.__version__}")
for length in (10.0, 1.0, 0.1):
    print(f"x = {length}: margin {margin(length, False):.2f} without an intercept, {margin(length, True):.2f} with one")
assert np.isclose(margin(0.1, False), 1) and np.isclose(margin(0.1, True), 101), "the behaviour has changed"
PYTHON
echo "PassiveAggressiveClassifier with C so large that each step is whole, after one example of the positive class. By the paper the margin"
echo "is 1 then, with an intercept, too. A column of ones with fit_intercept=False does that."
PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 finding.py

"""The service that kerf serve is measured beside: FastAPI and uvicorn with scikit-learn's
Nystroem map of 500 landmarks and a linear SVM, on a9a."""

import os

import numpy as np
from fastapi import FastAPI, Request
from sklearn.datasets import load_svmlight_file
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

x, y = load_svmlight_file(os.environ["A9A"], n_features=123)
model = make_pipeline(Nystroem(gamma=0.05, n_components=500, random_state=1), LinearSVC(C=1.0))
model.fit(x.toarray(), y)
app = FastAPI()


@app.post("/predict")
async def predict(request: Request):
    rows = np.atleast_2d(np.asarray(await request.json(), dtype=np.float64))
    return {"predictions": [str(int(v)) for v in model.predict(rows)]}

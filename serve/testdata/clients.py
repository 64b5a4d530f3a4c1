"""Asks kerf serve what other servers' clients ask theirs: clients.py HTTP GRPC, two addresses.

Served are the models table (columns age, colour, weight, town) and sparse. It prints "fine"."""

import sys

import numpy as np
import tritonclient.grpc
import tritonclient.http

http, grpc = sys.argv[1:3]
texts = lambda *all: np.array(all, dtype=np.object_)
columns = {
    "age": np.array([30.5, np.nan], dtype=np.float64),
    "colour": texts("red", "deep blue"),
    "weight": np.array([1, -2], dtype=np.float32),
    "town": texts("town 1", ""),
}
kinds = {"age": "FP64", "colour": "BYTES", "weight": "FP32", "town": "BYTES"}
answers = []
for module, address in ((tritonclient.http, http), (tritonclient.grpc, grpc)):
    client = module.InferenceServerClient(address)
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("table")
    assert not client.is_model_ready("nobody")
    about = client.get_model_metadata("table")
    about = about if isinstance(about, dict) else {"name": about.name, "inputs": [{"name": i.name} for i in about.inputs]}
    assert about["name"] == "table" and [i["name"] for i in about["inputs"]] == list(columns), about
    client.get_server_metadata()
    for binary in (True, False):
        inputs = []
        for name, values in columns.items():
            one = module.InferInput(name, list(values.shape), kinds[name])
            if module is tritonclient.http:
                if not binary and name == "age":
                    continue
                one.set_data_from_numpy(values, binary_data=binary)
            else:
                one.set_data_from_numpy(values)
            inputs.append(one)
        if module is tritonclient.http and not binary:
            one = module.InferInput("age", [2], "FP64")
            one.set_data_from_numpy(columns["age"], binary_data=True)
            inputs.append(one)
        wanted = ["label", "scores", "probabilities", "set", "features", "classes"]
        if module is tritonclient.http:
            outputs = [module.InferRequestedOutput(n, binary_data=binary) for n in wanted]
        else:
            outputs = [module.InferRequestedOutput(n) for n in wanted]
        got = client.infer("table", inputs, outputs=outputs, request_id="7")
        answers.append([got.as_numpy(n).astype(str).tolist() if n in ("label", "classes") else got.as_numpy(n).tolist()
                        for n in wanted])
        bare = client.infer("table", inputs)
        assert bare.as_numpy("label").shape == (2,)
    dense = np.zeros((3, 31), dtype=np.float64)
    dense[:, 4] = 1
    one = module.InferInput("x", [3, 31], "FP64")
    one.set_data_from_numpy(dense)
    got = client.infer("sparse", [one], parameters={"first": 1})
    assert got.as_numpy("label").shape == (3,)
    try:
        client.infer("sparse", [one])
    except Exception as e:
        assert "first=1" in str(e), e
    else:
        raise AssertionError("a dense row without its first index was taken")
    client.close()
first = answers[0]
for other in answers[1:]:
    assert [[str(v).replace("b'", "").replace("'", "") for v in one] for one in other] == \
        [[str(v).replace("b'", "").replace("'", "") for v in one] for one in first], (first, other)
print("fine")

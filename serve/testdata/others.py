"""Asks kerf serve what KServe's own clients ask: others.py HTTP GRPC, two addresses.

Served is the model table (columns age, colour, weight, town). It prints "fine"."""

import asyncio
import sys

import numpy as np
from kserve import InferenceGRPCClient, InferenceRESTClient, InferInput, InferRequest
from kserve.inference_client import RESTConfig

http, grpc = sys.argv[1:3]
columns = {
    "age": ("FP64", np.array([30.5, 41.0])),
    "colour": ("BYTES", np.array([b"red", b"deep blue"], dtype=np.object_)),
    "weight": ("FP32", np.array([1, -2], dtype=np.float32)),
    "town": ("BYTES", np.array([b"town 1", b""], dtype=np.object_)),
}


def request(binary):
    inputs = []
    for name, (kind, values) in columns.items():
        one = InferInput(name=name, shape=[2], datatype=kind)
        one.set_data_from_numpy(values, binary_data=binary)
        inputs.append(one)
    return InferRequest(model_name="table", infer_inputs=inputs, request_id="7")


def labels(answer):
    assert answer.model_name == "table" and len(answer.outputs) == 1, answer
    return [v.decode() if isinstance(v, bytes) else str(v) for v in answer.outputs[0].as_numpy().ravel()]


async def main():
    rest = InferenceRESTClient(RESTConfig(protocol="v2"))
    base = f"http://{http}"
    assert await rest.is_server_live(base) and await rest.is_server_ready(base)
    assert await rest.is_model_ready(base, model_name="table")
    answers = [labels(await rest.infer(base, request(binary), model_name="table")) for binary in (False, True)]
    await rest.close()
    client = InferenceGRPCClient(url=grpc)
    assert await client.is_server_live() and await client.is_server_ready() and await client.is_model_ready("table")
    for binary in (False, True):
        answers.append(labels(await client.infer(request(binary))))
    await client.close()
    assert len(answers[0]) == 2 and all(a == answers[0] for a in answers), answers


asyncio.run(main())
print("fine")

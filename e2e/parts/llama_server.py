"""Serve a GGUF file with the real llama.cpp HTTP server: ``python -m e2e.parts.llama_server MODEL PORT``."""

from __future__ import annotations

import signal
import sys

import xllamacpp


def main(model: str, port: int) -> None:
    """Serve until SIGTERM or SIGINT; two slots, metrics and slots endpoints on."""
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx, params.n_parallel, params.n_gpu_layers = 4096, 2, 0
    params.hostnames, params.port = ["127.0.0.1"], port
    params.endpoint_metrics = params.endpoint_slots = True
    params.cpuparams.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    signal.sigwait([signal.SIGTERM, signal.SIGINT])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

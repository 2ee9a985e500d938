"""Real LLM gateways, each with the lab (or any other upstream) registered as its model channel."""

from __future__ import annotations

from e2e.parts.part import Part

KEY = "sk-local-test-only"

LITELLM = Part(
    "LiteLLM", "gateway", ("litellm/bin/litellm",),
    ("@BINARY@", "--config", "@DIR@/config.yaml", "--host", "127.0.0.1", "--port", "@PORT@", "--telemetry", "False"),
    "pip install 'litellm[proxy]'",
    version=("read", "litellm/lib/python3*/site-packages/litellm-[0-9]*.dist-info/METADATA"),
    env={"LITELLM_MASTER_KEY": KEY, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_COLOR": "1"},
    headers={"authorization": f"Bearer {KEY}"},
    files={"config.yaml": """model_list:
  - model_name: "*"
    litellm_params: {model: "openai/*", api_base: "http://@UP@/v1", api_key: none}
litellm_settings: {num_retries: 0, telemetry: false}
@GLOBAL@
"""},
)  # fmt: skip
FORWARD = "general_settings: {forward_client_headers_to_llm_api: true}"

PORTKEY = Part(
    "Portkey", "gateway", ("portkey/node_modules/@portkey-ai/gateway/build/start-server.js",),
    ("node", "@BINARY@", "--port=@PORT@", "--headless"), "npm install @portkey-ai/gateway (and Node.js)",
    env={"NODE_ENV": "production"}, version=("read", "portkey/node_modules/@portkey-ai/gateway/package.json"),
    headers={
        "x-portkey-provider": "openai", "x-portkey-custom-host": "http://@UP@/v1", "authorization": f"Bearer {KEY}",
        "x-portkey-forward-headers": "x-exchange-id",
    },
)  # fmt: skip

FERROGW = Part(
    "ferrogw", "gateway", ("ferrogw/bin/ferrogw",), ("@BINARY@", "serve"), "pip install ferrogw",
    version=("read", "ferrogw/lib/python3*/site-packages/ferrogw-*.dist-info/METADATA"),
    env={
        "GATEWAY_CONFIG": "@DIR@/config.yaml", "MASTER_KEY": KEY, "PORT": "@PORT@", "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": "http://@UP@",
    },
    headers={"authorization": f"Bearer {KEY}"}, model="gpt-4o",
    files={"config.yaml": "strategy: {mode: single}\ntargets: [{virtual_key: openai}]\n"},
)  # fmt: skip

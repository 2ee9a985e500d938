"""FastGPT's named events beside the answer chunks (which are OpenAI's, with blanks)."""

from __future__ import annotations

from typing import Any

from harness.wire.dialects import parts
from harness.wire.sink import Sink
from harness.wire.stream import Kind

TOLD = frozenset(
    {
        "answer", "fastAnswer", "flowNodeStatus", "flowNodeResponse", "flowResponses", "toolCall", "toolParams",
        "toolResponse", "updateVariables", "interactive", "workflowDuration", "chatTitle", "plan", "planStatus",
        "stepTitle", "skillCall", "sandboxStatus", "collectionForm", "topAgentConfig", "workflowBuilderApplied",
        "workflowBuilderVersion", "streamResumePhase", "completed",
    }
)  # fmt: skip
NODES_KEPT = 500
_NODE = (
    "id", "nodeId", "moduleName", "moduleType", "runningTime", "model", "tokens", "inputTokens", "outputTokens",
    "totalPoints", "finishReason", "errorText", "error",
)  # fmt: skip


def event(name: str, obj: Any, sink: Sink) -> Kind:
    """One named event that is no answer chunk. Known ones carry nothing of the answer, tool calls apart."""
    if name in ("toolCall", "toolParams", "flowNodeStatus"):
        sink.work(done=False)
    if name in ("toolCall", "toolParams"):
        return _tool(obj, sink)
    if name == "toolResponse":
        sink.work(done=True)
    elif name == "flowNodeResponse":
        sink.work(done=True)
        _node(obj, sink)
    elif name == "flowResponses":
        for node in obj if isinstance(obj, list) else [obj]:
            _node(node, sink)
        sink.fact("flow_responses_after_done", bool(sink.stream.terminators))
    elif name == "interactive":
        inner = obj.get("interactive") if isinstance(obj, dict) else None
        sink.fact("interactive", str(inner.get("type", "")) if isinstance(inner, dict) else "")
    elif name == "workflowDuration" and isinstance(obj, dict):
        sink.fact("workflow_s", obj.get("durationSeconds"))
    elif name == "chatTitle" and isinstance(obj, dict):
        sink.fact("title", str(obj.get("title", ""))[:200])
    return Kind.EMPTY


def _tool(obj: Any, sink: Sink) -> Kind:
    tool = obj.get("tool") if isinstance(obj, dict) else None
    if not isinstance(tool, dict):
        sink.fault("shape", "tool event without tool")
        return Kind.EMPTY
    ident = str(tool.get("id", ""))[:200]
    part = parts.tool(ident, sink)
    name = tool.get("functionName") or tool.get("toolName")
    if name:
        sink.name(0, part, name, ident)
    params = tool.get("params")
    if isinstance(params, str) and params:
        sink.piece(0, part, params)
        return Kind.TOOL
    return Kind.TOOL if name else Kind.EMPTY


def _node(node: Any, sink: Sink) -> None:
    nodes = sink.stream.facts.setdefault("nodes", [])
    if isinstance(node, dict) and len(nodes) < NODES_KEPT:
        nodes.append({"event": sink.event} | {k: _short(node[k]) for k in _NODE if node.get(k) is not None})


def _short(value: Any) -> Any:
    return value if isinstance(value, int | float | bool) else str(value)[:500]

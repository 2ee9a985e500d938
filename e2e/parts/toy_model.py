"""Write a toy llama model with random weights (a few words and bytes): ``python -m e2e.parts.toy_model OUT``.

It knows nothing and says it fast; what matters is that a real llama.cpp server loads and streams it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import gguf
import numpy as np

WIDTH, LAYERS, FEED_FORWARD, HEADS, CONTEXT = 192, 10, 512, 4, 4096
WORDS = [
    "▁the",
    "▁river",
    "▁and",
    "▁a",
    "▁of",
    "▁to",
    "▁in",
    "▁was",
    "▁it",
    "▁boat",
    "▁water",
    "▁stone",
    "▁tree",
    "▁wind",
    "▁light",
    "▁day",
    "▁night",
    ".",
]
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)


def write_toy_model(path: Path) -> Path:
    """Write the model file (GGUF, about 10 MB) and give its path."""
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *WORDS]
    specials = len(tokens) - len(WORDS)
    random = np.random.default_rng(7)

    def weights(*shape: int) -> np.ndarray:
        return (random.standard_normal(shape) * 0.05).astype(np.float32)

    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_file_type(0)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * specials + [-float(rank) for rank in range(len(WORDS))])
    writer.add_token_types([UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256 + [NORMAL] * len(WORDS))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(True)
    writer.add_chat_template(TEMPLATE)
    ones = np.ones(WIDTH, np.float32)
    output = weights(len(tokens), WIDTH)
    output[:specials] = 0  # words only: bytes would be noise on the screen
    output[specials:] *= 20
    writer.add_tensor("token_embd.weight", weights(len(tokens), WIDTH))
    writer.add_tensor("output_norm.weight", ones)
    writer.add_tensor("output.weight", output)
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"{block}{norm}.weight", ones)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            writer.add_tensor(f"{block}{name}.weight", weights(WIDTH, WIDTH))
        for name in ("ffn_gate", "ffn_up"):
            writer.add_tensor(f"{block}{name}.weight", weights(FEED_FORWARD, WIDTH))
        writer.add_tensor(f"{block}ffn_down.weight", weights(WIDTH, FEED_FORWARD))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


if __name__ == "__main__":
    write_toy_model(Path(sys.argv[1]))

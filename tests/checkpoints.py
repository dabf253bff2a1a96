"""Tiny checkpoints made on the spot: BLOOM as SeqGPT is one, and Llama as a chat model. Random, but seeded.

The weights are drawn widely enough that logits differ clearly from token to token.
"""

import json
from pathlib import Path
from typing import Any, Literal

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from engine.text.protocol import ChatProtocol

Weights = Literal["bin", "safetensors", "both"]

WORDS = """
输入 分类 抽取 输出 积极 消极 正面 负面 体育 财经 科技 娱乐 教育 人名 地名 机构 时间 今天 天气 很好 电影 手机
the a of and to in is it was for on with as at by this that not but have positive negative neutral sports finance
science health politics person place organisation date music travel food good bad great terrible price film phone
"""
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
CHAT = ChatProtocol("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n")


def load_tiny(
    kind: Literal["bloom", "llama"], folder: Path, *, context: int = 1024, dtype: Any = None, prefix_bytes: int = 0
) -> Any:
    """A `CausalLM` over a checkpoint of `make_bloom` or `make_llama`, not warmed up; fp32 unless told otherwise."""
    import torch

    from engine.model.causal_lm import CausalLM, load_causal_lm
    from engine.model.tokens import Tokens
    from engine.text.protocol import SeqGPTProtocol
    from engine.types import ModelInfo

    model, tokenizer = load_causal_lm(folder, device="cpu", dtype=dtype or torch.float32, safetensors=kind == "llama")
    protocol = SeqGPTProtocol() if kind == "bloom" else CHAT
    info = ModelInfo(kind, "local", protocol.name, "cpu", "fp32", model.num_parameters(), context)
    return CausalLM(model, Tokens(tokenizer), protocol, info, prefix_bytes=prefix_bytes)


def make_bloom(folder: Path, *, seed: int = 0, weights: Weights = "bin", with_gen: bool = True) -> Path:
    """A BLOOM of 2 layers, laid out as SeqGPT's repository; unk 0, bos 1, eos 2, pad 3.

    with_gen: whether `[GEN]` is one token of the tokenizer.
    """
    from transformers import BloomConfig, BloomForCausalLM

    tokenizer = _tokenizer(["<unk>", "<s>", "</s>", "<pad>"], ["[GEN]"] if with_gen else [])
    _save_tokenizer(
        folder,
        tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        extra=["[GEN]"] if with_gen else [],
    )
    config = BloomConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=64,
        n_layer=2,
        n_head=4,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=3,
        unk_token_id=0,
        seq_length=1024,
        architectures=["BloomForCausalLM"],
        dtype="float32",
    )
    return _save_model(folder, BloomForCausalLM, config, seed, weights)


def make_llama(
    folder: Path, *, seed: int = 0, weights: Weights = "safetensors", tied: bool = True, context: int = 512
) -> Path:
    """A Llama of 2 layers with grouped keys and a ChatML template; pad 0, <|im_start|> 1, <|im_end|> 2 (the end)."""
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = _tokenizer(["<|endoftext|>", "<|im_start|>", "<|im_end|>"], [])
    _save_tokenizer(
        folder,
        tokenizer,
        bos_token="<|im_start|>",
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        unk_token="<|endoftext|>",
        extra=[],
        chat_template=CHAT_TEMPLATE,
    )
    config = LlamaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=context,
        tie_word_embeddings=tied,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
        architectures=["LlamaForCausalLM"],
        dtype="float32",
    )
    return _save_model(folder, LlamaForCausalLM, config, seed, weights)


def make_kind(folder: Path, kind: str, *, seed: int = 0, weights: Weights = "safetensors", **settings: Any) -> Path:
    """A checkpoint of an architecture of transformers, such as Qwen2, whose norms and biases are drawn too; asked
    plainly.
    """
    import transformers

    tokenizer = _tokenizer(["<pad>", "<s>", "</s>"], [])
    _save_tokenizer(folder, tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", extra=[])
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    sizes = {"vocab_size": tokenizer.get_vocab_size(), "dtype": "float32"} | ids
    config = getattr(transformers, f"{kind}Config")(**(sizes | settings))
    return _save_model(folder, _model_class(kind), config, seed, weights, vectors=True)


def byte_level() -> Tokenizer:
    """The tokenizer of the checkpoints, without control tokens."""
    return _tokenizer([], [])


def backend_over(
    tokenizer: Tokenizer,
    kind: str,
    *,
    more_rows: int = 0,
    context: int = 1024,
    dtype: Any = None,
    **settings: Any,
) -> Any:
    """A `CausalLM`, not warmed up, with any tokenizer and a random model of an architecture, made in memory.

    kind: as in transformers' names, such as Llama. more_rows: rows of the output layer beside one a token.
    """
    import torch
    import transformers

    from engine.model.causal_lm import CausalLM
    from engine.model.tokens import Tokens
    from engine.text.protocol import SeqGPTProtocol
    from engine.types import ModelInfo

    tokenizer.add_special_tokens([AddedToken("</s>", special=True)])
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>", pad_token="</s>")
    if kind == "Llama":
        sizes = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4}
        settings = sizes | {"max_position_embeddings": context} | settings
    ends = dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id"), fast.eos_token_id)
    config = getattr(transformers, f"{kind}Config")(vocab_size=len(fast) + more_rows, **ends, **settings)
    made = _drawn(_model_class(kind), config, 0).to(dtype or torch.float32)
    info = ModelInfo(kind, "local", "seqgpt", "cpu", "fp32", made.num_parameters(), context)
    return CausalLM(made, Tokens(fast), SeqGPTProtocol(generate_token=""), info)


def make_gguf(path: Path, llama: Path) -> Path:
    """The checkpoint of `make_llama` as a GGUF file in float32, as llama.cpp's converter would write it."""
    import gguf
    from safetensors.numpy import load_file

    config = json.loads((llama / "config.json").read_text("utf-8"))
    tokenizer = json.loads((llama / "tokenizer.json").read_text("utf-8"))
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    vocabulary = sorted(tokenizer["model"]["vocab"], key=tokenizer["model"]["vocab"].__getitem__)
    control = {token["content"] for token in tokenizer["added_tokens"]}
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(vocabulary)
    writer.add_token_types([3 if token in control else 1 for token in vocabulary])
    writer.add_token_merges([" ".join(merge) for merge in tokenizer["model"]["merges"]])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(2)
    writer.add_chat_template(CHAT_TEMPLATE)
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    for name, values in load_file(llama / "model.safetensors").items():
        target = _gguf_name(name)
        kind = target.split(".")[-2]
        if kind in heads:  # from halves to pairs, as convert_hf_to_gguf.py's LlamaModel.permute
            half = values.shape[0] // heads[kind] // 2
            rows = values.reshape(heads[kind], 2, half, -1).swapaxes(1, 2).reshape(values.shape)
            writer.add_tensor(target, rows)
        else:
            writer.add_tensor(target, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _gguf_name(name: str) -> str:
    """By gguf's own table of names."""
    import gguf

    table = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, 2)
    found = table.get_name(name, try_suffixes=(".weight",))
    assert found is not None
    return str(found)


def shard(folder: Path, count: int = 2) -> None:
    """Split pytorch_model.bin into `count` files with an index."""
    import torch

    whole = folder / "pytorch_model.bin"
    state = torch.load(whole, weights_only=True)
    names = list(state)
    weight_map: dict[str, str] = {}
    for number in range(count):
        name = f"pytorch_model-{number + 1:05d}-of-{count:05d}.bin"
        part = names[number::count]
        torch.save({key: state[key].clone() for key in part}, folder / name)
        weight_map |= dict.fromkeys(part, name)
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": weight_map}), "utf-8")
    whole.unlink()


def _tokenizer(first: list[str], last: list[str]) -> Tokenizer:
    """Byte-level BPE with all 256 bytes, so that any text comes back; `first` get the lowest ids."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=900,
        show_progress=False,
        special_tokens=first,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    words = WORDS.split()
    texts = [*words, *(f" {word}" for word in words)]
    tokenizer.train_from_iterator(texts * 2, trainer)
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in last])
    return tokenizer


def _save_tokenizer(folder: Path, tokenizer: Tokenizer, *, extra: list[str], **options: Any) -> None:
    from transformers import PreTrainedTokenizerFast

    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        additional_special_tokens=extra,
        padding_side="left",
        clean_up_tokenization_spaces=False,
        **options,
    )
    fast.save_pretrained(folder)
    specials = {key: value for key, value in options.items() if key.endswith("_token")}
    if extra:
        specials["additional_special_tokens"] = extra
    (folder / "special_tokens_map.json").write_text(json.dumps(specials), "utf-8")


def _model_class(kind: str) -> Any:
    import transformers

    heads = ("ForCausalLM", "LMHeadModel")
    short = kind.removesuffix("Text")
    return next(getattr(transformers, short + head) for head in heads if hasattr(transformers, short + head))


def _save_model(folder: Path, kind: Any, config: Any, seed: int, weights: Weights, *, vectors: bool = False) -> Path:
    import torch

    model = _drawn(kind, config, seed, vectors=vectors)
    if weights in {"safetensors", "both"}:
        model.save_pretrained(folder)
    else:
        model.config.save_pretrained(folder)
        model.generation_config.save_pretrained(folder)
    if weights in {"bin", "both"}:
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
    return folder


def _drawn(kind: Any, config: Any, seed: int, *, vectors: bool = False) -> Any:
    """A model with random weights. vectors: whether norms and biases differ from what they are made as."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = kind(config).eval()
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=0.5 if "embed" in name else 0.2)
            elif vectors:
                parameter.data += torch.randn_like(parameter) / 10
    return model

"""The offline model: a frozen multilingual sentence encoder, and a small trained head that finds spans."""

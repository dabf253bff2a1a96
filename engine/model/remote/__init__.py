"""A model behind a server: any that speaks the OpenAI-compatible protocol, reached by its address."""

"""Texts written for training the head: templates and the values that fill them, in Chinese and English."""

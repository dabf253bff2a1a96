"""How the offline model's head is made: texts written for it, public rows, training and evaluation.

A command for people who change the head; the workbench itself never imports it.
"""

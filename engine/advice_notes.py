"""Advice of the Monitor, in English by code: what is odd, with its figures, and what to do.

Part of `messages.NOTES`.
"""

ADVICE_NOTES: dict[str, str] = {
    "advice_leak": "Memory of {where} grows by {per_request} with every request: {total} over {requests} requests. "
    "Kept answers and texts explain {explained} of it, so something holds on to what each request makes. Press "
    "Collect; if memory stays, unload and load the model; if it goes on, restart the workbench.",
    "advice_growth": "Memory of {where} grows by {per_request} with every request: {total} over {requests} requests. "
    "The cause is not known: what kept answers, texts and pages of files take of it cannot be told here. Release the "
    "cache; if memory goes on growing, restart the workbench.",
    "advice_filling": "Memory of {where} grows by {per_request} with every request, as answers and texts that were "
    "read are kept: {kept} by now. It ends at the limits that WORKBENCH_RESULT_CACHE and WORKBENCH_PREFIX_CACHE set.",
    "advice_files": "Memory of {where} grows by {per_request} with every request, as parts of files are read for the "
    "first time: {mapped} by now. The system takes these back when it needs memory: there is nothing to do.",
    "advice_full": "{where}: {share} are in use, {used} of {total}. Load the model in a smaller precision or a "
    "smaller one, or end other programs.",
    "advice_full_batch": "{where}: {share} are in use, {used} of {total}. Try a batch size of {size} in the place of "
    "{current}.",
    "advice_fragmented": "{where}: torch has reserved {reserved}, and tensors took {used} of that at most in the last "
    "{minutes} minutes. Release the cache gives the rest back. If it comes again, start the workbench with "
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True in the environment.",
    "advice_blocked": "{count} requests waited up to {wait} s behind one that ran {seconds} s ({task} {id}, "
    "{characters} characters, {tokens} tokens). Ask for fewer tokens or a shorter text, or ask it in a batch, which "
    "lets others pass.",
    "advice_mixed": "In batches, texts of very different lengths were read together: they fill {filled} of what their "
    "longest would ({texts} texts in {steps} steps). What a model that pads does beyond that is lost: sort the file "
    "by length, or try a batch size of {size}.",
    "advice_cold": "Of {count} requests 95 % took up to {with_cold} ms, but up to {without} ms without the first one "
    "after each load, which makes the model ready. Send a request of your own after a load, so that no user waits for "
    "it.",
    "advice_cache_unused": "None of the last {count} answers had been asked for before, and kept ones take {kept}. "
    "Where that is usual, WORKBENCH_RESULT_CACHE=0 keeps none.",
    "advice_ungrounded": "{count} of {values} values are not in their text: {share} are. Free decoding gives such "
    "values; they are marked in the answers. Look at them before you use them.",
    "advice_failing": "{failed} of the last {count} requests failed, {most} of them with the error {code}. The log "
    "says more.",
}

// The label chips in the browser: shows them, and sends what was typed, moved, edited and removed to Python.
// Every label is put in with textContent: user text is never markup. It makes no request of its own.
const CROSS = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="m6 6 12 12M18 6 6 18"/></svg>';
const LONGEST_PRESS = 1000; // ms
const editors = new WeakMap();

export default function (component) {
  const root = component.parentElement;
  if (!editors.has(root)) editors.set(root, new Chips(root, component));
  const chips = editors.get(root);
  chips.receive(component);
  return () => {
    chips.ended.abort();
    editors.delete(root);
  };
}

class Chips {
  constructor(root, { key, data }) {
    this.root = root;
    this.log = logOf(key);
    this.isNew = true;
    this.seen = data.notice;
    this.items = [];
    this.focused = ""; // the label that Tab goes to
    this.editing = null; // {text, box}
    this.dragged = null; // a label
    this.pressed = false; // a pointer is down somewhere on the page
    this.stale = false; // something is to be drawn that waits for one of the three above
    this.asked = ""; // "undo" or "redo" where its outcome is not here yet
    this.ended = new AbortController();
    this.field = root.querySelector(".field");
    this.list = root.querySelector(".chips");
    this.input = root.querySelector(".add");
    this.live = root.querySelector(".live");
    this.tools = ["undo", "redo", "clear"].map((name) => [name, root.querySelector("." + name)]);
    this.listen();
  }

  receive({ data, setStateValue }) {
    this.data = data;
    this.texts = data.texts;
    const { log } = this;
    this.send = () => setStateValue("edits", { session: log.session, from: log.from, list: [...log.waiting] });
    const moved = acknowledge(log, data);
    if ((moved || this.isNew) && log.waiting.length) this.send(); // new: left over from before a page change
    this.isNew = false;
    this.draw();
    if (data.notice > this.seen && data.merged.length) this.flash(data.merged);
    this.seen = data.notice;
    if (this.asked && !this.isUnsure()) {
      this.say(`${this.texts[this.asked]}: ${fill(this.texts.changed, { count: data.labels.length })}`);
      this.asked = "";
    }
  }

  listen() {
    const { input, field, root } = this;
    for (const [name, button] of this.tools) button.onclick = () => this.useTool(name);
    root.querySelector(".editor").onkeydown = (event) => {
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation(); // Streamlit has hotkeys
    };
    field.onclick = (event) => {
      if (event.target === field || event.target === this.list) input.focus();
    };
    input.onkeydown = (event) => this.onType(event);
    input.oninput = (event) => {
      if (!event.isComposing && endsLabel(input.value)) this.commitTyped();
    };
    input.addEventListener("compositionend", () => {
      if (endsLabel(input.value)) this.commitTyped();
    });
    input.onblur = () => {
      if (document.hasFocus()) this.commitTyped(); // else only the window is left
    };
    input.onpaste = (event) => {
      const pasted = event.clipboardData.getData("text/plain");
      if (!SEPARATOR.test(pasted)) return;
      event.preventDefault();
      const typed = input.value.slice(0, input.selectionStart) + pasted + input.value.slice(input.selectionEnd);
      input.value = "";
      this.add(typed);
    };
    this.listenToPointer();
    this.listenToDrags();
  }

  // Committing on leaving the box makes the field higher. While a button is being pressed nothing may move: the click
  // would miss it.
  listenToPointer() {
    const options = { capture: true, passive: true, signal: this.ended.signal };
    const release = () => {
      clearTimeout(this.releasing);
      this.pressed = false;
      if (this.stale) this.draw();
    };
    document.addEventListener("pointerdown", () => {
      this.pressed = true;
      clearTimeout(this.releasing);
      this.releasing = setTimeout(release, LONGEST_PRESS);
    }, options);
    for (const name of ["pointerup", "pointercancel"]) {
      document.addEventListener(name, () => setTimeout(release), options); // behind the click that follows
    }
  }

  onType(event) {
    if (event.isComposing || event.keyCode === 229) return;
    const empty = this.input.value === "";
    if (event.key === "Enter") this.commitTyped();
    else if (empty && ["Backspace", "ArrowLeft"].includes(event.key)) this.focus(this.items.length - 1);
    else if (empty && event.key === "Home") this.focus(0);
    else {
      if (empty) this.onHistory(event);
      return;
    }
    if (!event.ctrlKey && !event.metaKey) event.preventDefault(); // Ctrl+Enter is Streamlit's too
  }

  onHistory(event) {
    if (!(event.ctrlKey || event.metaKey)) return false;
    const key = event.key.toLowerCase();
    const name = key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" ? "undo" : "";
    if (!name) return false;
    event.preventDefault();
    event.stopPropagation();
    this.useTool(name);
    return true;
  }

  onChip(event, item) {
    if (this.onHistory(event)) return;
    const place = this.items.indexOf(item);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const held = event.ctrlKey || event.metaKey;
    if (held && event.key.toLowerCase() === "c") this.copy();
    else if (held) return;
    else if (step && event.altKey) this.moveTo(item, place + step);
    else if (step === 1 && place === this.items.length - 1) this.input.focus();
    else if (step) this.focus(place + step);
    else if (event.key === "Home") this.focus(0);
    else if (event.key === "End") this.focus(this.items.length - 1);
    else if (event.key === "Delete" || event.key === "Backspace") this.remove(item);
    else if (event.key === "Enter" || event.key === "F2") this.edit(item);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Edits. Each is shown at once, and sent behind those that Python has not seen.

  emit(edit, said = "") {
    if (this.data.disabled) return;
    this.log.seq += 1;
    this.log.waiting.push({ seq: this.log.seq, ...edit });
    this.send();
    for (const chip of this.list.children) chip.flashing = false;
    this.draw();
    this.say(said);
  }

  say(said) {
    this.live.textContent = said === this.live.textContent ? said + "\u00a0" : said; // the same twice is said twice
  }

  commitTyped() {
    const typed = this.input.value;
    this.input.value = "";
    if (MEANT.test(typed)) this.add(typed);
  }

  add(raw) {
    const label = labelOf(raw);
    if (!this.isUnsure() && this.items.some((item) => item.text === label)) {
      this.flash([label]);
      return;
    }
    this.emit({ op: "add", raw }, fill(this.texts.added, { label }));
    this.field.scrollTop = this.field.scrollHeight;
  }

  // Whether only Python knows what the list will be.
  isUnsure() {
    return this.log.waiting.some((edit) => edit.op === "undo" || edit.op === "redo");
  }

  remove(item) {
    if (item.mixed || this.data.disabled) return;
    const place = this.items.indexOf(item);
    const next = this.items[place + 1] ?? this.items[place - 1];
    this.focused = next?.text ?? "";
    this.emit({ op: "remove", label: item.text }, fill(this.texts.removed, { label: item.text }));
    this.focus(this.placeOf(this.focused));
  }

  // before: the label that it is put in front of; null for the end.
  move(item, before) {
    if (item.mixed || before === item.text || this.data.disabled) return;
    this.emit({ op: "move", label: item.text, before });
    this.say(this.placeText(item.text, this.placeOf(item.text)));
  }

  moveTo(item, place) {
    if (place < 0 || place >= this.items.length) return;
    const behind = place > this.items.indexOf(item) ? place + 1 : place;
    this.focused = item.text;
    this.move(item, this.items[behind]?.text ?? null);
    this.focus(place);
  }

  useTool(name) {
    const button = this.tools.find(([tool]) => tool === name)[1];
    if (button.disabled) return;
    if (name !== "clear") this.asked = name;
    this.emit({ op: name }, name === "clear" ? this.texts.cleared : "");
    if (name === "clear") this.input.focus();
  }

  copy() {
    const give = (event) => {
      event.clipboardData.setData("text/plain", this.data.copy);
      event.preventDefault();
    };
    document.addEventListener("copy", give, { capture: true, once: true });
    document.execCommand("copy"); // navigator.clipboard is missing where the page comes over plain HTTP
    document.removeEventListener("copy", give, { capture: true });
    this.say(this.texts.copied);
  }

  edit(item) {
    if (item.mixed || this.data.disabled || this.editing) return;
    const chip = this.list.children[this.items.indexOf(item)];
    const box = document.createElement("input");
    box.value = item.text;
    box.setAttribute("aria-label", item.text);
    this.editing = item;
    const finish = (keep, focus) => {
      if (this.editing !== item) return;
      this.editing = null;
      const typed = box.value.trim();
      chip.label = null; // the next drawing makes it anew
      this.focused = keep && typed ? typed : item.text;
      if (keep && typed !== item.text) this.emit({ op: "edit", label: item.text, raw: typed }, typed);
      else this.draw();
      if (focus) this.focus(Math.max(0, this.placeOf(this.focused)));
    };
    box.onkeydown = (event) => {
      if (event.isComposing || event.keyCode === 229) return;
      if (event.key === "Enter") finish(true, !event.ctrlKey && !event.metaKey);
      else if (event.key === "Escape") finish(false, true);
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    };
    box.onblur = () => {
      if (document.hasFocus()) finish(true, false);
    };
    chip.draggable = false;
    chip.replaceChildren(box);
    box.focus();
    box.select();
  }
}

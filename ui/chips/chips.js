// The label chips in the browser. Python splits typed text and keeps the history; this file shows, moves and sends.
// Every label is put in with textContent: user text is never markup. It makes no request of its own.
const CUT = /[,，、;；\n\r\t]/;
const CROSS = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="m6 6 12 12M18 6 6 18"/></svg>';
const instances = new WeakMap();

export default function (component) {
  const root = component.parentElement;
  let chips = instances.get(root);
  if (!chips) {
    chips = new Chips(root, component.data.ack);
    instances.set(root, chips);
  }
  chips.receive(component);
}

class Chips {
  constructor(root, ack) {
    this.root = root;
    this.seq = ack; // the number of the last edit made here
    this.unseen = []; // the edits that Python has not taken over, each sent until it has
    this.shown = ""; // what the chips were last drawn from
    this.items = []; // {label} as Python has it, or {raw} typed here and not yet split
    this.focused = -1;
    this.editing = -1;
    this.list = root.querySelector(".chips");
    this.input = root.querySelector(".add");
    this.live = root.querySelector(".live");
    this.listen();
  }

  receive({ data, setStateValue }) {
    this.send = (edits) => setStateValue("edits", edits);
    this.texts = data.texts;
    this.twins = new Set(data.twins);
    this.copyText = data.copy;
    this.unseen = this.unseen.filter((edit) => edit.seq > data.ack);
    if (this.unseen.length === 0) {
      this.seq = Math.max(this.seq, data.ack);
      this.items = data.labels.map((label) => ({ label }));
    }
    this.root.querySelector(".title").textContent = this.texts.label;
    this.input.placeholder = this.texts.placeholder;
    this.input.setAttribute("aria-label", this.texts.placeholder);
    this.list.setAttribute("aria-label", this.texts.label);
    for (const [name, on] of [["undo", data.undo], ["redo", data.redo], ["clear", this.items.length > 0]]) {
      const button = this.root.querySelector("." + name);
      button.disabled = !on;
      button.title = this.texts[name];
      button.setAttribute("aria-label", this.texts[name]);
    }
    const fresh = JSON.stringify([this.items, data.twins, this.texts]) !== this.shown;
    if (this.editing < 0 && fresh) this.draw(); // else a rerun would end a drag or a click half-way
  }

  listen() {
    const { input, root } = this;
    for (const name of ["undo", "redo"]) {
      root.querySelector("." + name).onclick = () => this.commitTyped() || this.emit({ command: name });
    }
    root.querySelector(".clear").onclick = () => this.change([], this.texts.clear);
    root.querySelector(".field").onclick = (event) => {
      if (event.target === event.currentTarget) input.focus();
    };
    input.onkeydown = (event) => this.onType(event);
    input.oninput = (event) => {
      if (!event.isComposing && CUT.test(input.value) && !openQuote(input.value)) this.commitTyped();
    };
    input.addEventListener("compositionend", () => {
      if (CUT.test(input.value) && !openQuote(input.value)) this.commitTyped();
    });
    input.onblur = () => this.commitTyped();
    input.onpaste = (event) => {
      const pasted = event.clipboardData.getData("text/plain");
      if (!CUT.test(pasted)) return;
      event.preventDefault();
      const before = input.value.slice(0, input.selectionStart);
      const after = input.value.slice(input.selectionEnd);
      input.value = "";
      this.add(before + pasted + after);
    };
  }

  onType(event) {
    if (event.isComposing || event.keyCode === 229) return;
    const empty = this.input.value === "";
    if (event.key === "Enter") this.commitTyped();
    else if (empty && (event.key === "Backspace" || event.key === "ArrowLeft")) this.focus(this.items.length - 1);
    else if (empty && this.onHistory(event)) return;
    else return;
    if (!event.ctrlKey && !event.metaKey) event.preventDefault();
  }

  onHistory(event) {
    if (!(event.ctrlKey || event.metaKey)) return false;
    const key = event.key.toLowerCase();
    const name = key === "y" || (key === "z" && event.shiftKey) ? "redo" : key === "z" ? "undo" : "";
    if (!name) return false;
    event.preventDefault();
    if (!this.root.querySelector("." + name).disabled) this.emit({ command: name });
    return true;
  }

  onChip(event, place) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (this.onHistory(event)) return;
    if (event.key.toLowerCase() === "c" && (event.ctrlKey || event.metaKey)) {
      navigator.clipboard?.writeText(this.copyText);
    } else if (step && event.altKey) this.move(place, place + step);
    else if (step === 1 && place === this.items.length - 1) this.input.focus();
    else if (step) this.focus(place + step);
    else if (event.key === "Home") this.focus(0);
    else if (event.key === "End") this.focus(this.items.length - 1);
    else if (event.key === "Delete" || event.key === "Backspace") this.remove(place);
    else if (event.key === "Enter" || event.key === "F2") this.edit(place);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Changes. Each makes a new list, shows it at once and sends the whole of it, behind those that Python has not seen.

  commitTyped() {
    const typed = this.input.value;
    this.input.value = "";
    if (typed.trim()) this.add(typed);
    return false;
  }

  add(raw) {
    const twin = this.items.findIndex((item) => text(item) === raw.trim());
    if (twin >= 0) return this.flash(twin);
    this.change([...this.items, { raw }], "+ " + raw);
  }

  remove(place) {
    const gone = text(this.items[place]);
    this.focused = Math.min(place, this.items.length - 2);
    this.change(this.items.filter((_, at) => at !== place), this.texts.remove + " " + gone);
    if (this.focused < 0) this.input.focus();
  }

  move(from, to) {
    if (to < 0 || to >= this.items.length || from === to) return;
    const items = [...this.items];
    items.splice(to, 0, ...items.splice(from, 1));
    this.focused = to;
    this.change(items, `${text(items[to])}, ${to + 1} / ${items.length}`);
  }

  change(items, said) {
    this.items = items;
    this.live.textContent = said;
    this.emit({ items });
    this.draw();
  }

  emit(edit) {
    this.seq += 1;
    this.unseen.push({ seq: this.seq, ...edit });
    this.send([...this.unseen]);
  }

  // Drawing.

  draw() {
    const hadFocus = this.list.contains(this.root.activeElement ?? document.activeElement);
    this.shown = JSON.stringify([this.items, [...this.twins], this.texts]);
    this.list.replaceChildren(...this.items.map((item, place) => this.chip(item, place)));
    if (hadFocus && this.focused >= 0) this.focus(this.focused);
  }

  chip(item, place) {
    const label = text(item);
    const chip = document.createElement("li");
    chip.className = "chip" + ("raw" in item ? " pending" : "") + (this.twins.has(label) ? " twin" : "");
    chip.tabIndex = place === Math.max(0, this.focused) ? 0 : -1;
    chip.draggable = true;
    chip.setAttribute("role", "option");
    chip.setAttribute("aria-label", `${label}, ${place + 1} / ${this.items.length}`);
    const name = document.createElement("span");
    name.className = "name";
    name.textContent = label;
    name.title = this.twins.has(label) ? `${label} – ${this.texts.twins}` : label;
    const cross = document.createElement("button");
    cross.type = "button";
    cross.tabIndex = -1;
    cross.innerHTML = CROSS;
    cross.setAttribute("aria-label", `${this.texts.remove} ${label}`);
    cross.onclick = () => this.remove(place);
    chip.append(name, cross);
    chip.onfocus = () => (this.focused = place);
    chip.onkeydown = (event) => this.onChip(event, place);
    chip.ondblclick = () => this.edit(place);
    this.makeMovable(chip, place);
    return chip;
  }

  makeMovable(chip, place) {
    const before = (event) => {
      const box = chip.getBoundingClientRect();
      return event.clientX < box.left + box.width / 2;
    };
    const clear = () => chip.classList.remove("before", "after");
    chip.ondragstart = (event) => {
      this.dragged = place;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", text(this.items[place]));
    };
    chip.ondragend = () => (this.dragged = undefined);
    chip.ondragover = (event) => {
      if (this.dragged === undefined) return;
      event.preventDefault();
      clear();
      chip.classList.add(before(event) ? "before" : "after");
    };
    chip.ondragleave = clear;
    chip.ondrop = (event) => {
      event.preventDefault();
      clear();
      const from = this.dragged;
      if (from === undefined) return;
      const gap = place + (before(event) ? 0 : 1);
      this.move(from, gap > from ? gap - 1 : gap);
    };
  }

  edit(place) {
    const chip = this.list.children[place];
    const box = document.createElement("input");
    box.value = text(this.items[place]);
    this.editing = place;
    const finish = (keep) => {
      if (this.editing !== place) return;
      this.editing = -1;
      this.focused = place;
      const typed = box.value.trim();
      if (keep && typed !== text(this.items[place])) {
        const items = this.items.map((item, at) => (at === place ? { raw: typed } : item));
        this.change(items.filter((item) => text(item)), typed);
      } else this.draw();
    };
    box.onkeydown = (event) => {
      event.stopPropagation();
      if (event.isComposing || event.keyCode === 229) return;
      if (event.key === "Enter") finish(true), this.focus(Math.min(place, this.items.length - 1));
      if (event.key === "Escape") finish(false), this.focus(place);
    };
    box.onblur = () => finish(true);
    chip.draggable = false;
    chip.replaceChildren(box);
    box.focus();
    box.select();
  }

  focus(place) {
    if (place < 0 || place >= this.items.length) return;
    this.focused = place;
    [...this.list.children].forEach((chip, at) => (chip.tabIndex = at === place ? 0 : -1));
    this.list.children[place].focus();
  }

  flash(place) {
    const chip = this.list.children[place];
    chip.classList.remove("flash");
    void chip.offsetWidth; // restarts the animation
    chip.classList.add("flash");
    this.live.textContent = chip.getAttribute("aria-label");
  }
}

function text(item) {
  return "raw" in item ? item.raw.trim() : item.label;
}

function openQuote(typed) {
  const last = typed.split(CUT).length > 1 ? typed : "";
  return /^\s*"[^"]*$/.test(last) || /[,，、;；]\s*"[^"]*$/.test(last);
}

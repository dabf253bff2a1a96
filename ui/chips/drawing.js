// Drawing and dragging of the chips. A chip's element lives as long as its label is shown, so that a run of the page
// ends neither a click nor the focus half-way.
Object.assign(Chips.prototype, {
  draw() {
    this.drawFrame();
    this.stale = this.pressed || this.dragged !== null || this.editing !== null;
    if (this.stale) return;
    const active = this.root.activeElement ?? document.activeElement;
    const hadFocus = this.list.contains(active);
    this.items = withEdits(this.data.labels, this.log.waiting);
    if (!this.items.some((item) => item.text === this.focused)) this.focused = this.items[0]?.text ?? "";
    const twins = new Set(this.data.twins);
    const drawn = new Map([...this.list.children].map((chip) => [chip.label, chip]));
    this.items.forEach((item, place) => {
      const chip = drawn.get(item.text) ?? this.makeChip();
      drawn.delete(item.text);
      this.drawChip(chip, item, place, twins.has(item.text));
      if (this.list.children[place] !== chip) this.list.insertBefore(chip, this.list.children[place] ?? null);
    });
    drawn.forEach((chip) => chip.remove());
    this.field.classList.remove("tall");
    this.field.classList.toggle("tall", this.field.scrollHeight > this.field.clientHeight);
    if (hadFocus && !this.list.contains(this.root.activeElement)) this.focus(this.placeOf(this.focused));
  },

  // What is around the chips.
  drawFrame() {
    const { data, texts, input, root } = this;
    const waiting = this.log.waiting.length > 0;
    const count = withEdits(data.labels, this.log.waiting).length;
    root.querySelector(".title").textContent = texts.label;
    root.querySelector(".count").textContent = count || "";
    input.placeholder = texts.placeholder;
    input.disabled = data.disabled;
    input.setAttribute("aria-label", texts.placeholder);
    this.list.setAttribute("aria-label", texts.label);
    this.field.classList.toggle("disabled", data.disabled);
    root.querySelector("#keys").textContent = texts.keys;
    root.querySelector(".full").textContent = data.full ? fill(texts.full, { count: data.full }) : "";
    const usable = { undo: data.undo || waiting, redo: data.redo, clear: count > 0 };
    for (const [name, button] of this.tools) {
      const had = root.activeElement === button;
      button.disabled = data.disabled || !usable[name];
      if (had && button.disabled) input.focus(); // a disabled button would drop the focus out of the page
      button.title = texts[name];
      button.setAttribute("aria-label", texts[name]);
    }
  },

  makeChip() {
    const chip = document.createElement("li");
    const name = document.createElement("span");
    name.className = "name";
    const cross = document.createElement("button");
    cross.type = "button";
    cross.tabIndex = -1;
    cross.innerHTML = CROSS;
    chip.append(name, cross);
    chip.setAttribute("role", "option");
    return chip;
  },

  drawChip(chip, item, place, isTwin) {
    const { texts } = this;
    const [name, cross] = chip.children;
    chip.label = item.text;
    chip.classList.value = ["chip", item.pending && "pending", isTwin && "twin", chip.flashing && "flash"]
      .filter(Boolean)
      .join(" ");
    chip.tabIndex = item.text === this.focused && !this.data.disabled ? 0 : -1;
    chip.draggable = !item.mixed && !this.data.disabled;
    const said = this.placeText(item.text, place);
    chip.setAttribute("aria-label", isTwin ? `${said}. ${texts.twins}` : said);
    name.textContent = item.text;
    name.title = isTwin ? `${item.text} – ${texts.twins}` : item.text;
    cross.disabled = Boolean(item.mixed) || this.data.disabled;
    cross.setAttribute("aria-label", `${texts.remove} ${item.text}`);
    cross.onclick = () => this.remove(item);
    chip.onfocus = () => this.makeReachable(item.text);
    chip.onkeydown = (event) => this.onChip(event, item);
    chip.ondblclick = () => this.edit(item);
  },

  placeText(label, place) {
    return fill(this.texts.place, { label, place: place + 1, count: this.items.length });
  },

  placeOf(label) {
    return this.items.findIndex((item) => item.text === label);
  },

  makeReachable(label) {
    this.focused = label;
    for (const chip of this.list.children) chip.tabIndex = chip.label === label ? 0 : -1;
  },

  // Focus a chip; the box where there is none.
  focus(place) {
    (this.list.children[place] ?? this.input).focus();
  },

  flash(labels) {
    const wanted = new Set(labels);
    for (const chip of this.list.children) {
      if (!wanted.has(chip.label)) continue;
      chip.classList.remove("flash");
      void chip.offsetWidth; // restarts the animation
      chip.classList.add("flash");
      chip.flashing = true; // until the next edit, also when it is drawn again meanwhile
      chip.scrollIntoView({ block: "nearest" });
    }
    this.say(fill(this.texts.known, { label: labels.join(", ") }));
  },

  listenToDrags() {
    const { field, list } = this;
    const itemOf = (event) => this.items.find((item) => item.text === event.target.closest?.(".chip")?.label);
    const unmark = () => list.querySelectorAll(".before, .after").forEach((chip) => chip.classList.remove("before", "after"));
    // The chip that a drop at this point goes in front of; undefined for the end.
    const behind = ({ clientX, clientY }) =>
      [...list.children].find((chip) => {
        const { top, bottom, left, width } = chip.getBoundingClientRect();
        return clientY < top || (clientY < bottom && clientX < left + width / 2);
      });
    const end = () => {
      unmark();
      this.dragged = null;
      if (this.stale) this.draw();
    };
    field.ondragstart = (event) => {
      const item = itemOf(event);
      if (!item || item.mixed) return;
      this.dragged = item.text;
      event.dataTransfer.effectAllowed = "copyMove";
      event.dataTransfer.setData("text/plain", item.text);
    };
    field.ondragover = (event) => {
      if (this.dragged === null) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
      unmark();
      const next = behind(event);
      (next ?? list.lastElementChild).classList.add(next ? "before" : "after");
    };
    field.ondragleave = (event) => {
      if (!field.contains(event.relatedTarget)) unmark();
    };
    field.ondragend = end;
    field.ondrop = (event) => {
      if (this.dragged === null) return; // text from elsewhere: the box takes it
      event.preventDefault();
      const place = this.placeOf(this.dragged);
      const item = this.items[place];
      const before = behind(event)?.label ?? null;
      const follower = this.items[place + 1]?.text ?? null;
      end();
      if (before !== follower) this.move(item, before);
    };
  },
});

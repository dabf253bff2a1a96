// What the browser may decide about labels: when typed text goes to Python, which alone splits it, and how edits that
// Python has not taken over yet look. It touches no page.
const SEPARATOR = /[,，、;；\n\r\t]/;
const QUOTES = { '"': '"', "“": "”" };
const MEANT = /[^\s,，、;；]/;
const BY_LINE = /\s*[\n\r\t]+\s*/g;
const LONGEST = 200; // characters shown of text that is still to be split

// Whether typed text holds a separator that quotes do not protect. It is asked at every key, so the first label decides.
function endsLabel(typed) {
  const text = typed.trimStart();
  const closing = QUOTES[text[0]];
  if (!closing) return SEPARATOR.test(text);
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === text[0] && text[0] !== closing) return SEPARATOR.test(text); // curly quotes do not nest
    if (text[at] !== closing) continue;
    if (text[at + 1] === closing) {
      at += 1; // doubled: a quote within the label
      continue;
    }
    const rest = text.slice(at + 1).trimStart();
    if (rest === "") return false;
    return SEPARATOR.test(rest[0]) || SEPARATOR.test(text); // no separator behind them: the quotes are plain characters
  }
  return false; // still within quotes
}

// The edits of one editor that Python has not taken over, and their numbers. It outlives a remount of the editor.
const logs = new Map();

function logOf(key) {
  if (!logs.has(key)) logs.set(key, { from: Math.random().toString(36).slice(2), seq: 0, waiting: [], session: "" });
  return logs.get(key);
}

// Forget the edits that Python has taken over. Returns whether Python is of another session: the server was restarted
// under the page, and edits made for the old session have to be sent again.
function acknowledge(log, data) {
  const moved = log.session !== data.session;
  log.session = data.session;
  if (data.from === log.from) log.waiting = log.waiting.filter((edit) => edit.seq > data.ack);
  return moved;
}

// Typed or pasted text as a label to show until Python has split it.
function labelOf(raw) {
  const text = raw.trim();
  return SEPARATOR.test(text) ? text.slice(0, LONGEST).replace(BY_LINE, ", ") : text;
}

// The list as it will be: [{text, pending, mixed}]. mixed: Python may still make several labels of it, or take quotes off.
function withEdits(labels, edits) {
  let items = labels.map((text) => ({ text }));
  const placeOf = (label) => items.findIndex((item) => item.text === label);
  for (const edit of edits) {
    const place = placeOf(edit.label);
    if (edit.op === "add") {
      const text = labelOf(edit.raw);
      const mixed = SEPARATOR.test(text) || text[0] in QUOTES;
      if (placeOf(text) < 0) items.push({ text, pending: true, mixed });
    } else if (edit.op === "clear") {
      items = [];
    } else if (place < 0) {
      continue; // undo and redo: only Python knows what comes of them
    } else if (edit.op === "remove") {
      items.splice(place, 1);
    } else if (edit.op === "edit") {
      const text = edit.raw.trim();
      const other = placeOf(text);
      const gone = text === "" || (other >= 0 && other !== place);
      items.splice(place, 1, ...(gone ? [] : [{ text, pending: true, mixed: text[0] in QUOTES }]));
    } else if (edit.op === "move") {
      const [item] = items.splice(place, 1);
      const before = placeOf(edit.before);
      items.splice(before < 0 ? items.length : before, 0, item);
    }
  }
  return items;
}

// A text of the page with its {slots} filled.
function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (slot, name) => values[name] ?? slot);
}

// Comforts. Every page can be read without this file.

const parsed = (html) => {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  return template.content.firstElementChild;
};

// Server-sent events carry parts of the page by id. What is pointed at or focused stays put.
const busy = (element) => element.matches(":hover") || element.contains(document.activeElement);
const CONTROLS = "a, button, input, summary, svg[tabindex]";

// What people have chosen, opened, typed or focused in a part is so in the new one too.
function keep(old, made) {
  for (const input of old.querySelectorAll("input[id]")) {
    const same = made.querySelector(`#${CSS.escape(input.id)}`);
    if (!same) continue;
    if (input.type === "radio") same.checked = input.checked;
    else if (input.value !== input.defaultValue) same.value = input.value;
  }
  const opened = made.querySelectorAll("details");
  old.querySelectorAll("details").forEach((each, place) => { if (opened[place]) opened[place].open = each.open; });
  for (const looks of made.querySelectorAll("[data-looks]")) readable(looks);
}

function put(parts) {
  for (const [id, html] of Object.entries(parts)) {
    const old = document.getElementById(id);
    if (!old) continue;
    const made = parsed(html);
    if (old.isEqualNode(made)) continue;
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    const place = focused && [...old.querySelectorAll(CONTROLS)].indexOf(focused);
    const caret = focused?.selectionStart;
    keep(old, made);
    old.replaceWith(made);
    if (!focused || place < 0) continue;
    const again = made.querySelectorAll(CONTROLS)[place];
    again?.focus({ preventScroll: true });
    if (caret != null) again?.setSelectionRange?.(caret, caret);
  }
}

// Lists only grow at their end, and lose what is over once nobody looks at it.
const wants = new Map();

function clear(list) {
  const wanted = new Set(wants.get(list.id));
  for (const child of [...list.children]) if (!wanted.has(child.id)) child.remove();
}

function arrange(lists, parts) {
  const entered = [];
  for (const [id, wanted] of Object.entries(lists)) {
    const list = document.getElementById(id);
    if (!list) continue;
    for (const child of wanted) {
      if (document.getElementById(child) || !parts[child]) continue;
      const made = parsed(parts[child]);
      if (id === "cards") {
        made.classList.add("new");
        entered.push(made.querySelector("h3").textContent);
      }
      list.append(made);
    }
    if (!wants.has(id)) {
      list.addEventListener("pointerleave", () => clear(list));
      list.addEventListener("focusout", () => setTimeout(() => { if (!busy(list)) clear(list); }));
    }
    wants.set(id, wanted);
    if (!busy(list)) clear(list);
  }
  const announce = document.getElementById("announce");
  if (announce && entered.length) announce.textContent = `New: ${entered.join(". ")}.`;
}

function live(fresh) {
  const banner = document.getElementById("banner"), patience = 90_000;
  let heard = Date.now(), source, stale = false, told = "";
  const hear = () => {
    heard = Date.now();
    if (stale) recover();
  };
  const when = (time) => new Date(time).toISOString().slice(11, 16); // as all times of the page: UTC
  const buttons = () => document.querySelectorAll(".do form button");
  const recover = () => {
    stale = false;
    banner.hidden = true;
    fresh.classList.remove("stale");
    for (const button of buttons()) button.disabled = false;
    for (const off of document.querySelectorAll(".off, .as-of")) off.remove();
  };
  const lose = () => {
    stale = true;
    fresh.classList.remove("live");
    fresh.classList.add("stale");
    fresh.querySelector("b").textContent = "Not live";
    banner.replaceChildren(parsed(`<p><b>Not live since ${when(heard)}.</b> What you see is as of then; nothing that was told is lost. Trying again.</p>`));
    banner.hidden = false;
    document.querySelector("#head p")?.prepend(parsed(`<span class="as-of">As of ${when(heard)}: </span>`));
    for (const button of buttons()) {
      button.disabled = true;
      button.closest(".do").append(parsed('<span class="off">Recording is off until the page is live again.</span>'));
    }
  };
  const open = () => {
    source = new EventSource(fresh.dataset.live);
    source.addEventListener("beat", hear);
    source.addEventListener("parts", (event) => {
      const { title, data, lists, parts } = JSON.parse(event.data);
      if ("reload" in fresh.dataset) return location.reload();
      told = data;
      hear();
      put(parts);
      arrange(lists, parts);
      document.title = title;
    });
  };
  open();
  setInterval(() => {
    const age = Date.now() - heard;
    if (age > patience) { if (!stale) lose(); }
    else if (source.readyState === EventSource.OPEN) {
      fresh.classList.add("live");
      fresh.querySelector("b").textContent = "Live";
      fresh.querySelector("span").textContent = `${told || fresh.dataset.said}, read ${Math.round(age / 1000)} s ago`;
    } else if (fresh.classList.contains("live")) {
      fresh.classList.remove("live");
      fresh.querySelector("b").textContent = "Trying again";
    }
    if (source.readyState === EventSource.CLOSED && age % 20_000 < 1_000) open();
  }, 1000);
}

// A chart that can be read look by look, with the pointer or with arrow keys.
function readable(looks) {
  const rows = JSON.parse(looks.dataset.looks);
  const show = (place) => {
    const at = Math.max(0, Math.min(rows.length - 1, place)), [samples, said] = rows[at];
    document.getElementById("readout").textContent = said;
    for (const hot of looks.querySelectorAll(".hot")) {
      const { x0, x1, cap, top, bottom } = hot.dataset, x = +x0 + ((x1 - x0) * samples) / cap;
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      for (const [name, value] of Object.entries({ class: "cross", x1: x, x2: x, y1: top, y2: bottom })) line.setAttribute(name, value);
      hot.replaceChildren(line);
    }
    return at;
  };
  let at = rows.length - 1;
  for (const svg of looks.querySelectorAll("svg")) {
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("pointermove", (event) => {
      const { x0, x1, cap } = svg.querySelector(".hot").dataset;
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const samples = ((point.x - x0) / (x1 - x0)) * cap;
      const far = rows.map(([each]) => Math.abs(each - samples));
      at = show(far.indexOf(Math.min(...far)));
    });
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      at = show(at + step);
      event.preventDefault();
    });
  }
}

// A log can be dropped on its form; while it is sent and read, the form says so.
function upload(form) {
  const file = form.querySelector("input[type=file]"), progress = form.querySelector("[data-progress]");
  const bar = progress.querySelector("progress"), [said, seconds] = progress.querySelectorAll("span"), button = form.querySelector("button");
  const report = document.getElementById("report"), frame = report.querySelector("iframe");
  let ticking;
  for (const name of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.files.length) file.files = event.dataTransfer.files;
    });
  }
  form.addEventListener("submit", (event) => {
    const most = Number(form.dataset.most), chosen = file.files[0], megabytes = (bytes) => Math.ceil(bytes / 2 ** 20);
    progress.hidden = false;
    if (chosen && chosen.size > most) {
      event.preventDefault();
      bar.hidden = true;
      seconds.textContent = "";
      said.textContent = `This file has ${megabytes(chosen.size)} MB; the most is ${megabytes(most)} MB.`;
      return;
    }
    bar.hidden = false;
    form.target = "report";
    report.hidden = false;
    frame.classList.add("waits");
    const begun = Date.now(), tell = () => {
      seconds.textContent = `${Math.round((Date.now() - begun) / 1000)} s`;
    };
    said.textContent = "Reading the log and trying every rule on every test:";
    tell();
    ticking = setInterval(tell, 1000);
    setTimeout(() => { button.disabled = true; });
  });
  frame.addEventListener("load", () => {
    if (!ticking) return;
    clearInterval(ticking);
    ticking = undefined;
    progress.hidden = true;
    frame.classList.remove("waits");
    button.disabled = false;
    document.getElementById("answer").focus();
  });
}

for (const looks of document.querySelectorAll("[data-looks]")) readable(looks);
for (const form of document.querySelectorAll("form[data-upload]")) upload(form);
const fresh = document.querySelector("#fresh[data-live]");
if (fresh) {
  fresh.dataset.said = fresh.querySelector("span")?.textContent ?? "";
  live(fresh);
}

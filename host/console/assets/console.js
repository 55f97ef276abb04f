// What pages gain from a script: a part that moves is fetched anew, an upload shows how far it is, and a form is not sent twice by a
// double click. Everything works without it. Whoever is not signed in any more is led to the page to sign in, and back.
"use strict";

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent !== undefined) {
    event.preventDefault();
    return;
  }
  if (form.dataset.upload !== undefined) {
    event.preventDefault();
    if (tooLarge(form)) return;
  }
  form.dataset.sent = "";
  if (form.dataset.upload !== undefined) upload(form);
});

// A page that comes back from the browser's memory may be sent again.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// Parts that follow what moves. A page that nobody looks at lets its connection go: a browser has only a few to one host.
const sources = new Map();
// After so long it is asked for news again where that was refused.
const REFUSED_WAIT_MS = 10_000;

function fetchAnew(part) {
  htmx.trigger(part.firstElementChild, "changed");
}

function follow() {
  if (document.hidden) return;
  for (const part of document.querySelectorAll("[data-live]")) {
    if (sources.has(part)) continue;
    const source = new EventSource(part.dataset.live);
    // Whatever moved before the connection was there is shown too.
    source.addEventListener("open", () => fetchAnew(part));
    source.addEventListener("changed", () => fetchAnew(part));
    // A source says nothing of an answer that is no stream: where the session has ended, the answer for the part leads to the page
    // to sign in. Else too many pages wait for news.
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) return;
      sources.delete(part);
      fetchAnew(part);
      setTimeout(follow, REFUSED_WAIT_MS);
    });
    sources.set(part, source);
  }
}

// What somebody does within a part comes first: while a button is pressed there, and once a form was sent from there, it is not
// exchanged. It is fetched anew when the button is let go.
let pressed = null;
let isPostponed = false;
document.addEventListener("pointerdown", (event) => (pressed = event.target.closest("[data-live]")));
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => {
    const part = pressed;
    pressed = null;
    if (isPostponed && part !== null) fetchAnew(part);
    isPostponed = false;
  });
}

// How an element is found again in a part that was fetched anew: by what names it, else by its place in what surrounds it.
function selector(element) {
  const tag = element.localName;
  for (const name of ["id", "href", "aria-label"]) {
    const named = `${tag}[${name}="${CSS.escape(element.getAttribute(name) ?? "")}"]`;
    if (element.getAttribute(name) && document.querySelectorAll(named).length === 1) return named;
  }
  const parent = element.parentElement;
  if (parent === null) return tag;
  const place = Array.from(parent.children).filter((child) => child.localName === tag).indexOf(element) + 1;
  return `${selector(parent)} > ${tag}:nth-of-type(${place})`;
}

// Says to people who hear the page what became of it. The region is outside of what is exchanged, and there before its text.
for (const part of document.querySelectorAll("[data-live]")) {
  const region = document.createElement("p");
  region.className = "hidden";
  region.setAttribute("role", "status");
  part.append(region);
}

function announce(sentence) {
  const region = document.querySelector("[data-live] > [role=status]");
  if (region !== null && sentence !== undefined && sentence !== before.sentence) region.textContent = sentence;
}

// What somebody opened stays open, and whoever stands in a part that is fetched anew, or moved it sideways, keeps the place. What
// was ticked or chosen keeps its element (hx-preserve).
let before = { open: [], scrolled: [], focus: null, sentence: undefined };
document.addEventListener("htmx:beforeSwap", (event) => {
  const part = event.target.closest("[data-live]");
  if (part !== null && (part === pressed || part.querySelector("form[data-sent]") !== null)) {
    isPostponed = true;
    event.detail.shouldSwap = false;
    return;
  }
  before.open = Array.from(document.querySelectorAll("details[id][open]"), (part) => part.id);
  const moved = Array.from(event.target.querySelectorAll(".scroll, pre")).filter((box) => box.scrollLeft > 0 || box.scrollTop > 0);
  before.scrolled = moved.map((box) => ({ box: selector(box), left: box.scrollLeft, top: box.scrollTop }));
  const at = document.activeElement;
  before.focus = at && at.closest("[hx-get]") ? selector(at) : null;
  before.sentence = document.getElementById("live")?.dataset.sentence;
});
document.addEventListener("htmx:afterSettle", () => {
  for (const id of before.open) document.getElementById(id)?.setAttribute("open", "");
  for (const { box, left, top } of before.scrolled) document.querySelector(box)?.scrollTo({ left, top, behavior: "instant" });
  announce(document.getElementById("live")?.dataset.sentence);
  if (before.focus === null || document.activeElement !== document.body) return;
  document.querySelector(before.focus)?.focus({ preventScroll: true });
});

function letGo() {
  for (const source of sources.values()) source.close();
  sources.clear();
}

document.addEventListener("visibilitychange", () => (document.hidden ? letGo() : follow()));
window.addEventListener("pagehide", letGo);
window.addEventListener("pageshow", follow);

// Whether the file is more than the server takes; then that is said, and nothing is sent.
function tooLarge(form) {
  const most = Number(form.dataset.bytesMax);
  const file = form.querySelector("input[type=file]")?.files[0];
  if (!most || file === undefined || file.size <= most) return false;
  const size = most < 1 << 20 ? `${most >> 10} KiB` : `${most / (1 << 20)} MiB`;
  tell(form, `The file has more than ${size}: choose a smaller one.`);
  return true;
}

function upload(form) {
  const progress = form.querySelector("progress");
  const request = new XMLHttpRequest();
  forget(form);
  const step = document.createElement("span");
  step.setAttribute("role", "status");
  progress.after(step);
  progress.value = 0;
  progress.hidden = false;
  request.upload.addEventListener("progress", (event) => {
    if (event.lengthComputable) progress.value = Math.round((event.loaded / event.total) * 100);
  });
  request.upload.addEventListener("load", () => {
    progress.value = 100;
    step.textContent = form.dataset.upload || "The server checks the file…";
  });
  // The form may be sent again.
  const fail = (sentence) => {
    progress.hidden = true;
    step.remove();
    delete form.dataset.sent;
    tell(form, sentence);
  };
  request.addEventListener("load", () => {
    if (request.status < 400) {
      window.location.assign(request.responseURL);
      return;
    }
    // The session has ended: the page itself, asked for again, is the one to sign in.
    if (request.status === 401) {
      window.location.reload();
      return;
    }
    fail(problems(request));
  });
  request.addEventListener("error", () => fail("The connection broke off before the server answered: try again."));
  request.open(form.method, form.action);
  request.send(new FormData(form));
}

// What an answer that refuses says, in sentences: a page of the console, or the errors list of what stands before it.
function problems(request) {
  const unknown = `The server refused the file without a reason that can be shown (${request.status}): try again.`;
  if ((request.getResponseHeader("content-type") ?? "").includes("json")) {
    try {
      return JSON.parse(request.responseText).errors.map(({ message }) => message).join("; ") || unknown;
    } catch {
      return unknown;
    }
  }
  const answer = new DOMParser().parseFromString(request.responseText, "text/html");
  const said = answer.querySelectorAll("p.problem[role=alert], .problem[role=alert] li");
  const sentences = Array.from(said, (problem) => problem.textContent.trim());
  return sentences.join("; ") || unknown;
}

function tell(form, sentence) {
  forget(form);
  const problem = document.createElement("p");
  problem.className = "problem";
  problem.setAttribute("role", "alert");
  problem.textContent = sentence;
  form.prepend(problem);
}

function forget(form) {
  for (const problem of form.querySelectorAll(".problem")) problem.remove();
}

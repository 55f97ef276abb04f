// What pages gain from a script: a part that moves is fetched anew, an upload shows how far it is, and a form is not sent twice by a
// double click. Everything works without it. Whoever is not signed in any more is led to the page to sign in, and back.
"use strict";

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.upload !== undefined) {
    event.preventDefault();
    upload(form);
    return;
  }
  if (form.method !== "post") return;
  if (form.dataset.sent !== undefined) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "";
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

// What somebody opened stays open, and who stands in a part that is fetched anew keeps the place. What was ticked or chosen
// keeps its element (hx-preserve).
let before = { open: [], focus: null };
document.addEventListener("htmx:beforeSwap", (event) => {
  const part = event.target.closest("[data-live]");
  if (part !== null && (part === pressed || part.querySelector("form[data-sent]") !== null)) {
    isPostponed = true;
    event.detail.shouldSwap = false;
    return;
  }
  before.open = Array.from(document.querySelectorAll("details[id][open]"), (part) => part.id);
  const at = document.activeElement;
  before.focus = at && at.closest("[hx-get]") ? at.id || at.getAttribute("href") : null;
});
document.addEventListener("htmx:afterSettle", () => {
  for (const id of before.open) document.getElementById(id)?.setAttribute("open", "");
  if (before.focus === null || document.activeElement !== document.body) return;
  const again = document.getElementById(before.focus) || document.querySelector(`a[href="${CSS.escape(before.focus)}"]`);
  again?.focus({ preventScroll: true });
});

function letGo() {
  for (const source of sources.values()) source.close();
  sources.clear();
}

document.addEventListener("visibilitychange", () => (document.hidden ? letGo() : follow()));
window.addEventListener("pagehide", letGo);
window.addEventListener("pageshow", follow);

function upload(form) {
  const progress = form.querySelector("progress");
  const request = new XMLHttpRequest();
  progress.hidden = false;
  request.upload.addEventListener("progress", (event) => {
    if (event.lengthComputable) progress.value = Math.round((event.loaded / event.total) * 100);
  });
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
    progress.hidden = true;
    const answer = new DOMParser().parseFromString(request.responseText, "text/html");
    tell(form, (answer.querySelector(".problem") || answer.body).textContent.trim());
  });
  request.addEventListener("error", () => {
    progress.hidden = true;
    tell(form, "The connection broke off: try again.");
  });
  request.open(form.method, form.action);
  request.send(new FormData(form));
}

function tell(form, sentence) {
  const problem = document.createElement("p");
  problem.className = "problem";
  problem.setAttribute("role", "alert");
  problem.textContent = sentence;
  for (const before of form.querySelectorAll(".problem")) before.remove();
  form.prepend(problem);
}

// What pages gain from a script: a part that moves is fetched anew, an upload shows how far it is, and a form is not sent twice by a
// double click. Everything works without it.
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

function follow() {
  for (const part of document.querySelectorAll("[data-live]")) {
    if (sources.has(part)) continue;
    const source = new EventSource(part.dataset.live);
    const fetchAnew = () => htmx.trigger(part.firstElementChild, "changed");
    // Whatever moved before the connection was there is shown too.
    source.addEventListener("open", fetchAnew);
    source.addEventListener("changed", fetchAnew);
    sources.set(part, source);
  }
}

// What somebody opened stays open, and who stands in a part that is fetched anew keeps the place.
let before = { open: [], focus: null };
document.addEventListener("htmx:beforeSwap", () => {
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

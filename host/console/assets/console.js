// What pages gain from a script: an upload shows how far it is, and a form is not sent twice by a double click. Everything works
// without it.
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
    const problem = document.createElement("p");
    problem.className = "problem";
    problem.setAttribute("role", "alert");
    problem.textContent = (answer.querySelector(".problem") || answer.body).textContent.trim();
    for (const before of form.querySelectorAll(".problem")) before.remove();
    form.prepend(problem);
  });
  request.open(form.method, form.action);
  request.send(new FormData(form));
}

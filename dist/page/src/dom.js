// Small helpers: elements, files dropped or chosen, files saved.
import { unzip } from "./zip.js";

/** An element with properties and children; text is never taken for markup. */
export function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const byId = (id) => document.getElementById(id);

/** Paragraphs and lists from the command's plain text. */
export function prose(text) {
  const made = [];
  let list = null;
  for (const line of text.split("\n").map((line) => line.trimEnd())) {
    if (/^\s*- /.test(line)) {
      if (!list) made.push((list = el("ul")));
      list.append(el("li", {}, line.replace(/^\s*- /, "")));
    } else {
      list = null;
      if (line.trim()) made.push(el("p", {}, line.trim()));
    }
  }
  return made;
}

/** Saves bytes under a name, as a download. */
export function save(name, content, type = "application/octet-stream") {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

async function bytesOf(file) {
  return new Uint8Array(await file.arrayBuffer());
}

/** Files below a dropped folder. */
async function below(entry, path = "") {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [[path + entry.name, file]];
  }
  const reader = entry.createReader(), found = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const one of some) found.push(...(await below(one, `${path}${entry.name}/`)));
  }
}

/** What was dropped or chosen as [path, bytes]; archives are opened. */
async function unpacked(named) {
  const found = [];
  for (const [path, file] of named) {
    const bytes = await bytesOf(file);
    const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4;
    if (isZip && /\.zip$/i.test(path)) {
      const folder = path.replace(/\.zip$/i, "");
      for (const [inside, content] of await unzip(bytes)) found.push([`${folder}/${inside}`, content]);
    } else {
      found.push([path, bytes]);
    }
  }
  // What systems leave beside files, and what would lie elsewhere.
  const odd = (path) => /(^|\/)(\.DS_Store|__MACOSX|Thumbs\.db|desktop\.ini)/.test(path) || path.split("/").includes("..");
  return found.filter(([path]) => !odd(path));
}

/** Makes a place where files are dropped or chosen; `taken` gets [path, bytes] of all of them. */
export function dropPlace(place, taken, failed) {
  const take = (named) => named.then(unpacked).then((files) => (files.length ? taken(files) : null)).catch(failed);
  place.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    take(Promise.all(entries.map((entry) => below(entry))).then((lists) => lists.flat()));
  });
  for (const input of place.querySelectorAll("input[type=file]")) {
    input.addEventListener("change", () => {
      take(Promise.resolve([...input.files].map((file) => [file.webkitRelativePath || file.name, file])));
      input.value = "";
    });
  }
}

/** A table with a heading; the first row is the heading. */
export function table([heading, ...rows], caption) {
  const cells = (row, name) => row.map((cell) => el(name, typeof cell === "number" ? { className: "number" } : {}, String(cell)));
  return el("div", { className: "scroll", tabIndex: 0 },
    el("table", {}, caption ? el("caption", {}, caption) : null,
      el("thead", {}, el("tr", {}, ...heading.map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...cells(row, "td"))))));
}

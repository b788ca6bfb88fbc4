// Reader: what a release says, whether it is what its certificate says, its own report, files for other programs.
import { Desk } from "./engine.js";
import { byId, dropPlace, el, prose, save } from "./dom.js";
import { npy } from "./faces.js";
import { turntable } from "./turntable.js";
import { zip } from "./zip.js";

const CERTIFICATE = "certificate.json";
const FORMATS = ["glb", "obj", "stl", "ply", "vtp", "csv"];
let desk = null;
/** What was dropped in each place. */
const read = { a: null, b: null };

const folderOf = (path) => path.slice(0, path.lastIndexOf("/") + 1);

/** The release among these files, and what belongs to its study; what was passed over is said. */
function pick(files) {
  const certificates = files.map(([path]) => path).filter((path) => path.split("/").pop() === CERTIFICATE);
  const found = certificates.filter((path) => !/(^|\/)internal\//.test(path)).sort((x, y) => x.length - y.length);
  if (found.length === 0) throw new Error(`There is no ${CERTIFICATE} in this, so it is not a release. Drop the folder "release", or its zip file.`);
  const notes = [];
  if (found.length > 1) notes.push(`There are ${found.length} releases in this. You see ${folderOf(found[0]) || "the first"}; drop another one alone to see it.`);
  const release = folderOf(found[0]), isStudy = /(^|\/)release\/$/.test(release);
  const study = isStudy ? release.slice(0, -"release/".length) : release;
  const inside = files.filter(([path]) => path.startsWith(release)).map(([path, bytes]) => [`release/${path.slice(release.length)}`, bytes]);
  const beside = isStudy ? files.filter(([path]) => path.startsWith(study) && !path.slice(study.length).includes("/")) : [];
  if (files.some(([path]) => path.startsWith(`${study}internal/`))) {
    notes.push("You dropped a whole study. Its folder internal/ was not opened: it is for the data holder only.");
  }
  const name = (isStudy ? study : release).split("/").filter(Boolean).pop() ?? "release";
  return { name, notes, files: [...inside, ...beside.map(([path, bytes]) => [path.slice(study.length), bytes])] };
}

async function open(slot, files) {
  const place = byId(`read-${slot}`);
  const say = (text) => (place.querySelector("[role=status]").textContent = text);
  const shown = place.querySelector(".found");
  shown.replaceChildren();
  byId("read-compare").replaceChildren();
  read[slot] = null;
  say("Reading the release …");
  const picked = pick(files);
  desk ??= new Desk();
  await desk.remove(`/${slot}`);
  await desk.put(picked.files.map(([path, bytes]) => [`/${slot}/${path}`, bytes]));
  read[slot] = picked;
  await show(slot);
  say(`${picked.name}: read and checked.`);
  place.querySelector(".more").hidden = false;
  if (slot === "a") byId("read-b").hidden = false;
  if (read.a?.holds && read.b?.holds) offerComparison();
}

/** The release in a place, checked with the ledger and the key given beside it. */
async function show(slot, extra = []) {
  const picked = read[slot], folder = `/${slot}/release`;
  const checked = await desk.run(["privacy", "verify", folder, ...extra]);
  picked.holds = checked.code === 0;
  const state = picked.holds ? await desk.json(["privacy", "verify", folder, ...extra]) : null;
  picked.band = state && bandOf(state.value);
  const explained = await desk.run(["privacy", "explain", folder]);
  byId(`read-${slot}`).querySelector(".found").replaceChildren(
    el("h3", {}, picked.name),
    ...picked.notes.map((note) => el("p", { className: "note" }, note)),
    badge(checked, state),
    el("pre", { className: "answer", tabIndex: 0 }, (checked.code === 0 ? checked.out : checked.errors).trim()),
    ...certificate(explained, picked.holds),
    // What is not as it was released is neither shown nor handed on.
    ...(picked.holds ? [saving(slot), ...(await report(slot))].filter(Boolean) : []),
  );
}

/** What stands on pictures of what is not verified to be private, as in the viewer. */
const bandOf = ({ private: isPrivate, verified }) =>
  isPrivate === false ? "NOT PRIVATE - DO NOT PUBLISH" : verified ? "" : "NOT CHECKED - NO LEDGER AT HAND";

function badge(checked, state) {
  if (checked.code !== 0) return el("p", {}, el("span", { className: "badge bad" }, "Do not rely on this release"));
  const { private: isPrivate, verified } = state.value;
  const [name, text] = isPrivate === false ? ["bad", "Not private"]
    : verified ? ["good", "Private, and checked"]
    : ["open", "Files match the certificate; who wrote it is not checked"];
  return el("p", {}, el("span", { className: `badge ${name}` }, text));
}

/** The short part first, the definitions on demand; all of it on demand where the files are others than it says. */
function certificate({ code, out, errors }, holds) {
  if (code !== 0) return [el("p", { className: "note" }, errors.trim())];
  const all = prose(out), first = all.slice(0, 3);
  if (!holds) return [el("details", {}, el("summary", {}, "What its certificate says, which these files do not match"), ...all)];
  return [...first, el("details", {}, el("summary", {}, "The whole certificate in words"), ...all.slice(3))];
}

function saving(slot) {
  const { files, name } = read[slot];
  const buttons = [];
  if (files.some(([path]) => path === "release/mean.ply")) {
    for (const format of FORMATS) buttons.push(el("button", { type: "button", onclick: () => exported(slot, format) }, format.toUpperCase()));
  }
  if (files.some(([path]) => path === "release/curves.npy")) {
    buttons.push(el("button", { type: "button", className: "turntable", onclick: () => turned(slot) }, "Turntable (GIF)"));
  }
  if (files.some(([path]) => path === "release/report.html")) {
    buttons.push(el("button", { type: "button", onclick: () => pictures(slot) }, "Pictures (SVG, PNG)"));
  }
  if (buttons.length === 0) return null;
  return el("div", { className: "row", role: "group", "aria-label": `Save from ${name}` }, el("span", {}, "Save as"), ...buttons);
}

const tell = (slot, text) => (byId(`read-${slot}`).querySelector("[role=status]").textContent = text);

async function exported(slot, format) {
  const file = `/${slot}/mean.${format}`;
  const { code, out, errors } = await desk.run(["export", `/${slot}/release`, "--out", file, "--force"]);
  if (code !== 0) return tell(slot, errors.trim());
  const [[, bytes]] = await desk.files(file);
  save(`${read[slot].name}.${format}`, bytes);
  tell(slot, `${out.trim().replace(/^\S+: /, "Saved: ")}. ${errors.trim()}`);
}

/** The face turning once. */
function turned(slot) {
  const { files, name, band } = read[slot];
  tell(slot, "Drawing …");
  // After the words are on the screen.
  setTimeout(() => {
    const bytes = turntable(npy(files.find(([path]) => path === "release/curves.npy")[1]), band);
    save(`${name}-turntable.gif`, bytes, "image/gif");
    tell(slot, `Saved: the face turning once, ${Math.round(bytes.length / 1000)} kB.${band ? ` ${band}.` : ""}`);
  }, 20);
}

/** The drawings and pictures of the report, each as a file. */
async function pictures(slot) {
  const page = new DOMParser().parseFromString(reportOf(slot), "text/html"), found = [];
  const number = () => String(found.length + 1).padStart(2, "0");
  for (const figure of page.querySelectorAll("figure")) {
    const caption = (figure.querySelector("figcaption")?.textContent ?? "figure").trim();
    const name = caption.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 50).replace(/^-|-$/g, "");
    for (const svg of figure.querySelectorAll("svg")) {
      svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      found.push([`${number()}-${name}.svg`, new TextEncoder().encode(new XMLSerializer().serializeToString(svg))]);
    }
    for (const image of figure.querySelectorAll("img")) {
      const data = /^data:image\/png;base64,(.*)$/.exec(image.getAttribute("src"));
      if (data) found.push([`${number()}-${name}.png`, Uint8Array.from(atob(data[1]), (c) => c.charCodeAt(0))]);
    }
  }
  if (found.length === 0) return tell(slot, "The report has no pictures.");
  save(`${read[slot].name}-pictures.zip`, await zip(found));
  tell(slot, `Saved: ${found.length} pictures.`);
}

function reportOf(slot) {
  const found = read[slot].files.find(([path]) => path === "release/report.html");
  return found ? new TextDecoder().decode(found[1]) : null;
}

async function report(slot) {
  const html = reportOf(slot);
  if (html === null) return [el("p", { className: "note" }, "This release has no report.html.")];
  return frame(html, `Report of ${read[slot].name}`);
}

/** Whether this page's policy lets a script run: those of reports of this version. */
async function runs(script) {
  if (!globalThis.crypto.subtle) return true;
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(script)));
  return document.querySelector("meta[http-equiv]").content.includes(btoa(String.fromCharCode(...sum)));
}

/** A report in a frame that can reach neither this page nor the network. */
async function frame(html, title) {
  const scripts = [...new DOMParser().parseFromString(html, "text/html").querySelectorAll("script:not([type])")];
  const allowed = await Promise.all(scripts.map((script) => runs(script.textContent)));
  const url = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  const shown = el("iframe", { className: "report", title });
  shown.setAttribute("sandbox", "allow-scripts allow-downloads");
  shown.src = url;
  if (!allowed.includes(false)) return [shown];
  return [el("p", { className: "note" }, "Another version of visard wrote this report: its surfaces do not turn here. Open its report.html by itself."), shown];
}

function offerComparison() {
  const place = byId("read-compare"), status = el("p", { role: "status" });
  const both = ["a", "b"].every((slot) => read[slot].files.some(([path]) => path === "release/mean.ply"));
  if (!both) return place.replaceChildren(el("p", {}, "Distances are measured between two surfaces; one of these releases has none."));
  const measure = async () => {
    status.textContent = "Measuring …";
    await desk.remove("/difference");
    const { code, out, errors } = await desk.run(["compare", "/a/release", "/b/release", "--out", "/difference"]);
    if (code !== 0) return (status.textContent = errors.trim());
    const [[, page]] = await desk.files("/difference/report.html");
    status.textContent = "Measured.";
    const lines = out.trim().split("\n").filter((line) => !/^\s*open:/.test(line));
    shown.replaceChildren(el("pre", { className: "answer", tabIndex: 0 }, [...lines, errors.trim()].join("\n").trim()),
      ...(await frame(new TextDecoder().decode(page), "Distances between the two releases")));
  };
  const shown = el("div");
  place.replaceChildren(
    el("div", { className: "row" }, el("button", { type: "button", onclick: () => measure().catch((e) => (status.textContent = e.message)) },
      "Measure the distance between the two")), status, shown);
}

/** Sets the tab up. */
export function reader() {
  for (const slot of ["a", "b"]) {
    const place = byId(`read-${slot}`);
    const failed = (error) => tell(slot, error.message);
    dropPlace(place.querySelector(".drop"), (files) => open(slot, files).catch(failed), failed);
    dropPlace(place.querySelector(".more"), (files) => {
      const [path, bytes] = files[0];
      // A key is one short line; a ledger is lines of JSON, and lies in the study's folder.
      const isKey = bytes[0] !== 0x7b, what = `${path} as the ${isKey ? "public key" : "ledger"}`;
      const file = isKey ? `/${slot}-key/${path.split("/").pop()}` : `/${slot}/visard.ledger.jsonl`;
      tell(slot, `Checking with ${what} …`);
      return desk.put([[file, bytes]]).then(() => show(slot, isKey ? ["--key", file] : [])).then(() => tell(slot, `Checked with ${what}.`)).catch(failed);
    }, failed);
  }
}

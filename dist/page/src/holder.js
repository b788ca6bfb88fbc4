// Data holder: everything up to the release. The page draws no noise from records; the command on the holder's machine does.
import { Desk } from "./engine.js";
import { byId, dropPlace, el, save } from "./dom.js";
import { zip } from "./zip.js";
import { check } from "./check.js";
import { draw, npy } from "./faces.js";

const STUDY = "visard-study";
/** What there is so far. */
const study = { desk: null, helpers: [], files: [], placed: [], rows: [], n: 0, records: [], kind: "faces", manifest: null, table: null };

const say = (text) => (byId("hold-status").textContent = text);
const failed = (error) => say(error.message);

/** The list of scans, where one was dropped: a table whose heading has the column file. */
function manifestIn(files) {
  return files.find(([path, bytes]) => /\.csv$/i.test(path)
    && new TextDecoder().decode(bytes.subarray(0, 4096)).split(/\r?\n/)[0].split(",").some((name) => name.trim().replace(/^"|"$/g, "") === "file"));
}

/** The table about the records among these files, `record,group` or `record` and covariates; the records are the first of the others. */
function parts(files) {
  const columns = ([path, bytes]) => (/\.csv$/i.test(path) ? new TextDecoder().decode(bytes.subarray(0, 4096)).split(/\r?\n/)[0] : "")
    .split(",").map((name) => name.trim().replace(/^"|"$/g, ""));
  // Tables of landmarks may have a column record too, and have coordinates.
  const isAbout = (file) => files.length > 1 && columns(file)[0] === "record" && !columns(file).some((name) => /^([xyz]\d*|landmark)$/i.test(name));
  const about = files.find(isAbout), records = files.find((file) => !isAbout(file));
  const option = about && columns(about)[1] === "group" ? "--groups" : "--covariates";
  return { records, about, option, passedOver: files.filter((file) => file !== about && file !== records) };
}

function guess(files) {
  const { records, passedOver } = parts(files);
  if (!records || passedOver.length) return "faces";
  if (/\.npy$/i.test(records[0])) return "matrices";
  return /\.(tps|fcsv|json|csv|tsv|txt)$/i.test(records[0]) ? "shapes" : "faces";
}

async function taken(files) {
  close();
  Object.assign(study, { files, rows: [], n: 0, records: [], manifest: null, table: null, desk: new Desk() });
  byId("hold-kind").value = guess(files);
  byId("hold-kind-row").hidden = false;
  await look();
}

/** Reads what was dropped as what it is said to be. */
async function look() {
  study.kind = byId("hold-kind").value;
  for (const id of ["hold-register", "hold-look", "hold-finish"]) byId(id).hidden = true;
  byId("hold-checked").replaceChildren();
  byId("hold-shape").hidden = study.kind !== "shapes";
  byId("hold-spd").hidden = study.kind !== "matrices";
  if (study.kind !== "faces") return lookAtTable();
  say(`Reading ${study.files.length} files …`);
  const list = manifestIn(study.files), desk = study.desk;
  await desk.remove("/study");
  // The list of scans lies where its paths begin.
  const base = list ? list[0].slice(0, list[0].lastIndexOf("/") + 1) : null;
  const place = (path) => (list && path.startsWith(base) ? `/study/${path.slice(base.length)}` : `/study/scans/${path}`);
  study.placed = study.files.map(([path, bytes]) => [place(path), bytes]);
  study.manifest = list ? place(list[0]) : "/study/manifest.csv";
  await desk.put(study.placed);
  const words = list ? ["--manifest", study.manifest] : ["/study/scans", "--recursive", "--save", study.manifest, "--force"];
  const { value, shown } = await check(desk, words);
  study.rows = value.people.map((one) => one.file);
  offer({ compare: value.groups, regress: list });
  study.n = value.n;
  byId("hold-checked").replaceChildren(...(list ? [el("p", { className: "note" }, `${list[0]} is taken as the list of scans: it decides who counts.`)] : []), ...shown);
  byId("hold-register").hidden = study.rows.length === 0;
  say(`${study.n} people count. Now register the scans.`);
}

/** Statistics that this list of scans allows. */
function offer(allowed) {
  for (const one of byId("hold-statistic").options) one.disabled = one.value in { compare: 0, regress: 0 } && !allowed[one.value];
  if (byId("hold-statistic").selectedOptions[0].disabled) byId("hold-statistic").value = "mean";
}

async function lookAtTable() {
  const { records, about, option: table, passedOver } = parts(study.files);
  if (!records) return say("This is a table about records. Drop the records with it.");
  study.table = about ? table : null;
  offer({ compare: study.table === "--groups", regress: study.table === "--covariates" });
  study.placed = [records, about].filter(Boolean).map(([path, bytes]) => [`/study/${path.split("/").pop()}`, bytes]);
  await study.desk.remove("/study");
  await study.desk.put(study.placed);
  const more = [
    about ? ` ${about[0]} is taken for ${table === "--groups" ? "the groups" : "covariates"}.` : " Drop a table record,group or record,COVARIATE with it to compare or regress.",
    passedOver.length ? ` Passed over: ${passedOver.map(([path]) => path).join(", ")}.` : "",
  ];
  say(`Say what a record is; then see what the release would cost.${more.join("")}`);
  byId("hold-finish").hidden = false;
  finishChoices();
}

/** Registers all scans, each worker some of them. */
async function register() {
  const total = study.rows.length, count = Math.max(1, Math.min(Number(byId("hold-workers").value), total));
  const bar = byId("hold-progress"), begun = performance.now();
  let done = 0;
  bar.max = total;
  bar.value = 0;
  bar.hidden = byId("hold-stop").hidden = false;
  byId("hold-go").disabled = true;
  say(`Registering ${total} scans with ${count} ${count === 1 ? "worker" : "workers"} …`);
  const scans = new Set(study.rows), manifest = await study.desk.files(study.manifest);
  const shard = async (k) => {
    const mine = new Set(study.rows.filter((_, row) => row % count === k));
    const desk = new Desk();
    study.helpers.push(desk);
    // Its own scans, and what lies beside them: landmarks.
    await desk.put([...manifest, ...study.placed.filter(([path]) => mine.has(path) || !scans.has(path))]);
    const words = ["face", "prepare", "--manifest", study.manifest, "--shard", `${k + 1}/${count}`, "--out", "/study/records"];
    const { code, errors } = await desk.run(words, (name) => {
      if (!/\.npy$/.test(name)) return;
      bar.value = ++done;
      if (done % 10 === 0) say(`${done} of ${total} scans registered …`);
    });
    if (code !== 0) throw new Error(errors.trim());
    const records = await desk.files("/study/records");
    desk.close();
    return records;
  };
  try {
    const all = await Promise.all(Array.from({ length: count }, (_, k) => shard(k)));
    study.records = [...new Map(all.flat()).entries()].map(([path, bytes]) => [path.replace("/study/records/", ""), bytes]);
    const seconds = (performance.now() - begun) / 1000;
    byId("hold-register").dataset.seconds = seconds.toFixed(2);
    pictures();
    byId("hold-look").hidden = byId("hold-finish").hidden = false;
    finishChoices();
    say(`All ${total} scans went through in ${seconds.toFixed(1)} s. Look at them below, then save the study folder.`);
  } finally {
    study.helpers.splice(0).forEach((desk) => desk.close());
    bar.hidden = byId("hold-stop").hidden = true;
    byId("hold-go").disabled = false;
  }
}

/** The lines of all indices: which scan has which record. */
function lines() {
  const indices = study.records.filter(([name]) => /^index-.*\.jsonl$/.test(name));
  const all = indices.flatMap(([, bytes]) => new TextDecoder().decode(bytes).split("\n").filter(Boolean).map((line) => JSON.parse(line)));
  return all.filter((line) => "row" in line).sort((one, other) => one.row - other.row);
}

function pictures() {
  const kept = new Map(study.records);
  const shown = lines().map((line) => {
    const bytes = [...kept].find(([name]) => line.record && name.startsWith(line.record) && name.endsWith(".npy"))?.[1];
    const name = el("figcaption", {}, line.status === "ok" ? line.file : `${line.file}: ${line.problem} (contributes zero)`);
    if (line.status !== "ok" || !bytes) return el("figure", { className: "face failed" }, name);
    const canvas = el("canvas", { width: 150, height: 170 }), face = npy(bytes);
    draw(canvas, face);
    return el("figure", { className: "face" },
      el("button", { type: "button", onclick: () => enlarge(face, line.file), "aria-label": `Look at ${line.file}` }, canvas), name);
  });
  byId("hold-faces").replaceChildren(...shown);
  byId("hold-large").hidden = true;
}

/** One record, large, turned by dragging or the arrow keys. */
function enlarge(face, name) {
  const place = byId("hold-large"), canvas = el("canvas", { width: 460, height: 500, tabIndex: 0, role: "img", "aria-label": `${name}; arrow keys turn it` });
  const turn = [0, 0], limit = (x) => Math.max(-1.4, Math.min(1.4, x));
  const again = () => requestAnimationFrame(() => draw(canvas, face, turn));
  const by = (yaw, pitch) => { turn[0] = limit(turn[0] + yaw); turn[1] = limit(turn[1] + pitch); again(); };
  canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", (event) => { if (event.buttons) by(-event.movementX / 120, event.movementY / 120); });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    if (!step) return;
    event.preventDefault();
    by(...step);
  });
  place.replaceChildren(el("figure", {}, canvas, el("figcaption", {}, `${name}. Drag, or use the arrow keys.`)));
  place.hidden = false;
  draw(canvas, face);
  canvas.focus();
}

const option = (id) => byId(id).value.trim();

/** The command that draws the release, on the holder's machine; its files lie in the study folder, or in this page's desk. */
function command(folder = "") {
  const budget = [...option("hold-more").split(/\s+/).filter(Boolean), "--mu", option("hold-mu"), "--out", "release-study"];
  if (study.kind === "faces") return ["face", option("hold-statistic"), "--records", "internal-records", "--manifest", "manifest.csv", ...budget];
  const [file, table] = study.placed.map(([path]) => folder + path.split("/").pop());
  if (table && option("hold-statistic") in { compare: 0, regress: 0 }) budget.unshift(study.table, table);
  const of = study.kind === "shapes"
    ? ["shape", option("hold-statistic"), file, "--landmarks", option("hold-landmarks"), "--dimensions", option("hold-dimensions")]
    : ["spd", option("hold-statistic"), file, "--radius", option("hold-radius")];
  return [...of, ...budget];
}

/** As it is typed in a terminal. */
const typed = (words) => ["visard", ...words].map((word) => (/^[\w.,:=/+-]+$/.test(word) ? word : `"${word}"`)).join(" ");

function finishChoices() {
  byId("hold-command").textContent = typed(command());
  byId("hold-more").placeholder = option("hold-statistic") === "regress" ? "--bounds age=20:60" : "";
}

/** What the release would cost and how exact it would be, from public numbers. */
async function price() {
  const place = byId("hold-price");
  say("Asking what to expect …");
  let asked;
  if (study.kind === "faces") {
    const statistic = { mean: [], modes: ["--modes"], compare: ["--compare"], regress: ["--regress", String(Math.max(1, option("hold-more").split("=").length - 1))] };
    asked = ["face", "plan", "--n", String(study.n), "--mu", option("hold-mu"), ...statistic[option("hold-statistic")]];
  } else {
    const words = command("/study/");
    words[words.indexOf("--out") + 1] = "/dry";
    asked = [...words, "--dry-run"];
  }
  const { code, out, errors } = await study.desk.run(asked);
  place.replaceChildren(el("pre", { className: "answer", tabIndex: 0 }, (code === 0 ? out : errors).trim()));
  say(code === 0 ? "This is what to expect. Nothing was charged." : "The command refuses; see below.");
}

async function hand() {
  const words = command(), text = [
    "DO NOT SHARE this folder: it holds records of single people.",
    "",
    "The page drew no noise from your records, since a browser cannot keep a ledger safe: a ledger makes sure that every release is paid for once.",
    "Finish on this machine with the command visard of the same version. Unpack the zip file, open a terminal in this folder, and type:",
    "",
    `    ${typed(words)}`,
    "",
    "Then publish release-study/release and nothing else.",
    `Made by ${byId("version").textContent}.`,
    "",
  ].join("\n");
  const files = [[`${STUDY}/FINISH.txt`, new TextEncoder().encode(text)]];
  if (study.kind === "faces") {
    const [[, manifest]] = await study.desk.files(study.manifest);
    files.push([`${STUDY}/manifest.csv`, manifest], ...study.records.map(([name, bytes]) => [`${STUDY}/internal-records/${name}`, bytes]));
  } else {
    files.push(...study.placed.map(([path, bytes]) => [path.replace("/study", STUDY), bytes]));
  }
  save(`${STUDY}-DO-NOT-SHARE.zip`, await zip(files));
  say(`Saved ${STUDY}-DO-NOT-SHARE.zip. Unpack it and finish with the command below.`);
}

function close() {
  study.helpers.splice(0).forEach((desk) => desk.close());
  study.desk?.close();
}

/** Sets the tab up. */
export function holder() {
  byId("hold-workers").value = Math.max(1, Math.min(8, navigator.hardwareConcurrency || 1));
  dropPlace(byId("hold-drop"), (files) => taken(files).catch(failed), failed);
  byId("hold-kind").addEventListener("change", () => look().catch(failed));
  byId("hold-go").addEventListener("click", () => register().catch(failed));
  byId("hold-stop").addEventListener("click", () => study.helpers.forEach((desk) => desk.close()));
  byId("hold-ask").addEventListener("click", () => price().catch(failed));
  byId("hold-save").addEventListener("click", () => hand().catch(failed));
  for (const id of ["hold-mu", "hold-statistic", "hold-landmarks", "hold-dimensions", "hold-radius", "hold-more"]) byId(id).addEventListener("input", () => study.desk && finishChoices());
}

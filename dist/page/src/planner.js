// Planner: the forecast of a release, over numbers of people and budgets; and which of dropped files would count.
import { Desk } from "./engine.js";
import { byId, dropPlace, el, save, table } from "./dom.js";
import { chart } from "./chart.js";
import { check } from "./check.js";

const mm = "mm on a face of 20 cm";
/** What each statistic asks, and which columns of the answer are drawn: the error, then what it is compared with. */
const STATISTICS = {
  "face mean": { words: ["face", "plan"], y: `expected error, ${mm}`, lines: { error_mm: "" }, beside: { template_error_mm: "the template alone", sampling_error_mm: "sampling only" }, isLog: true },
  "face modes": { words: ["face", "plan", "--modes"], y: "share of the variation explained", lines: { explained: "" } },
  "face compare": { words: ["face", "plan", "--compare"], y: `half width of the band, ${mm}`, lines: { band_mm: "" }, isLog: true },
  "face regress": { words: ["face", "plan"], ask: ["covariates"], y: "error of the fields over their size", lines: { relative_error: "" }, isLog: true },
  "shape mean": { words: ["shape", "plan"], ask: ["landmarks", "dimensions"], y: "expected error, shape distance", lines: { error: "" }, beside: { sampling_error: "sampling only" }, isLog: true },
  "shape modes": { words: ["shape", "plan", "--modes"], ask: ["landmarks", "dimensions"], y: "share of the variation explained", lines: { explained: "" } },
  "shape compare": { words: ["shape", "plan", "--compare"], ask: ["landmarks", "dimensions"], y: "half width of the band, shape distance", lines: { band: "" }, isLog: true },
  "shape regress": { words: ["shape", "plan"], ask: ["landmarks", "dimensions", "covariates"], y: "error of the fields over their size", lines: { error: "" }, isLog: true },
  "spd mean": { words: ["spd", "plan"], ask: ["order", "radius"], y: "expected error, distance of the space", lines: { error: "" }, beside: { sampling_error: "sampling only" }, isLog: true },
};
/** Which option a question is. */
const OPTION = { covariates: "--regress", landmarks: "--landmarks", dimensions: "--dimensions", order: "--order", radius: "--radius" };
/** At work on a forecast. */
const desks = [];

const numbers = (id) => byId(id).value.split(/[\s,;]+/).filter(Boolean);

/** The words of the command for these numbers of people. */
function words(people) {
  const { words: first, ask = [] } = STATISTICS[byId("plan-statistic").value];
  const more = ask.flatMap((question) => [OPTION[question], byId(`plan-${question}`).value]);
  return [...first, ...more, "--n", ...people, "--mu", ...numbers("plan-mu")];
}

/** All rows, each number of people asked for by itself, as many at once as there are processors. */
async function simulate(people, status) {
  const left = [...people.entries()], rows = [], notes = new Set();
  const one = async () => {
    const desk = new Desk();
    desks.push(desk);
    for (let next = left.shift(); next; next = left.shift()) {
      const [k, n] = next, answer = await desk.json(words([n]));
      rows[k] = answer.value;
      if (answer.notes) notes.add(answer.notes);
      status.textContent = `Simulating … ${Object.keys(rows).length} of ${people.length} numbers of people done`;
    }
    desk.close();
  };
  const count = Math.min(people.length, navigator.hardwareConcurrency || 1);
  try {
    await Promise.all(Array.from({ length: count }, one));
  } finally {
    desks.splice(0).forEach((desk) => desk.close());
  }
  return { rows: rows.flat(), notes: [...notes].join("\n") };
}

async function forecast(status) {
  const statistic = STATISTICS[byId("plan-statistic").value];
  const people = [...new Set(numbers("plan-n"))].sort((one, other) => one - other), asked = words(people);
  desks.splice(0).forEach((desk) => desk.close());
  status.textContent = "Simulating …";
  const { rows, notes } = await simulate(people, status);
  const budgets = [...new Set(rows.map((row) => row.mu))];
  const of = (key, chosen) => chosen.map((row) => [row.n, row[key]]).filter((point) => Number.isFinite(point[1]) && (point[1] > 0 || !statistic.isLog));
  const series = Object.keys(statistic.lines).flatMap((key) => budgets.map((mu) => ({ name: `μ = ${mu}`, points: of(key, rows.filter((row) => row.mu === mu)) })));
  // What does not depend on the budget is drawn once.
  for (const [key, name] of Object.entries(statistic.beside ?? {})) series.push({ name, dashed: true, points: of(key, rows.filter((row) => row.mu === budgets[0])) });
  const picture = chart({ x: "people", y: statistic.y, isLog: statistic.isLog, series: series.filter((one) => one.points.length) });
  // What is there in millimetres too is not shown twice.
  const keys = Object.keys(rows[0]).filter((key) => typeof rows[0][key] !== "object" && !(`${key}_mm` in rows[0]));
  const cell = (x) => (typeof x === "number" ? (x !== 0 && x < 1e-4 ? x.toExponential() : Number(x.toPrecision(4))) : x === true ? "yes" : x === false ? "no" : x ?? "");
  byId("plan-found").replaceChildren(
    el("figure", {}, picture, el("figcaption", {}, "Simulated on made-up people; none of your data is read. Each line is a budget μ: at most 0.5 is strong, 1 moderate, 3 weak.")),
    el("div", { className: "row" }, el("button", { type: "button", onclick: () => save("forecast.svg", outside(picture), "image/svg+xml") }, "Save the chart (SVG)"),
      el("button", { type: "button", onclick: () => save("forecast.json", JSON.stringify(rows, null, 1), "application/json") }, "Save the numbers (JSON)")),
    table([keys.map((key) => key.replaceAll("_", " ")), ...rows.map((row) => keys.map((key) => cell(row[key])))], "The forecast in numbers"),
    el("p", {}, "The same on the command line: ", el("code", {}, ["visard", ...asked].join(" "))),
    ...(notes ? [el("p", { className: "note" }, notes)] : []),
  );
  const unworthy = rows.filter((row) => row.worth === false).length;
  status.textContent = unworthy ? `Done. ${unworthy} of ${rows.length} cells are not worth their budget.` : "Done.";
}

/** A chart that looks the same outside of this page. */
function outside(picture) {
  const copy = picture.cloneNode(true), style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("color", "#333");
  style.textContent = "text{font:13px sans-serif;fill:#333}.grid{stroke:#ddd}";
  copy.prepend(style);
  return new XMLSerializer().serializeToString(copy);
}

/** Sets the tab up. */
export function planner() {
  const status = byId("plan-status"), form = byId("plan-form");
  const ask = () => {
    const { ask: asked = [] } = STATISTICS[byId("plan-statistic").value];
    for (const question of Object.keys(OPTION)) byId(`plan-${question}`).closest("label").hidden = !asked.includes(question);
  };
  byId("plan-statistic").addEventListener("change", ask);
  ask();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    forecast(status).catch((error) => (status.textContent = error.message));
  });
  const looking = byId("plan-check-status");
  const failed = (error) => (looking.textContent = error.message);
  dropPlace(byId("plan-drop"), async (files) => {
    looking.textContent = `Looking at ${files.length} files …`;
    const looker = new Desk();
    try {
      await looker.put(files.map(([path, bytes]) => [`/scans/${path}`, bytes]));
      const { value, shown } = await check(looker, ["/scans", "--recursive"]);
      byId("plan-checked").replaceChildren(...shown);
      looking.textContent = `${value.n} people would count.`;
      if (value.n > 0) byId("plan-n").value = [value.n, 2 * value.n, 4 * value.n].join(", ");
    } finally {
      looker.close();
    }
  }, failed);
}

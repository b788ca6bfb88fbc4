// What `visard check` finds in files: which would count, what is wrong.
import { el, table } from "./dom.js";

const short = (path) => String(path).replace(/^\/(study\/)?(scans\/)?/, "");

function listed(heading, lines) {
  if (lines.length === 0) return [];
  const items = el("ul", {}, ...lines.slice(0, 20).map((line) => el("li", {}, line)));
  return [el("h3", { className: "small" }, heading), items, ...(lines.length > 20 ? [el("p", {}, `and ${lines.length - 20} more`)] : [])];
}

/** Asks, and shows the answer; the answer is the data holder's own. */
export async function check(desk, words) {
  const { value, notes } = await desk.json(["check", ...words]);
  const usable = value.people.filter((one) => one.status === "ok").length;
  const rows = value.people.map((one) => [short(one.file), one.status, one.points, one.mesh ? "mesh" : "points", one.repairs ?? ""]);
  const shown = [
    el("p", { className: "secret" }, "About single people: do not publish."),
    el("p", {}, `${usable} of ${value.people.length} files can be used; ${value.n} people count. Units: ${value.units?.guess ?? "cannot be guessed"}.`),
    ...listed("A study would stop at this", value.refused),
    ...listed("Failed; such scans contribute zero, and stay in the number of people", value.failed.map((one) => `${short(one.file)}: ${one.problem}`)),
    ...listed("The same scan under two names", value.duplicates.map((files) => files.map(short).join(" = "))),
    ...listed("Passed over", value.skipped.map((one) => `${short(one.file)}: ${one.why}`)),
    ...listed("Note", [...value.notes, ...(notes ? [notes] : [])]),
    el("details", {}, el("summary", {}, "Every file"), table([["file", "state", "points", "kind", "repaired"], ...rows])),
  ];
  return { value, shown };
}

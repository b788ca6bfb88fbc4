// Lines over the number of people, as SVG.

const SPACE = "http://www.w3.org/2000/svg";
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 400, 70, 150, 16, 52];

function svg(name, attributes = {}, text = null) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  return made;
}

/** Round numbers across a range of a logarithmic axis, or of one from zero. */
function ticks(low, high, isLog) {
  if (isLog) {
    const found = [];
    for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p++) for (const m of [1, 2, 5]) found.push(m * 10 ** p);
    return found.filter((x) => x >= low * 0.999 && x <= high * 1.001);
  }
  const step = [1, 2, 5].map((m) => m * 10 ** Math.floor(Math.log10(high / 4))).find((s) => high / s <= 6) ?? high / 5;
  return Array.from({ length: Math.floor(high / step + 1.001) }, (_, k) => k * step);
}

const number = (x) => String(Number(x.toPrecision(3)));

/** A chart of series of [people, value]; `dashed` ones are for comparison. */
export function chart({ x, y, series, isLog }) {
  const all = series.flatMap((one) => one.points);
  const [xs, ys] = [0, 1].map((k) => all.map((point) => point[k]));
  const [x0, x1] = [Math.min(...xs) / 1.08, Math.max(...xs) * 1.08];
  const [y0, y1] = isLog ? [Math.min(...ys) / 1.15, Math.max(...ys) * 1.15] : [0, Math.max(...ys) * 1.08];
  const across = (v) => LEFT + ((WIDTH - LEFT - RIGHT) * Math.log(v / x0)) / Math.log(x1 / x0);
  const share = (v) => (isLog ? Math.log(v / y0) / Math.log(y1 / y0) : v / y1);
  const up = (v) => HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share(v);
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${y} over ${x}`, class: "chart" });
  const people = [...new Set(xs)].sort((p, q) => p - q);
  let last = -Infinity;
  for (const value of people.length <= 8 ? people : ticks(x0, x1, true)) {
    const at = across(value);
    picture.append(svg("line", { x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM, class: "grid" }));
    if (at - last < 34) continue;
    last = at;
    picture.append(svg("text", { x: at, y: HEIGHT - BOTTOM + 20, "text-anchor": "middle" }, number(value)));
  }
  for (const value of ticks(isLog ? y0 : 0, y1, isLog)) {
    picture.append(svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: up(value), y2: up(value), class: "grid" }),
      svg("text", { x: LEFT - 8, y: up(value) + 4, "text-anchor": "end" }, number(value)));
  }
  picture.append(svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 10, "text-anchor": "middle" }, x),
    svg("text", { x: 16, y: (TOP + HEIGHT - BOTTOM) / 2, "text-anchor": "middle", transform: `rotate(-90 16 ${(TOP + HEIGHT - BOTTOM) / 2})` }, y));
  // Names at the ends of the lines, moved apart.
  const ends = series.map((one) => up(one.points.at(-1)[1])), order = ends.map((_, k) => k).sort((p, q) => ends[p] - ends[q]);
  order.forEach((k, i) => { if (i > 0) ends[k] = Math.max(ends[k], ends[order[i - 1]] + 16); });
  series.forEach(({ name, points, dashed }, k) => {
    const colour = dashed ? "currentColor" : COLOURS[k % COLOURS.length], look = { stroke: colour, fill: "none", "stroke-width": 2 };
    if (dashed) look["stroke-dasharray"] = "6 5";
    picture.append(svg("polyline", { ...look, points: points.map(([p, q]) => `${across(p)},${up(q)}`).join(" ") }));
    if (!dashed) for (const [p, q] of points) picture.append(svg("circle", { cx: across(p), cy: up(q), r: 3.5, fill: colour }));
    picture.append(svg("text", { x: WIDTH - RIGHT + 8, y: ends[k] + 4, fill: colour }, name));
  });
  return picture;
}

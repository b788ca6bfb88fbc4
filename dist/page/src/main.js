// The three tabs, and the engine under them.
import { Desk } from "./engine.js";
import { byId } from "./dom.js";
import { guard } from "./guard.js";
import { holder } from "./holder.js";
import { planner } from "./planner.js";
import { reader } from "./reader.js";

const TABS = ["read", "plan", "prepare"];

function select(name, focus = false) {
  for (const other of TABS) {
    const tab = byId(`tab-${other}`), chosen = other === name;
    tab.setAttribute("aria-selected", chosen);
    tab.tabIndex = chosen ? 0 : -1;
    byId(other).hidden = !chosen;
    if (chosen && focus) tab.focus();
  }
  if (location.hash !== `#${name}`) history.replaceState(null, "", `#${name}`);
}

function tabs() {
  for (const name of TABS) {
    byId(`tab-${name}`).addEventListener("click", () => select(name));
    byId(`tab-${name}`).addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) select(TABS[(TABS.indexOf(name) + step + TABS.length) % TABS.length], true);
    });
  }
  select(TABS.includes(location.hash.slice(1)) ? location.hash.slice(1) : "read");
}

guard();
tabs();
reader();
planner();
holder();
// For tests: a desk of the page's own engine.
globalThis.visard = { Desk };
const desk = new Desk();
desk.run(["--version"]).then(({ out }) => {
  byId("version").textContent = out.split("\n")[0];
  document.body.dataset.ready = Math.round(performance.now());
}).catch((error) => {
  byId("version").textContent = `This browser cannot run visard: ${error.message}`;
}).finally(() => desk.close());

// Puts the page together: node assemble.mjs MODULE.wasm NODE_MODULES OUT.html. Everything goes into one file, whose policy names its scripts by
// their hashes: the page's own, and those of the reports that visard writes, which it shows in frames.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const [module, packages, out] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const { buildSync } = createRequire(join(packages, "here.js"))("esbuild");
const text = (...path) => readFileSync(join(here, ...path), "utf8");

/** A script with all that it imports. */
const bundle = (entry, define = {}) => buildSync({
  entryPoints: [join(here, "src", entry)], bundle: true, format: "iife", target: "es2022", minify: true, charset: "utf8", legalComments: "none",
  nodePaths: [packages], define, write: false,
}).outputFiles[0].text;

const hash = (script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
const script = bundle("main.js", { WORKER: JSON.stringify(bundle("worker.js")) }).replaceAll("</script", "<\\/script");
const assets = "../../crates/report/src/report/assets";
const scripts = [script, text(assets, "surface.js"), text(assets, "sort.js")].map(hash).join(" ");
const policy = [
  "default-src 'none'", `script-src ${scripts} 'wasm-unsafe-eval'`, "style-src 'unsafe-inline'", "img-src blob: data:", "worker-src blob:",
  "frame-src blob:", "connect-src 'none'", "form-action 'none'", "base-uri 'none'",
].join("; ");
// What is inside and not of visard; its licence asks to be named.
const licence = readFileSync(join(packages, "@bjorn3/browser_wasi_shim/LICENSE-MIT"), "utf8");
const parts = {
  licence: `visard ${text("../../LICENSE-MIT")}\n@bjorn3/browser_wasi_shim\n${licence}`,
  policy,
  style: text("page.css"), engine: gzipSync(readFileSync(module), { level: 9 }).toString("base64"),
  script,
};
const page = text("page.html").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
writeFileSync(out, page);
console.log(`${out}: ${Buffer.byteLength(page)} bytes, the engine ${readFileSync(module).length} before packing, scripts ${script.length}`);

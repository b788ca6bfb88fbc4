// The browser page in a real browser: node page.cjs chrome|firefox BROWSER PAGE.html FOLDER, with what .ci/page made in FOLDER. Exit code 1 if
// anything is wrong.
const dgram = require("node:dgram");
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { execFileSync } = require("node:child_process");
const puppeteer = require("puppeteer-core");

const wrong = [];
function must(holds, what) {
  console.log(`${holds ? "ok   " : "WRONG"} ${what}`);
  if (!holds) wrong.push(what);
}
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (page, selector) => page.$eval(selector, (found) => found.textContent);
const until = (page, condition, ...args) => page.waitForFunction(condition, { timeout: 180_000, polling: 50 }, ...args);

/** Numbers of an .npy file of doubles. */
function npy(bytes) {
  const start = 10 + bytes.readUInt16LE(8);
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length));
}

/** Coordinates of a binary PLY file of doubles whose vertices have three first. */
function vertices(bytes) {
  const end = bytes.indexOf("end_header\n") + 11, head = bytes.subarray(0, end).toString();
  const count = Number(/element vertex (\d+)/.exec(head)[1]);
  const properties = head.split("element vertex")[1].split("element")[0].match(/property (\w+) \w+/g).map((line) => line.split(" ")[1]);
  const size = { double: 8, float: 4, uchar: 1 }, width = properties.reduce((sum, type) => sum + size[type], 0);
  const read = properties[0] === "double" ? (at) => bytes.readDoubleLE(at) : (at) => bytes.readFloatLE(at);
  return Array.from({ length: 3 * count }, (_, i) => read(end + Math.floor(i / 3) * width + (i % 3) * size[properties[0]]));
}

const furthest = (a, b) => a.length !== b.length ? Infinity : a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

/** Runs the command on the page's own engine: files in, words, a folder out. */
async function inPage(page, files, words, out) {
  const given = files.map(([name, file]) => [name, fs.readFileSync(file).toString("base64")]);
  const found = await page.evaluate(async (given, words, out) => {
    const desk = new globalThis.visard.Desk();
    await desk.put(given.map(([name, data]) => [name, Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
    const done = await desk.run(words);
    const made = (await desk.files(out)).map(([name, bytes]) => {
      let letters = "";
      for (let i = 0; i < bytes.length; i += 8192) letters += String.fromCharCode(...bytes.subarray(i, i + 8192));
      return [name, btoa(letters)];
    });
    desk.close();
    return { ...done, made };
  }, given, words, out);
  return { ...found, made: new Map(found.made.map(([name, data]) => [name, Buffer.from(data, "base64")])) };
}

/** What a click saves, without a download. */
async function saved(page, selector) {
  await page.evaluate(() => {
    globalThis.kept = null;
    globalThis.makeUrl ??= URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      globalThis.kept = blob;
      return globalThis.makeUrl.call(URL, blob);
    };
  });
  await page.$eval(selector, (button) => button.click());
  await until(page, () => globalThis.kept);
  const data = await page.evaluate(() => new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.split(",")[1]);
    reader.readAsDataURL(globalThis.kept);
  }));
  return Buffer.from(data, "base64");
}

/** What an accessibility library finds in the three tabs, at desktop and phone width, light and dark. */
async function accessible(page) {
  const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"), found = [];
  await page.evaluate(axe);
  for (const [width, value] of [[1280, "light"], [390, "dark"]]) {
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]).catch(() => {});
    for (const tab of ["read", "plan", "prepare"]) {
      await page.$eval(`#tab-${tab}`, (button) => button.click());
      const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"], iframes: false }));
      found.push(...violations.map((one) => `${tab} at ${width}: ${one.help}: ${one.nodes[0].html.slice(0, 120)}`));
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) found.push(`${tab} is wider than a window of ${width}`);
    }
  }
  must(found.length === 0, `accessible in three tabs and two windows${["", ...found].join("; ")}`);
}

async function upload(page, selector, ...files) {
  const input = await page.$(selector);
  await input.uploadFile(...files);
}

async function reader(page, folder, shots) {
  await page.$eval("#tab-read", (tab) => tab.click());
  await upload(page, "#read-a input[accept='.zip']", path.join(folder, "release.zip"));
  await until(page, () => /read and checked/.test(document.querySelector("#read-a [role=status]").textContent));
  const found = await text(page, "#read-a .found");
  must(/differentially private/.test(found) && /right at most/.test(found), "reader: the certificate in words");
  must(/Files match the certificate/.test(found), "reader: without a ledger it says what was not checked");
  await upload(page, "#read-a .more input", path.join(folder, "demo/visard.ledger.jsonl"));
  await until(page, () => /Checked with/.test(document.querySelector("#read-a > [role=status]").textContent));
  must(/Private, and checked/.test(await text(page, "#read-a .found")), "reader: with the ledger the release is bound to its charge");
  const handle = await page.$("#read-a iframe"), frame = await handle.contentFrame();
  await wait(500);
  const inside = await frame.evaluate(() => ({ canvases: document.querySelectorAll("canvas").length, buttons: document.querySelectorAll("button").length }));
  must(inside.canvases > 0 && inside.buttons > 3, "reader: the report's surface turns in its frame");
  await shots("reader");
  const glb = await saved(page, "#read-a .found .row button");
  must(glb.subarray(0, 4).toString() === "glTF", `reader: GLB saved, ${glb.length} bytes`);
  const gif = await saved(page, "#read-a .turntable");
  fs.writeFileSync(path.join(folder, "turntable.gif"), gif);
  const loads = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/gif;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas"), context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
    let drawn = 0;
    for (let i = 0; i < pixels.length; i += 4) drawn += pixels[i + 2] < 200;
    return { width: image.width, share: drawn / (pixels.length / 4) };
  }, gif.toString("base64"));
  const views = gif.toString("latin1").split("\x21\xf9\x04\x00").length - 1;
  must(views === 48 && loads.width === 320 && loads.share > 0.2, `reader: a turntable of ${views} views, ${gif.length} bytes, a face in ${loads.share.toFixed(2)} of the first`);
  await upload(page, "#read-b input[accept='.zip']", path.join(folder, "changed.zip"));
  await until(page, () => document.querySelector("#read-b .badge"));
  must(/Do not rely/.test(await text(page, "#read-b .found")) && !(await page.$("#read-b iframe")), "reader: what was changed is refused, and not shown");
  await upload(page, "#read-b input[accept='.zip']", path.join(folder, "release.zip"));
  await until(page, () => document.querySelector("#read-compare button"));
  await page.$eval("#read-compare button", (button) => button.click());
  await until(page, () => document.querySelector("#read-compare iframe"));
  must(/closest points: +0 and back 0/.test(await text(page, "#read-compare")), "reader: a release is no distance from itself");
  await shots("two");
}

async function planner(page, folder, shots) {
  await page.$eval("#tab-plan", (tab) => tab.click());
  await page.$eval("#plan-n", (input) => (input.value = "100 400"));
  await page.$eval("#plan-mu", (input) => (input.value = "1"));
  const begun = Date.now();
  await page.$eval("#plan-form button", (button) => button.click());
  await until(page, () => document.querySelector("#plan-found svg"));
  const rows = await page.$$eval("#plan-found tbody tr", (lines) => lines.map((line) => [...line.cells].map((cell) => Number(cell.textContent))));
  const heads = await page.$$eval("#plan-found th", (cells) => cells.map((cell) => cell.textContent.replaceAll(" ", "_")));
  const native = JSON.parse(fs.readFileSync(path.join(folder, "plan.json"))), at = heads.indexOf("error_mm");
  const off = Math.max(...native.map((row, k) => Math.abs(rows[k][at] / row.error_mm - 1)));
  must(off < 1e-3, `planner: the native command's forecast to ${off.toExponential(1)}, in ${Date.now() - begun} ms`);
  await shots("planner");
  await page.$eval("#plan-mu", (input) => (input.value = "-1"));
  await page.$eval("#plan-form button", (button) => button.click());
  await until(page, () => /mu/.test(document.querySelector("#plan-status").textContent));
  must(true, `planner: a bad budget is refused in the command's words: ${await text(page, "#plan-status")}`);
}

async function holder(page, folder, shots, speed) {
  await page.$eval("#tab-prepare", (tab) => tab.click());
  const scans = fs.readdirSync(path.join(folder, "demo/scans")).map((name) => path.join(folder, "demo/scans", name));
  await upload(page, "#hold-drop input[multiple]", ...scans);
  await until(page, () => /people count/.test(document.querySelector("#hold-status").textContent));
  must(/50 people count/.test(await text(page, "#hold-status")), "holder: 50 people");
  for (const [workers, most] of [[1, 20], [2, 12]]) {
    await page.$eval("#hold-workers", (input, workers) => (input.value = workers), workers);
    await page.$eval("#hold-go", (button) => button.click());
    await until(page, () => /went through/.test(document.querySelector("#hold-status").textContent));
    const seconds = Number(await page.$eval("#hold-register", (part) => part.dataset.seconds));
    const what = `holder: 50 scans with ${workers} workers in ${seconds} s (at most ${most} on two idle cores)`;
    if (speed) must(seconds <= most, what);
    else console.log(`     ${what}`);
  }
  await page.$eval("#hold-faces button", (button) => button.click());
  await shots("holder");
  must((await page.$$("#hold-faces canvas")).length === 50, "holder: every record is drawn");
  const zip = path.join(folder, "finish.zip"), out = path.join(folder, "finish");
  fs.writeFileSync(zip, await saved(page, "#hold-save"));
  fs.rmSync(out, { recursive: true, force: true });
  execFileSync("python3", ["-m", "zipfile", "-e", zip, out]);
  must(/DO NOT SHARE/.test(fs.readFileSync(path.join(out, "visard-study/FINISH.txt"), "utf8")), "holder: the study folder is marked");
  const records = fs.readdirSync(path.join(folder, "records")).filter((name) => name.endsWith(".npy"));
  const there = records.filter((name) => fs.existsSync(path.join(out, "visard-study/internal-records", name)));
  // Records have unit area; a face of 20 cm is 200 of its millimetres. Registration sums its equations in single precision, natively with fused
  // operations that WebAssembly lacks: that shows in the thousandths.
  const pairs = there.map((name) => [path.join(folder, "records", name), path.join(out, "visard-study/internal-records", name)].map((file) => npy(fs.readFileSync(file))));
  const off = pairs.map(([a, b]) => 200 * Math.sqrt(a.reduce((sum, x, i) => sum + (x - b[i]) ** 2, 0) / (a.length / 3))).sort((a, b) => a - b);
  const [middle, most] = [off[off.length >> 1], off.at(-1)].map((mm) => mm.toPrecision(2));
  must(records.length === there.length && middle < 0.01 && most < 0.1, `holder: ${there.length} records, ${middle} mm from native ones (median of root mean squares; at most ${most})`);
}

/** Arrays with a table about their records: groups are compared, covariates regressed on. */
async function tables(page, folder) {
  await page.$eval("#tab-prepare", (tab) => tab.click());
  const set = (id, value) => page.$eval(id, (input, value) => {
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }, value);
  const made = [["groups", "group", (i) => "ab"[i % 2], "compare", "", /group/], ["ages", "age", (i) => 20 + (i % 40), "regress", "--bounds age=20:60", /regression|covariates/]];
  for (const [name, column, value, statistic, more, answer] of made) {
    const table = path.join(folder, `${name}.csv`);
    fs.writeFileSync(table, [`record,${column}`, ...Array.from({ length: 60 }, (_, i) => `${i},${value(i)}`), ""].join("\n"));
    await upload(page, "#hold-drop input[multiple]", table, path.join(folder, "matrices.npy"));
    await until(page, (name) => document.querySelector("#hold-status").textContent.includes(`${name}.csv is taken`), name);
    await set("#hold-statistic", statistic);
    await set("#hold-more", more);
    await set("#hold-mu", "2");
    await page.$eval("#hold-ask", (button) => button.click());
    await until(page, () => /is what to expect|refuses/.test(document.querySelector("#hold-status").textContent));
    const [command, price] = [await text(page, "#hold-command"), await text(page, "#hold-price")];
    must(/Nothing was charged/.test(await text(page, "#hold-status")) && answer.test(price), `holder: a table ${name} and its price`);
    const zip = path.join(folder, `${name}.zip`), out = path.join(folder, name);
    fs.writeFileSync(zip, await saved(page, "#hold-save"));
    fs.rmSync(out, { recursive: true, force: true });
    execFileSync("python3", ["-m", "zipfile", "-e", zip, out]);
    must(command.includes(`${name}.csv`) && fs.existsSync(path.join(out, `visard-study/${name}.csv`)), `holder: ${command}`);
  }
}

async function native(page, folder) {
  const scans = ["person-0001", "person-0002", "person-0003"];
  const files = scans.map((name) => [`/scans/${name}.ply`, path.join(folder, `demo/scans/${name}.ply`)]);
  const { made } = await inPage(page, files, ["face", "register", "/scans", "--out", "/out"], "/out");
  const off = scans.map((name) => {
    const [a, b] = [made.get(`/out/${name}.registered.ply`), fs.readFileSync(path.join(folder, `registered/${name}.registered.ply`))].map(vertices);
    return Math.sqrt(a.reduce((sum, x, i) => sum + (x - b[i]) ** 2, 0) / (a.length / 3));
  });
  must(Math.max(...off) < 0.01, `registered scans ${off.map((mm) => mm.toPrecision(2))} mm from native ones (root mean square)`);
  const shapes = await inPage(page, [["/outlines.tps", path.join(folder, "shapes/outlines.tps")]],
    ["shape", "mean", "/outlines.tps", "--landmarks", "50", "--dimensions", "2", "--mu", "1", "--seed", "7", "--out", "/study"], "/study/release");
  same(shapes, path.join(folder, "shape/release/mean.npy"), "landmarks");
  const matrices = await inPage(page, [["/matrices.npy", path.join(folder, "matrices.npy")]],
    ["spd", "mean", "/matrices.npy", "--radius", "3", "--mu", "1", "--seed", "7", "--out", "/study"], "/study/release");
  same(matrices, path.join(folder, "spd/release/mean.npy"), "matrices");
  const unseeded = await inPage(page, [["/outlines.tps", path.join(folder, "shapes/outlines.tps")]],
    ["shape", "mean", "/outlines.tps", "--landmarks", "50", "--dimensions", "2", "--mu", "1", "--out", "/study"], "/study");
  must(unseeded.code === 1 && /cannot keep a ledger safe/.test(unseeded.errors) && unseeded.made.size === 0, "no release is drawn from records, and nothing is left");
}

function same({ made, errors }, file, what) {
  const found = made.get("/study/release/mean.npy"), expected = fs.readFileSync(file);
  if (!found) return must(false, `seeded ${what}: ${errors}`);
  const equal = found.equals(expected), off = equal ? 0 : furthest(npy(found), npy(expected));
  must(off < 1e-9, `seeded release of ${what}: ${equal ? "equal to the native one byte by byte" : `at most ${off.toExponential(1)} from the native one`}`);
}

/** Tries to get something out, with a listener that would hear it. `frames`: in frames too, at whose refusal Firefox's driver ends. */
async function escape(page, frames) {
  const heard = [];
  const server = http.createServer((request, response) => {
    heard.push(request.url);
    response.end("<p>out</p>");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const udp = dgram.createSocket("udp4");
  udp.on("message", () => heard.push("WebRTC"));
  await new Promise((resolve) => udp.bind(0, "127.0.0.1", resolve));
  const target = `http://127.0.0.1:${server.address().port}`, before = page.url();
  const tries = await page.evaluate(async (target, stun, frames) => {
    const results = {}, attempt = async (name, work) => {
      try {
        results[name] = (await work()) ?? "tried";
      } catch (error) {
        results[name] = `refused: ${error.message === "not tried" ? error.message : error.name ?? error}`;
      }
    };
    const add = (name, properties) => {
      if (!frames && (name === "iframe" || name === "object")) throw new Error("not tried");
      const made = Object.assign(document.createElement(name), properties);
      document.body.append(made);
      return made;
    };
    await attempt("fetch", () => fetch(`${target}/fetch`).then(() => "GOT OUT"));
    await attempt("fetch no-cors", () => fetch(`${target}/fetch2`, { mode: "no-cors" }).then(() => "GOT OUT"));
    await attempt("request", () => new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open("GET", `${target}/request`);
      request.onload = () => resolve("GOT OUT");
      request.onerror = () => reject(new Error("refused"));
      request.send();
    }));
    await attempt("beacon", () => navigator.sendBeacon(`${target}/beacon`, "x"));
    await attempt("socket", () => void new WebSocket(target.replace("http", "ws")));
    await attempt("events", () => void new EventSource(`${target}/events`));
    await attempt("image", () => void add("img", { src: `${target}/image` }));
    await attempt("script", () => void add("script", { src: `${target}/script` }));
    await attempt("inline script", () => void add("script", { textContent: `fetch("${target}/inline")` }));
    await attempt("frame", () => void add("iframe", { src: `${target}/frame` }));
    await attempt("object", () => void add("object", { data: `${target}/object` }));
    await attempt("media", () => void add("video", { src: `${target}/video` }));
    for (const rel of ["prefetch", "preload", "stylesheet", "icon", "manifest", "dns-prefetch", "preconnect", "modulepreload", "prerender"]) {
      await attempt(`link ${rel}`, () => void document.head.append(Object.assign(document.createElement("link"), { rel, href: `${target}/${rel}`, as: "image" })));
    }
    await attempt("style", () => void add("style", { textContent: `@import "${target}/import";@font-face{font-family:o;src:url(${target}/font)}body{font-family:o;background:url(${target}/background)}` }));
    await attempt("worker", () => void new Worker(`${target}/worker`));
    await attempt("worker's fetch", () => new Promise((resolve) => {
      const code = `fetch("${target}/inworker",{mode:"no-cors"}).then(()=>postMessage("GOT OUT"),()=>postMessage("refused"));try{importScripts("${target}/imported")}catch{}`;
      const worker = new Worker(URL.createObjectURL(new Blob([code])));
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = () => resolve("refused");
      setTimeout(() => resolve("silent"), 1500);
    }));
    await attempt("form", () => add("form", { action: `${target}/form`, method: "post" }).submit());
    await attempt("frame's form", () => {
      const frame = add("iframe", { srcdoc: `<form action="${target}/frameform" method="post"></form>` });
      return new Promise((resolve) => (frame.onload = () => { frame.contentDocument?.forms[0]?.submit(); resolve(); }));
    });
    await attempt("window", () => globalThis.open(`${target}/window`));
    await attempt("link", () => add("a", { href: `${target}/link`, target: "_blank" }).click());
    await attempt("WebRTC", async () => {
      const peer = new RTCPeerConnection({ iceServers: [{ urls: stun }] });
      peer.createDataChannel("x");
      await peer.setLocalDescription();
      await new Promise((resolve) => setTimeout(resolve, 1500));
    });
    return results;
  }, target, `stun:127.0.0.1:${udp.address().port}`, frames);
  await wait(1500);
  await page.evaluate((target) => { location.href = `${target}/navigation`; }, target).catch(() => {});
  await wait(1500);
  console.log(`     ${JSON.stringify(tries)}`);
  const tried = Object.values(tries).filter((found) => !/not tried/.test(found)).length + 1;
  must(heard.length === 0, `nothing gets out of ${tried} ways tried${heard.length ? `: ${heard}` : ""}`);
  must(page.url() === before, "the page goes nowhere");
  server.close();
  udp.close();
}

async function main([kind, executablePath, file, folder]) {
  const isChrome = kind === "chrome", profile = fs.mkdtempSync(path.join(fs.realpathSync(folder), "profile-"));
  const quiet = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"];
  const browser = await puppeteer.launch({
    browser: kind, executablePath, headless: true, userDataDir: profile,
    args: isChrome ? [...quiet, "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] : [],
    protocolTimeout: 300_000,
  });
  try {
    const page = await browser.newPage();
    const shots = (name) => page.screenshot({ path: path.join(folder, `${kind}-${name}.png`), fullPage: true });
    // What is tried in the end is refused there; until then a word in the console is a fault.
    const said = (message) => wrong.push(`console: ${message.text()}`), fell = (error) => wrong.push(`script: ${error.message}`);
    page.on("console", said);
    page.on("pageerror", fell);
    const asked = (request) => { if (!/^(file|data|blob|about):/.test(request.url())) wrong.push(`asks the network for ${request.url()}`); };
    page.on("request", asked);
    await page.setViewport({ width: 1280, height: 900 });
    const size = fs.statSync(file).size;
    must(size <= 6_000_000, `${size} bytes`);
    const url = `file://${path.resolve(file)}`;
    await page.goto(url);
    await until(page, () => document.body.dataset.ready);
    const ready = Number(await page.$eval("body", (body) => body.dataset.ready));
    const onTime = process.env.VISARD_TIMES !== "no";
    must(!onTime || ready <= 1500, `the command answers ${ready} ms after the page was opened`);
    await reader(page, folder, shots);
    await planner(page, folder, shots);
    await tables(page, folder);
    await holder(page, folder, shots, onTime);
    await native(page, folder);
    await accessible(page);
    page.off("console", said);
    page.off("pageerror", fell);
    page.off("request", asked);
    await escape(page, isChrome);
  } finally {
    await browser.close();
    fs.rmSync(profile, { recursive: true, force: true });
  }
  console.log([`${kind}: ${wrong.length} wrong`, ...wrong].join("\n  "));
  process.exit(wrong.length ? 1 : 0);
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});

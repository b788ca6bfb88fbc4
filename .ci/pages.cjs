// Accessibility (axe-core) of pages in real browsers, at phone and desktop width, light and dark; no page may ask anything of the network or
// be wider than its window. Usage: node axe.cjs BROWSER_KIND BROWSER PAGE…, with BROWSER_KIND chrome or firefox; exit code 1 if anything is wrong.
const fs = require("fs");
const path = require("path");
const puppeteer = require("puppeteer-core");

const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const windows = [
  { name: "phone", width: 390, height: 844, scheme: "light" },
  { name: "desktop", width: 1280, height: 900, scheme: "light" },
  { name: "desktop, dark", width: 1280, height: 900, scheme: "dark" },
];

/** What is wrong with a page in a window, a line each. */
async function look(browser, file, window) {
  const wrong = [];
  const page = await browser.newPage();
  page.on("pageerror", (error) => wrong.push(`script: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data|blob|about):/.test(request.url())) wrong.push(`asks the network for ${request.url()}`);
  });
  await page.setViewport({ width: window.width, height: window.height });
  // Firefox takes the scheme from its profile (below), not from the page's driver.
  if (!browser.firefox) await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: window.scheme }]);
  await page.goto("file://" + path.resolve(file));
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  for (const v of found.violations) wrong.push(`${v.id} (${v.impact}): ${v.help}: ${v.nodes[0].html.slice(0, 160)}`);
  if (found.passes.length < 20) wrong.push(`only ${found.passes.length} rules applied: is this a report?`);
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (over > 0) wrong.push(`${over} pixels wider than the window`);
  await page.close();
  return wrong;
}

async function main([kind, executablePath, ...files]) {
  if (files.length === 0) throw new Error("no pages to look at");
  let wrong = 0;
  for (const scheme of ["light", "dark"]) {
    const browser = await puppeteer.launch({
      browser: kind,
      executablePath,
      headless: true,
      args: kind === "chrome" ? ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] : [],
      extraPrefsFirefox: { "layout.css.prefers-color-scheme.content-override": scheme === "dark" ? 0 : 1 },
    });
    browser.firefox = kind === "firefox";
    for (const file of files) {
      for (const window of windows.filter((w) => w.scheme === scheme)) {
        for (const line of await look(browser, file, window)) {
          wrong += 1;
          console.log(`${file} (${kind}, ${window.name}): ${line}`);
        }
      }
    }
    await browser.close();
  }
  console.log(`${kind}: ${files.length} pages, three windows each, ${wrong} defects`);
  process.exit(wrong ? 1 : 0);
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});

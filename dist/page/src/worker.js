// A desk: a folder in memory, and the command `visard` run on it. Every run is a fresh instance of the module, as a process would be.
import { WASI, File, Directory, PreopenDirectory, OpenFile, ConsoleStdout } from "@bjorn3/browser_wasi_shim";

const root = new PreopenDirectory("/", new Map());
let module = null;

const parts = (path) => path.split("/").filter((part) => part && part !== ".");

/** What lies at a path; nothing where there is nothing. */
function find(path) {
  let here = root.dir;
  for (const part of parts(path)) {
    if (!(here instanceof Directory)) return null;
    here = here.contents.get(part);
    if (!here) return null;
  }
  return here;
}

function put(path, bytes) {
  const way = parts(path), name = way.pop();
  let here = root.dir;
  for (const part of way) {
    if (!here.contents.has(part)) here.contents.set(part, new Directory(new Map()));
    here = here.contents.get(part);
  }
  here.contents.set(name, new File(bytes));
}

function remove(path) {
  const way = parts(path), name = way.pop();
  const folder = find(way.join("/"));
  if (folder instanceof Directory) folder.contents.delete(name);
}

/** All files at and below a path, with their content. */
function files(path, found = []) {
  const here = find(path);
  if (here instanceof File) found.push([path, here.data.slice()]);
  if (here instanceof Directory) for (const name of here.contents.keys()) files(`${path === "/" ? "" : path}/${name}`, found);
  return found;
}

/** Runs `visard` with these words; `named` is told of every file that gets its final name. */
function run(words, named) {
  const out = [], errors = [];
  const listen = (lines) => new ConsoleStdout((bytes) => lines.push(bytes.slice()));
  const open = [new OpenFile(new File([])), listen(out), listen(errors), root];
  const wasi = new WASI(["visard", ...words], ["NO_COLOR=1"], open, { debug: false });
  let memory = null;
  const text = (at, length) => new TextDecoder().decode(new Uint8Array(memory.buffer).slice(at, at + length));
  const imports = {
    ...wasi.wasiImport,
    // The layer's own falls back to Math.random, which is no source of randomness. Here there is one, or the command fails.
    random_get(at, length) {
      const bytes = new Uint8Array(length);
      for (let i = 0; i < length; i += 65536) crypto.getRandomValues(bytes.subarray(i, i + 65536));
      new Uint8Array(memory.buffer).set(bytes, at);
      return 0;
    },
    // The layer's own counts letters; what is copied are bytes.
    args_sizes_get(count, size) {
      const view = new DataView(memory.buffer), encoder = new TextEncoder();
      view.setUint32(count, wasi.args.length, true);
      view.setUint32(size, wasi.args.reduce((sum, word) => sum + encoder.encode(word).length + 1, 0), true);
      return 0;
    },
    path_rename(from, oldAt, oldLength, to, newAt, newLength) {
      const code = wasi.wasiImport.path_rename(from, oldAt, oldLength, to, newAt, newLength);
      if (code === 0) named(text(newAt, newLength));
      return code;
    },
  };
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
  memory = instance.exports.memory;
  let code, trap = "";
  try {
    code = wasi.start(instance);
  } catch (error) {
    code = 1;
    trap = `\nerror: the command stopped in the middle (${error.message}); the memory of the page may not suffice`;
  }
  const joined = (lines) => {
    const decoder = new TextDecoder();
    return lines.map((bytes) => decoder.decode(bytes, { stream: true })).join("");
  };
  return { code, out: joined(out), errors: joined(errors) + trap };
}

const tasks = {
  begin: (data) => { module = data.module; },
  put: ({ files: list }) => list.forEach(([path, bytes]) => put(path, bytes)),
  files: ({ path }) => files(path),
  remove: ({ path }) => remove(path),
  run: ({ words }, id) => run(words, (name) => postMessage({ id, named: name })),
};

onmessage = ({ data }) => {
  try {
    postMessage({ id: data.id, done: tasks[data.task](data, data.id) });
  } catch (error) {
    postMessage({ id: data.id, failed: String(error.message ?? error) });
  }
};

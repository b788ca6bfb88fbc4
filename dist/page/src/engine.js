// The command, unpacked from the page, and desks for it to work at. Nothing here is computed by JavaScript.
/* global WORKER */

let compiled = null;

/** The module: base64 and gzip in the page, so that one file is all there is. */
export function engine() {
  compiled ??= unpack();
  return compiled;
}

async function unpack() {
  const block = document.getElementById("engine");
  const text = atob(block.textContent.trim());
  block.remove();
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(plain).arrayBuffer());
}

const source = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));

/** A worker with a folder of its own in memory. */
export class Desk {
  constructor() {
    this.worker = new Worker(source);
    this.waiting = new Map();
    this.next = 1;
    this.worker.onmessage = ({ data }) => {
      const { resolve, reject, named } = this.waiting.get(data.id);
      if ("named" in data) return named?.(data.named);
      this.waiting.delete(data.id);
      return "failed" in data ? reject(new Error(data.failed)) : resolve(data.done);
    };
    this.worker.onerror = (event) => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message || "the worker stopped"));
      this.waiting.clear();
    };
    this.ready = engine().then((module) => this.ask("begin", { module }));
  }

  ask(task, data = {}, named = null) {
    return new Promise((resolve, reject) => {
      const id = this.next++;
      this.waiting.set(id, { resolve, reject, named });
      this.worker.postMessage({ id, task, ...data });
    });
  }

  async put(files) {
    await this.ready;
    return this.ask("put", { files });
  }

  async files(path) {
    await this.ready;
    return this.ask("files", { path });
  }

  async remove(path) {
    await this.ready;
    return this.ask("remove", { path });
  }

  /** What `visard` answers: exit code, standard output, standard error. */
  async run(words, named) {
    await this.ready;
    return this.ask("run", { words }, named);
  }

  /** The answer as --json gives it; an error is thrown in the command's own words. `check` answers with exit code 1 too. */
  async json(words) {
    const { code, out, errors } = await this.run([...words, "--json"]);
    let value = null;
    try {
      value = JSON.parse(out);
    } catch {
      throw new Error(errors.trim() || `visard ${words[0]} ended with exit code ${code}`);
    }
    if (value?.error) throw new Error([value.error.message, value.error.hint].filter(Boolean).join(". "));
    return { value, notes: errors.trim() };
  }

  /** Ends the worker, whatever it is doing. */
  close() {
    this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(new Error("stopped"));
    this.waiting.clear();
  }
}

// The page's side of the worker: starts it when it is needed, asks it, and ends it when it takes too long.

/** How long an answer may take, in milliseconds. Beyond that, a pattern does not come to an end. */
export const LIMIT = 90_000;

export class Engine {
  /** `manifest` is the address of the list of files; `onState` is called with what the worker reports of its start. */
  constructor(manifest, onState, limit = LIMIT) {
    this.manifest = manifest;
    this.onState = onState;
    this.limit = limit;
    this.worker = null;
    this.ready = null;
    this.waiting = null;
  }

  /** Start the worker if it does not run; resolves once it can answer. */
  start() {
    this.ready ??= new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.worker = this.#worker();
      this.worker.postMessage({ start: this.manifest });
    });
    return this.ready;
  }

  /** Return the answer to a request. */
  async ask(request) {
    await this.start();
    const timer = setTimeout(
      () => this.stop(`No answer within ${this.limit / 1000} seconds. The command line has no such limit.`),
      this.limit,
    );
    try {
      return await new Promise((resolve, reject) => {
        this.waiting = { resolve, reject };
        this.worker.postMessage({ request });
      });
    } finally {
      clearTimeout(timer);
    }
  }

  /** End the worker; what waits for it fails with `reason`. The next request starts another one. */
  stop(reason) {
    this.worker?.terminate();
    this.worker = this.ready = null;
    this.#settle("reject", new Error(reason));
  }

  #worker() {
    // A worker made of a text has the content security policy of this page. One with an address has none.
    const script = `import ${JSON.stringify(new URL("worker.mjs", import.meta.url).href)};`;
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const worker = new Worker(address, { type: "module" });
    worker.onmessage = ({ data }) => this.#take(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.stop(`vcompat does not start in this browser: ${event.message ?? "the worker failed"}`);
    };
    return worker;
  }

  #take(data) {
    if (data.ready) this.#settle("resolve");
    else if (data.answer) this.#settle("resolve", data.answer);
    else if (data.error) this.stop(data.error);
    else this.onState(data);
  }

  #settle(how, value) {
    const waiting = this.waiting;
    this.waiting = null;
    waiting?.[how](value);
  }
}

import { interrupted } from "../errors/cli-error.js";
import { type EndSignal, endSignals, exitCodeOfSignal } from "../errors/exit-codes.js";

/** The members of a process that an interruption uses. */
export interface SignaledProcess {
  on(signal: EndSignal, listener: () => void): unknown;
  exit(code: number): unknown;
}

/** `npm run` and `npx` forward a Ctrl-C that the terminal has sent to this process already. */
const sameKeyMs = 300;

/**
 * Ends a run in an orderly way on Ctrl-C, on SIGQUIT, on SIGTERM, and on SIGHUP, which comes when the terminal is closed: it aborts the
 * work in progress, and the command then prints the results so far. A second signal ends the process at once.
 */
export class Interruption {
  readonly #controller = new AbortController();
  #firstAt = 0;
  #receive: ((signal: EndSignal) => void) | undefined;

  constructor(host: SignaledProcess) {
    for (const name of endSignals) {
      host.on(name, () => {
        if (this.#receive) return this.#receive(name);
        if (!this.signal.aborted) return this.interrupt(name);
        if (performance.now() - this.#firstAt >= sameKeyMs) host.exit(exitCodeOfSignal(name));
      });
    }
  }

  /** Aborted by the first signal; the reason is the error that the run then ends with. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Does what the signal does. */
  interrupt(name: EndSignal): void {
    this.#firstAt = performance.now();
    this.#controller.abort(interrupted(name));
  }

  /** Passes the signals to `receive` instead until `work` is done, because a program that runs in the foreground handles them. */
  async leaveTo<T>(receive: (signal: EndSignal) => void, work: () => Promise<T>): Promise<T> {
    const outer = this.#receive;
    this.#receive = receive;
    try {
      return await work();
    } finally {
      this.#receive = outer;
    }
  }
}

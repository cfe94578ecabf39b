import { interruptedError } from "../errors/cli-error.js";
import { type TerminationSignal, terminationSignals, getExitCodeOfSignal } from "../errors/exit-codes.js";

/** The members of a process that an interruption uses. */
export interface SignaledProcess {
  on(signal: TerminationSignal, listener: () => void): unknown;
  exit(code: number): unknown;
}

/** `npm run` and `npx` forward a Ctrl-C that the terminal has sent to this process already. */
const repeatedSignalMs = 300;

/**
 * Stops a run in an orderly way on Ctrl-C, on SIGQUIT, on SIGTERM, and on SIGHUP, which comes when the terminal is closed: it aborts the
 * work in progress, and the command then prints the results so far. A second signal terminates the process immediately.
 */
export class Interruption {
  readonly #controller = new AbortController();
  #firstSignalAt = 0;
  #receiveSignal: ((signal: TerminationSignal) => void) | undefined;

  constructor(signaledProcess: SignaledProcess) {
    for (const name of terminationSignals) {
      signaledProcess.on(name, () => {
        if (this.#receiveSignal) return this.#receiveSignal(name);
        if (!this.signal.aborted) return this.interrupt(name);
        if (performance.now() - this.#firstSignalAt >= repeatedSignalMs)
          signaledProcess.exit(getExitCodeOfSignal(name));
      });
    }
  }

  /** Aborted by the first signal; the reason is the error that the run then ends with. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Does what the signal does. */
  interrupt(name: TerminationSignal): void {
    this.#firstSignalAt = performance.now();
    this.#controller.abort(interruptedError(name));
  }

  /** Passes the signals to `receiveSignal` instead until `callback` is done, because a program that runs in the foreground handles them. */
  async delegateSignals<T>(
    receiveSignal: (signal: TerminationSignal) => void,
    callback: () => Promise<T>,
  ): Promise<T> {
    const previousReceiver = this.#receiveSignal;
    this.#receiveSignal = receiveSignal;
    try {
      return await callback();
    } finally {
      this.#receiveSignal = previousReceiver;
    }
  }
}

import type { Mock } from "@mgmt/mock";
import type { Failure, FromWorker, Printed, ReceivedResponse, SentRequest, Start } from "../messages.js";

export interface RunEvents {
  print(printed: Printed): void;
  /** @param failure what the program threw, if it failed. */
  end(failure?: Failure): void;
}

/**
 * Runs a program in a worker of its own. Returns a function that stops it at any time.
 *
 * @param runner URL of the built `worker/runner.ts`.
 */
export const runProgram = (start: Start, mock: Mock, runner: URL, events: RunEvents): (() => void) => {
  // A worker from a blob: URL has the content security policy of the page. One from a URL of the website would have none. What it
  // imports statically is subject to `worker-src`, so it uses `import()`.
  const script = `
    globalThis.mgmtStart = ${JSON.stringify(start)};
    import(${JSON.stringify(runner.href)}).catch(reportError);
  `;
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
  const stop = (): void => {
    worker.onmessage = worker.onerror = null;
    worker.terminate();
    URL.revokeObjectURL(url);
  };
  const end = (failure?: Failure): void => {
    // What a program that has ended started, such as a timer, goes on.
    if (failure) stop();
    events.end(failure);
  };
  worker.onerror = () => end(notStarted);
  worker.onmessage = ({ data, ports: [port] }: MessageEvent<FromWorker>) => {
    if (data.type === "print") events.print(data.printed);
    else if (data.type === "end") end(data.failure);
    else void respond(mock, data.request).then((response) => port?.postMessage(response));
  };
  return stop;
};

const respond = async (mock: Mock, { url, ...init }: SentRequest): Promise<ReceivedResponse> => {
  try {
    const response = await mock.fetch(url, init);
    return {
      status: response.status,
      headers: [...response.headers],
      body: await response.arrayBuffer(),
    };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
};

const notStarted: Failure = {
  name: "WorkerError",
  code: "try-it:not_started",
  message: "The browser could not start the program",
  hint: "Reload the page. The program needs a browser with module workers: Chrome 80, Firefox 114, Safari 15, or newer",
};

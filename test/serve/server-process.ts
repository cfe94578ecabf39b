import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import type { ServeSettings } from "../../packages/platform/src/serve/config-schema.js";
import { type Answer, isRecord, sendRequest, textAt } from "../crash/request.js";

/** A server of a service in a process of its own. */
export class ServerProcess {
  /** Lines of its log. */
  readonly log: Record<string, unknown>[] = [];
  readonly #lines = new EventEmitter();
  readonly #child: ChildProcess;
  /** Its address and port. Empty until it is ready. */
  address = "";

  private constructor(program: string, settings: ServeSettings, environment: Record<string, string>) {
    this.#child = spawn(process.execPath, [program, JSON.stringify(settings)], {
      env: { ...process.env, ...environment },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error("The server has no output");
    createInterface({ input: stdout }).on("line", (line) => {
      const entry: unknown = line.startsWith("{") ? JSON.parse(line) : { msg: line };
      if (isRecord(entry)) this.log.push(entry);
      this.#lines.emit("line");
    });
    createInterface({ input: stderr }).on("line", (line) => this.log.push({ msg: "stderr", line }));
    this.#child.once("close", () => this.#lines.emit("line"));
  }

  /**
   * Starts a server and waits until it is ready.
   *
   * @throws Error with the code of the refusal, when it does not start.
   */
  static async start(
    program: string,
    settings: ServeSettings,
    environment: Record<string, string> = {},
  ): Promise<ServerProcess> {
    const server = new ServerProcess(program, settings, environment);
    await server.waitFor((message) => message === "ready" || message === "refused");
    const [refusal] = server.log.filter(({ msg }) => msg === "refused");
    if (refusal) throw Object.assign(new Error(textAt(refusal, "message")), { code: refusal["code"] });
    server.address = textAt(
      server.log.find(({ msg }) => msg === "ready"),
      "address",
    );
    return server;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Waits until the log has a message. */
  async waitFor(matches: (message: string) => boolean): Promise<void> {
    while (!this.log.some(({ msg }) => typeof msg === "string" && matches(msg))) {
      if (!this.isRunning) throw new Error(`The server has ended: ${JSON.stringify(this.log.slice(-5))}`);
      await once(this.#lines, "line");
    }
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Resolves when the process has ended. */
  async end(name: NodeJS.Signals): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child, "exit");
    this.signal(name);
    await ended;
  }

  call(token: string, method: string, path: string, body?: object): Promise<Answer> {
    return sendRequest(this.address + path, method, { authorization: `Bearer ${token}` }, body);
  }
}

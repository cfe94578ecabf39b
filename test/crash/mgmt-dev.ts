import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { bin } from "../../packages/cli/test/bin.js";
import { descendantsOf, killAll } from "../../packages/platform/test/processes.js";
import { type Answer, describe, isRecord, sendRequest, textAt } from "./request.js";
import { Violation } from "./violation.js";

/** What the ready line of `mgmt dev` contains. */
interface Ready {
  baseUrl: string;
  controlUrl: string;
  controlSecretFile: string;
  token: string;
  postgresPort: number;
  copyMethod: "clone" | "copy";
  pid: number;
}

/** What the load of a platform and its verification use. */
export type LoadTarget = Pick<MgmtDev, "tokens" | "userTokens" | "call" | "control" | "connectAsAdmin">;

/** `mgmt dev` in a process of its own, on a data directory that survives its restarts. */
export class MgmtDev {
  #child: ChildProcess | undefined;
  #ready: Ready | undefined;
  #secret = "";
  /** Bearer tokens of the two workspaces that projects move between. */
  tokens: readonly [string, string] = ["", ""];
  /** User tokens, which `projects.transfer` takes as the recipient. */
  userTokens: readonly [string, string] = ["", ""];
  readonly dataDir: string;
  /** Directory of the cluster of Postgres. */
  readonly cluster: string;
  /** File with the messages of `mgmt dev`. */
  readonly log: string;

  /** @param environment more variables of the process. */
  constructor(
    private readonly directory: string,
    private readonly environment: Readonly<Record<string, string>> = {},
  ) {
    this.dataDir = join(directory, "data");
    this.cluster = join(this.dataDir, "postgres");
    this.log = join(directory, "mgmt-dev.log");
  }

  get ready(): Ready {
    if (this.#ready === undefined) throw new Error("mgmt dev is not running");
    return this.#ready;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Process id of the last start, which may have ended. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts the process, with tokens. Resolves when it is ready. */
  async start(): Promise<void> {
    await this.startAgain();
    await this.prepare();
  }

  /** Starts a process that has ended, with the tokens that it had. Resolves when it is ready. */
  async startAgain(): Promise<void> {
    const { child, line } = await this.launch();
    this.#child = child;
    const text = await line;
    const parsed: unknown = text.startsWith("{") ? JSON.parse(text) : {};
    if (!isReady(parsed)) throw new Violation(`mgmt dev did not start: ${text}`);
    this.#ready = parsed;
    this.#secret = await readFile(parsed.controlSecretFile, "utf8");
  }

  /** Removes the rate limit, and makes new tokens. */
  async prepare(): Promise<void> {
    await this.control("PUT", "/rate-limit", {});
    const mint = async (kind: string): Promise<string> => {
      const answer = await this.control("POST", "/tokens", { kind });
      if (answer.status !== 200) throw new Violation(`There is no token: ${describe(answer)}`);
      return textAt(answer.body, "token");
    };
    this.userTokens = [await mint("user"), await mint("other-user")];
    this.tokens = [this.ready.token, this.userTokens[1]];
  }

  /** Starts a process without waiting. `line` resolves with the first line that it prints, or with its errors. */
  async launch(): Promise<{ child: ChildProcess; line: Promise<string> }> {
    const home = join(this.directory, "home");
    await mkdir(home, { recursive: true });
    const log = createWriteStream(this.log, { flags: "a" });
    const words = ["dev", "--port", "0", "--data-dir", this.dataDir, "--output", "json"];
    const child = spawn(process.execPath, [bin, ...words], {
      cwd: "/",
      env: { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, "config"), ...this.environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
      log.write(text);
    });
    const line = new Promise<string>((resolve) => {
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (output.includes("\n")) resolve(output);
      });
      child.once("close", () => {
        log.end();
        resolve(output || errors || "It printed nothing");
      });
    });
    return { child, line };
  }

  /** Resolves when the process has ended. */
  async ended(): Promise<void> {
    if (this.#child !== undefined && this.isRunning) await once(this.#child, "exit");
  }

  async stop(): Promise<void> {
    this.#child?.kill("SIGTERM");
    await this.ended();
  }

  /** Ends the platform and all its processes. */
  killEverything(): void {
    if (this.pid !== undefined && this.isRunning) killAll([this.pid, ...descendantsOf(this.pid)]);
  }

  /** Calls the API. Rejects when no response arrives. */
  async call(token: string, method: string, path: string, body?: object): Promise<Answer> {
    return sendRequest(this.ready.baseUrl + path, method, { authorization: `Bearer ${token}` }, body);
  }

  /** Calls the control surface. */
  async control(method: string, path: string, body?: object): Promise<Answer> {
    return sendRequest(this.ready.controlUrl + path, method, { "x-mgmt-control-secret": this.#secret }, body);
  }

  /** Connects to Postgres as its superuser, past everything that the platform does. */
  async connectAsAdmin(): Promise<Client> {
    const manifest: { postgres: { password: string } } = JSON.parse(
      await readFile(join(this.dataDir, "platform.json"), "utf8"),
    );
    const { password } = manifest.postgres;
    const port = this.ready.postgresPort;
    const client = new Client({ host: "127.0.0.1", port, user: "postgres", password, database: "postgres" });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }
}

const isReady = (value: unknown): value is Ready => isRecord(value) && "baseUrl" in value;

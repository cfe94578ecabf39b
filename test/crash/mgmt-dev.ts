import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { bin } from "../../packages/cli/test/bin.js";
import { descendantsOf, killAll, postmasterPid } from "../../packages/platform/test/processes.js";
import { type Answer, sendRequest } from "./request.js";
import { Violation } from "./violation.js";

/** What the ready line of `mgmt dev` contains. */
interface Ready {
  baseUrl: string;
  controlUrl: string;
  controlSecretFile: string;
  token: string;
  postgresPort: number;
  pid: number;
}

/** `mgmt dev` in a process of its own, on a data directory that survives its restarts. */
export class MgmtDev {
  readonly #directory: string;
  readonly #programs: string | undefined;
  #child: ChildProcess | undefined;
  #ready: Ready | undefined;
  #secret = "";
  /** Bearer tokens of the two workspaces that projects move between. */
  tokens: readonly [string, string] = ["", ""];
  /** User tokens, which `projects.transfer` takes as the recipient. */
  userTokens: readonly [string, string] = ["", ""];

  readonly #environment: Record<string, string>;

  /**
   * @param programs directory with the programs of Postgres. Default: those that `mgmt dev` finds.
   * @param environment more variables of the process.
   */
  constructor(directory: string, programs?: string, environment: Record<string, string> = {}) {
    this.#directory = directory;
    this.#programs = programs;
    this.#environment = environment;
  }

  get dataDir(): string {
    return join(this.#directory, "data");
  }

  /** Directory of the cluster of Postgres. */
  get cluster(): string {
    return join(this.dataDir, "postgres");
  }

  /** File with the messages of `mgmt dev`. */
  get log(): string {
    return join(this.#directory, "mgmt-dev.log");
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

  /** Starts the process. Resolves when it is ready. */
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

  /** Restores the first state, which drops all databases. */
  async renew(): Promise<void> {
    const { status, body } = await this.control("POST", "/reset");
    if (status >= 300) throw new Violation(`The reset failed: ${String(status)} ${JSON.stringify(body)}`);
    await this.prepare();
  }

  /** Removes the rate limit, and makes new tokens. */
  async prepare(): Promise<void> {
    await this.control("PUT", "/rate-limit", {});
    const userTokens = await Promise.all([this.#mint("user"), this.#mint("other-user")]);
    this.userTokens = [userTokens[0], userTokens[1]];
    this.tokens = [this.ready.token, userTokens[1]];
  }

  /** Starts a process without waiting. `line` resolves with the first line that it prints, or with its errors. */
  async launch(): Promise<{ child: ChildProcess; line: Promise<string> }> {
    const home = join(this.#directory, "home");
    await mkdir(home, { recursive: true });
    const log = createWriteStream(this.log, { flags: "a" });
    const child = spawn(
      process.execPath,
      [bin, "dev", "--port", "0", "--data-dir", this.dataDir, "--output", "json"],
      {
        cwd: "/",
        env: {
          ...process.env,
          HOME: home,
          XDG_CONFIG_HOME: join(home, "config"),
          ...(this.#programs !== undefined && { MGMT_POSTGRES: this.#programs }),
          ...this.#environment,
        },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
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
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    await new Promise((resolve) => child.once("exit", resolve));
  }

  /** Returns a service that was never started, on another data directory. */
  async beside(): Promise<MgmtDev> {
    const directory = join(this.#directory, "beside");
    await mkdir(directory, { recursive: true });
    return new MgmtDev(directory);
  }

  /** Removes the data directory. */
  remove(): Promise<void> {
    return rm(this.#directory, { recursive: true, force: true });
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
  async connectAsAdmin(database = "postgres"): Promise<Client> {
    const manifest: { postgres: { password: string } } = JSON.parse(
      await readFile(join(this.dataDir, "platform.json"), "utf8"),
    );
    const client = new Client({
      host: "127.0.0.1",
      port: this.ready.postgresPort,
      user: "postgres",
      password: manifest.postgres.password,
      database,
    });
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }

  postmaster(): Promise<number> {
    return postmasterPid(this.cluster);
  }

  async #mint(kind: string): Promise<string> {
    const { status, body } = await this.control("POST", "/tokens", { kind });
    if (status !== 200 || typeof body["token"] !== "string") {
      throw new Violation(`The control surface refused a token: ${String(status)} ${JSON.stringify(body)}`);
    }
    return body["token"];
  }
}

const isReady = (value: unknown): value is Ready =>
  typeof value === "object" && value !== null && "baseUrl" in value;

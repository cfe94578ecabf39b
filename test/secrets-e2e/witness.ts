import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { bin, ensureBuilt } from "../../packages/cli/test/bin.js";
import { converse } from "../../packages/cli/test/commands/auth/account.js";
import { runInProcess } from "../../packages/cli/test/in-process.js";
import { type Result, run } from "../../packages/cli/test/terminal.js";
import { Canaries } from "./canaries.js";
import { printsOf } from "./print-forms.js";
import { harvest } from "./harvest.js";
import { watchProcesses } from "./process-list.js";
import { type Evidence, type Leak, scan } from "./scan.js";

/** The fields used here of the line that `mgmt dev` prints. */
export interface Ready {
  baseUrl: string;
  controlUrl: string;
  controlSecretFile: string;
  token: string;
  workspaceId: string;
}

interface StoredLogin {
  accessToken: string;
  refreshToken: string;
  expiresAt: number;
}

interface Profiles {
  profiles: { local: { login: StoredLogin } };
}

export interface CommandOptions {
  env?: NodeJS.ProcessEnv;
  stdin?: string;
  /** Working directory. */
  cwd?: string;
  /** Whether standard output is a secret as a whole, or JSON with secrets in fields of their own. */
  output?: "secret" | "secrets";
  /** Starts the built command, which the process list then shows. Otherwise, the command runs in this process. */
  spawn?: boolean;
}

/** Runs `mgmt dev` and its clients, and collects every secret as well as all output that others can read. */
export class Witness {
  readonly canaries = new Canaries();
  readonly evidence: Evidence[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), "mgmt-witness-"));
  readonly #processes = watchProcesses();
  readonly #closed: Promise<unknown>;
  readonly #stream: Promise<string>;

  private constructor(
    readonly ready: Ready,
    private readonly dev: ChildProcess,
    readonly configDir: string,
    read: () => readonly Evidence[],
  ) {
    this.#closed = new Promise((resolve) => dev.once("close", resolve)).then(() =>
      this.evidence.push(...read()),
    );
    harvest({ token: ready.token }, this.canaries);
    this.canaries.add("control secret", this.controlSecret);
    this.#stream = this.#followRequests();
  }

  static async start(): Promise<Witness> {
    await ensureBuilt();
    const configDir = mkdtempSync(join(tmpdir(), "mgmt-witness-config-"));
    const dev = spawn(
      process.execPath,
      [bin, "dev", "--ephemeral", "--port", "0", "--unknown-fields", "refuse", "-o", "json"],
      {
        env: { PATH: process.env["PATH"], HOME: process.env["HOME"], MGMT_CONFIG_DIR: configDir },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let [stdout, stderr] = ["", ""];
    dev.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const ready = await new Promise<Ready>((resolve, reject) => {
      dev.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
        // The ready line is JSON with these fields.
        if (stdout.includes("\n")) resolve(JSON.parse(stdout.split("\n")[0] ?? "") as Ready);
      });
      dev.once("close", () => reject(new Error(`mgmt dev ended: ${stderr}`)));
    });
    return new Witness(ready, dev, configDir, () => [
      { where: "stderr of mgmt dev", text: stderr },
      { where: "stdout of mgmt dev", text: stdout.replace(ready.token, "[removed]") },
    ]);
  }

  get controlSecret(): string {
    return readFileSync(this.ready.controlSecretFile, "utf8").trim();
  }

  /** Returns the login stored in the profile, and adds its secrets to the canaries. */
  get login(): StoredLogin {
    const { login } = this.#profiles().profiles.local;
    harvest(login, this.canaries);
    return login;
  }

  /** Marks the stored access token as expired. */
  expireLogin(): void {
    const all = this.#profiles();
    all.profiles.local.login.expiresAt = 1;
    writeFileSync(this.#profilesFile, JSON.stringify(all));
  }

  /** Returns a new secret to be put where none belongs. */
  stray(): string {
    // Without the first letter, one in fifty would be like an id of Prisma's Management API, which requests may contain.
    const value = `S${randomBytes(24).toString("base64url")}`;
    this.canaries.add("stray secret", value);
    return value;
  }

  record(where: string, text: string): void {
    this.evidence.push({ where, text });
  }

  /** Adds the secrets of a response to the canaries and records the rest as evidence. */
  recordResponse(where: string, response: unknown): void {
    this.record(where, JSON.stringify(harvest(response, this.canaries)) ?? "");
  }

  /** Runs a command and records its output as evidence. */
  async mgmt(line: string, options: CommandOptions = {}): Promise<Result> {
    const { env, stdin, cwd, output, spawn: isSpawned = false } = options;
    const result = await (isSpawned ? run : runInProcess)(line.split(" "), {
      env: { MGMT_CONFIG_DIR: this.configDir, ...env },
      ...(cwd !== undefined && { cwd }),
      ...(stdin !== undefined && { stdin }),
    });
    this.#recordResult(line, result, output);
    return result;
  }

  /** Runs a command with a token of the service. */
  as(token: string, line: string, options: CommandOptions = {}): Promise<Result> {
    const env = { MGMT_BASE_URL: this.ready.baseUrl, MGMT_TOKEN: token, ...options.env };
    return this.mgmt(line, { ...options, env });
  }

  /** Logs in by pasting the result of `paste(redirect)`; the PKCE verifier and the code become canaries. */
  async logIn(paste: (redirect: string) => string): Promise<Result> {
    const file = join(this.folder, `random-values-${String(this.evidence.length)}`);
    const preload = new URL("record-random.mjs", import.meta.url).href;
    const env = {
      MGMT_CONFIG_DIR: this.configDir,
      NODE_OPTIONS: `--import=${preload}`,
      RANDOM_VALUES_FILE: file,
    };
    const line = ["login", "--profile", "local", "--base-url", this.ready.baseUrl, "--no-browser"];
    const result = await converse(line, env, async (url) => {
      this.#addVerifier(readFileSync(file, "utf8").split("\n"), url);
      const { redirect } = await this.control<{ redirect: string }>("POST", "/oauth/consent", { url });
      return paste(redirect);
    });
    this.#recordResult("login", result);
    return result;
  }

  async control<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.ready.controlUrl}${path}`, {
      method,
      headers: { "x-mgmt-control-secret": this.controlSecret, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} returned ${String(response.status)}`);
    const text = await response.text();
    // The caller names the type that its path returns.
    const result = (text ? JSON.parse(text) : undefined) as T;
    harvest(result, this.canaries);
    return result;
  }

  /** Reads the live request log (server-sent events) until the server ends it. */
  async #followRequests(): Promise<string> {
    const headers = { "x-mgmt-control-secret": this.controlSecret, accept: "text/event-stream" };
    const response = await fetch(`${this.ready.controlUrl}/requests`, { headers });
    if (!response.ok) throw new Error(`The stream returned ${String(response.status)}`);
    let text = "";
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
        text += part.value;
    } catch {
      // A server that stops may cut the stream off.
    }
    return text;
  }

  async token(kind: string): Promise<string> {
    return (await this.control<{ token: string }>("POST", "/tokens", { kind })).token;
  }

  /** Returns where the evidence contains a value, to prove that a place is searched. */
  placesOf(value: string): string[] {
    const planted = new Canaries();
    planted.add("planted", value);
    return [...new Set(scan(this.evidence, planted).map(({ where }) => where))];
  }

  /** Waits for the call to fail, and records every text form of its error as evidence. */
  async fails(where: string, call: () => unknown): Promise<unknown> {
    const error: unknown = await Promise.resolve()
      .then(call)
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    if (!(error instanceof Error)) throw new Error(`${where}: nothing was thrown`);
    this.record(where, printsOf(error).join("\n"));
    return error;
  }

  /** Stops `mgmt dev` and returns every place where a canary appeared. */
  async end(): Promise<Leak[]> {
    this.record("request log", JSON.stringify(await this.control("GET", "/requests")));
    this.record("approvals", JSON.stringify(await this.control("GET", "/approvals")));
    const folder = dirname(this.ready.controlSecretFile);
    for (const name of readdirSync(folder).filter((each) => /\.(log|lock)$/.test(each))) {
      this.record(`${name} of mgmt dev`, readFileSync(join(folder, name), "utf8"));
    }
    this.dev.kill("SIGTERM");
    await this.#closed;
    this.record("stream of the request log", await this.#stream);
    this.record("process list", this.#processes.stop().join("\n"));
    return scan(this.evidence, this.canaries);
  }

  async close(): Promise<void> {
    this.dev.kill("SIGTERM");
    await this.#closed;
    this.#processes.stop();
    for (const folder of [this.folder, this.configDir].filter((each) => existsSync(each))) {
      rmSync(folder, { recursive: true });
    }
  }

  get #profilesFile(): string {
    return join(this.configDir, "config.json");
  }

  #profiles(): Profiles {
    // Written by an earlier `mgmt login`.
    return JSON.parse(readFileSync(this.#profilesFile, "utf8")) as Profiles;
  }

  #addVerifier(drawn: readonly string[], url: string): void {
    const challenge = new URL(url).searchParams.get("code_challenge");
    const verifier = drawn.find(
      (value) => createHash("sha256").update(value).digest("base64url") === challenge,
    );
    if (verifier === undefined) throw new Error("The login's PKCE verifier was not among the random values");
    this.canaries.add("code verifier", verifier);
  }

  #recordResult(line: string, { stdout, stderr, status }: Result, output?: "secret" | "secrets"): void {
    this.record(`stderr of mgmt ${line}`, stderr);
    const hasSecrets = output !== undefined && status === 0;
    if (hasSecrets && output === "secret") this.canaries.add("printed token", stdout.trim());
    else if (hasSecrets) this.recordResponse(`stdout of mgmt ${line}`, JSON.parse(stdout));
    else this.record(`stdout of mgmt ${line}`, stdout);
  }
}

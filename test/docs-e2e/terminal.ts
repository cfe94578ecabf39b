import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

/** A command that failed, with what it printed. */
export class CommandFailure extends Error {}

/** Minutes after which a command that has not ended never will. */
const longest = 10;

const lastLines = (text: string): string => text.trim().split("\n").slice(-25).join("\n");

const isListening = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
    socket.once("connect", () => socket.end());
  });

/** A shell, as in a terminal that a reader has open: variables stay set from one command to the next. */
export class Terminal {
  readonly #shell: ChildProcess;
  readonly #cwd: string;
  readonly #scripts: string;
  readonly #printed: string;
  readonly #ended: Promise<unknown>;
  #written = 0;
  #status = "";

  /**
   * @param scripts Folder for the commands and what they print, which is not the reader's.
   * @param functions Bash functions that the reader's commands see.
   */
  constructor(cwd: string, env: NodeJS.ProcessEnv, scripts: string, functions: string) {
    this.#cwd = cwd;
    this.#scripts = scripts;
    this.#printed = join(scripts, `${randomUUID()}.txt`);
    // Unlike a pipe, the file has all that was printed as soon as a command has ended.
    const printed = openSync(this.#printed, "a");
    this.#shell = spawn("bash", ["--noprofile", "--norc"], {
      cwd,
      env,
      // A process group of its own, which `close` ends as a whole.
      detached: true,
      stdio: ["pipe", printed, printed, "pipe"],
    });
    closeSync(printed);
    this.#ended = once(this.#shell, "exit");
    const status = this.#shell.stdio[3];
    if (!(status instanceof Readable)) throw new Error("The shell has no channel for its status");
    status.setEncoding("utf8").on("data", (text: string) => {
      this.#status += text;
    });
    // It has ended, which `run` and `serve` notice.
    this.#shell.stdin?.on("error", () => undefined);
    this.#send(functions);
    this.#send("set -eo pipefail");
  }

  /** All that was printed so far, without colors. */
  get output(): string {
    return stripVTControlCharacters(readFileSync(this.#printed, "utf8"));
  }

  /** The folder that the shell is in, or began in if it has ended. */
  get folder(): string {
    return this.#hasEnded ? this.#cwd : readlinkSync(`/proc/${String(this.#shell.pid)}/cwd`);
  }

  /** Writes commands to a file, which the shell reads. They have no input, as the shell's own is its commands. */
  #send(commands: string): void {
    this.#written += 1;
    const script = join(this.#scripts, `${randomUUID()}.sh`);
    writeFileSync(script, `${commands}\n`);
    this.#shell.stdin?.write(`. '${script}' </dev/null 3>&-; printf '%s;' ${String(this.#written)} >&3\n`);
  }

  /** Runs commands to their end. Returns what they printed. */
  async run(commands: string): Promise<string> {
    const before = this.output.length;
    this.#send(commands);
    const done = `${String(this.#written)};`;
    const until = Date.now() + longest * 60_000;
    while (!this.#status.endsWith(done)) {
      const printed = this.output.slice(before);
      if (this.#hasEnded) throw new CommandFailure(`It fails:\n${lastLines(printed)}`);
      if (Date.now() > until)
        throw new CommandFailure(`It has not ended after ${String(longest)} minutes:\n${lastLines(printed)}`);
      await sleep(20);
    }
    return this.output.slice(before);
  }

  /**
   * Starts a program that keeps running, and waits until it accepts connections at the address that it prints.
   * @returns what it printed until then
   */
  async serve(command: string): Promise<string> {
    const before = this.output.length;
    this.#send(command);
    const until = Date.now() + longest * 60_000;
    for (;;) {
      const printed = this.output.slice(before);
      const [url] = /http:\/\/(?:127\.0\.0\.1|localhost):\d+/.exec(printed) ?? [];
      if (this.#hasEnded || this.#status.endsWith(`${String(this.#written)};`))
        throw new CommandFailure(`It ends instead of running:\n${lastLines(printed)}`);
      if (url !== undefined && (await isListening(url))) return this.output.slice(before);
      if (Date.now() > until) throw new CommandFailure(`It does not listen:\n${lastLines(printed)}`);
      await sleep(100);
    }
  }

  get #hasEnded(): boolean {
    return this.#shell.exitCode !== null || this.#shell.signalCode !== null;
  }

  /** Ends the shell and what it started, as closing the terminal does. */
  async close(): Promise<void> {
    const { pid } = this.#shell;
    if (pid === undefined) return;
    const signal = (name: NodeJS.Signals): void => {
      try {
        process.kill(-pid, name);
      } catch {
        // The group has ended.
      }
    };
    signal("SIGTERM");
    signal("SIGHUP");
    const waited = await Promise.race([this.#ended, sleep(10_000, "late")]);
    if (waited === "late") signal("SIGKILL");
  }
}

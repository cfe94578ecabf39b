import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { spawn, type IPty } from "@lydell/node-pty";
import { readsKeys } from "../../packages/cli/test/pty.js";
import { Emulator } from "./emulator.js";

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Default: 80. */
  readonly columns?: number;
  /** Default: 50. */
  readonly rows?: number;
}

/** How a program ended. */
export interface Ending {
  readonly status: number;
  /** Everything that it wrote. */
  readonly raw: string;
  /** Whether the terminal reads lines, echoes keys, and makes signals of Ctrl-C, as before the program. */
  readonly isRestored: boolean;
  readonly isCursorShown: boolean;
}

/** An escape that terminals ignore. It follows everything that the program writes. */
const endMark = "\u001b]777;end\u0007";

/**
 * Runs the program, writes the state of the terminal and the exit status to a file, and then the mark. It stays when the program
 * is interrupted, as an interactive shell does, and until the mark was read: what is written to a terminal just before its last
 * process ends can be lost.
 */
const shell = [
  `report=$1; shift; trap : INT QUIT TERM HUP; "$@"; status=$?`,
  `{ stty -a; echo "$status"; } >"$report" 2>&1`,
  `trap "" INT QUIT; printf '\\033]777;end\\007' && exec sleep 100`,
].join("\n");

/** Much longer than any command takes, so that one that waits for more keys is reported. */
const longMs = 100_000;

/** A program in a pseudo-terminal, with an emulator that shows what it writes. */
export class Terminal {
  readonly #pty: IPty;
  readonly #emulator: Emulator;
  readonly #folder = mkdtempSync(join(tmpdir(), "mgmt-terminal-report-"));
  readonly #watchers = new Set<() => void>();
  #raw = "";
  #hasEnded = false;
  /** Resolves when the program has ended. */
  readonly ending: Promise<Ending>;

  constructor(program: readonly string[], { cwd, env, columns = 80, rows = 50 }: TerminalOptions) {
    this.#emulator = new Emulator(columns, rows, (text) => this.#pty.write(text));
    const report = join(this.#folder, "report");
    const words = ["-c", shell, "sh", report, ...program];
    this.#pty = spawn("/bin/sh", words, {
      name: env["TERM"] ?? "xterm-256color",
      cols: columns,
      rows,
      cwd,
      env,
    });
    this.ending = new Promise((resolve) => {
      let isEnding = false;
      const finish = (): void => {
        if (!isEnding) resolve(this.#end(report));
        isEnding = true;
      };
      this.#pty.onData((text) => {
        this.#raw += text;
        void this.#emulator.write(text).then(() => this.#look());
        // Keys that came too late can be echoed after it.
        const end = this.#raw.indexOf(endMark);
        if (end < 0) return;
        this.#raw = this.#raw.slice(0, end);
        finish();
        this.#pty.kill("SIGKILL");
      });
      // Without the mark, if the terminal was closed.
      this.#pty.onExit(finish);
    });
  }

  /** What the program has written so far. */
  get raw(): string {
    return this.#raw;
  }

  /** The text of the screen and of what has scrolled out of it, as lines. */
  get text(): string {
    return this.#emulator.screen().text;
  }

  get isCursorShown(): boolean {
    return this.#emulator.isCursorShown;
  }

  /** Whether single keys reach the program, rather than lines. */
  get readsKeys(): boolean {
    const pid = this.pid;
    return pid !== undefined && readsKeys(String(pid));
  }

  /** Id of the program's process; undefined after its end. */
  get pid(): number | undefined {
    if (this.#hasEnded) return undefined;
    const shellPid = String(this.#pty.pid);
    const [pid] = readFileSync(`/proc/${shellPid}/task/${shellPid}/children`, "utf8").split(" ");
    return pid === undefined || pid === "" ? undefined : Number(pid);
  }

  /** Resolves when the text of the terminal matches. Rejects if the program ends before. */
  until(pattern: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (pattern.test(this.text)) {
          this.#watchers.delete(look);
          resolve();
        } else if (this.#hasEnded) {
          this.#watchers.delete(look);
          reject(new Error(`The program ended before ${String(pattern)} was on the screen:\n${this.text}`));
        }
      };
      this.#watchers.add(look);
      look();
    });
  }

  /** Resolves when the program has nothing more to write until a key, a response, or a timer, or has ended. */
  async settled(): Promise<void> {
    let before = -1;
    for (let looks = 0; looks < 3 && this.pid !== undefined;) {
      const isQuiet = this.#raw.length === before && this.#sleeps();
      looks = isQuiet ? looks + 1 : 0;
      before = this.#raw.length;
      await sleep(20);
    }
  }

  /** Ends the program if it runs for very long, and reports what it waits for. */
  async orStuck<T>(result: Promise<T>): Promise<T> {
    const stuck = new AbortController();
    const timer = sleep(longMs, undefined, { signal: stuck.signal }).then(
      () => {
        this.signal("SIGKILL");
        throw new Error(`The program still runs, and shows:\n${this.text}`);
      },
      () => result,
    );
    return Promise.race([result, timer]).finally(() => stuck.abort());
  }

  /** Writes keys, all in one write. */
  type(text: string): void {
    this.#pty.write(text);
  }

  /** Pastes a text as terminals do: between marks if the program has asked for them. */
  paste(text: string): void {
    this.type(this.#emulator.marksPastes ? `\u001b[200~${text}\u001b[201~` : text);
  }

  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Sends a signal to the program alone. */
  signal(name: NodeJS.Signals): void {
    if (this.pid !== undefined) process.kill(this.pid, name);
  }

  /** Closes the terminal, as when its window is closed. */
  close(): void {
    // The declared interface lacks it.
    (this.#pty as IPty & { destroy(): void }).destroy();
  }

  /** Whether no thread of the program runs or waits for a processor or a disk. */
  #sleeps(): boolean {
    const tasks = `/proc/${String(this.pid)}/task`;
    try {
      return readdirSync(tasks).every((task) =>
        /^State:\s+S/m.test(readFileSync(join(tasks, task, "status"), "utf8")),
      );
    } catch {
      // A thread or the program has ended meanwhile.
      return false;
    }
  }

  async #end(report: string): Promise<Ending> {
    await this.#emulator.write("");
    const lines = readFileSync(report, "utf8").trim().split("\n");
    rmSync(this.#folder, { recursive: true });
    const state = lines.slice(0, -1).join(" ");
    this.#hasEnded = true;
    this.#look();
    return {
      status: Number(lines.at(-1)),
      raw: this.#raw,
      isRestored: ["icanon", "echo", "isig", "icrnl"].every((mode) => state.split(/\s+/).includes(mode)),
      isCursorShown: this.#emulator.isCursorShown,
    };
  }

  #look(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

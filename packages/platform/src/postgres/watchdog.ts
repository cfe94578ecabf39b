import { type ChildProcess, spawn } from "node:child_process";
import { postgresEnvironment } from "./run-program.js";

/**
 * Waits on a pipe that only we hold open: its end means that we are gone, however we ended. Then Postgres ends, too, and
 * the directory of an ephemeral platform is removed. Needs nothing but a POSIX shell.
 *
 * $1: signal for Postgres; $2: its lock file, which goes as its last act (the process may stay in the process table until
 * somebody asks for it); $3: directory to remove, or empty. Standard input: Postgres's process id; then, when all is over
 * in good order, another line.
 */
const script = `
read -r pid
read -r done && exit 0
if [ -n "$pid" ] && kill -s "$1" "$pid"; then
  tenths=0
  while [ -e "$2" ] && kill -s 0 "$pid"; do
    case $tenths in 80) kill -s QUIT "$pid" ;; 160) kill -s KILL "$pid" ;; 200) break ;; esac
    sleep 0.1
    tenths=$((tenths + 1))
  done
fi
[ -z "$3" ] || rm -rf -- "$3"
`;

export interface WatchdogDuties {
  /** `INT` lets Postgres finish its files; `QUIT` is quicker, for data that nobody needs any more. */
  signal: "INT" | "QUIT";
  /** `postmaster.pid`. */
  lockFile: string;
  /** Directory to remove. */
  remove: string | undefined;
}

/** Ends Postgres when this process ends without doing so itself: by SIGKILL, a crash, a lost terminal. */
export class Watchdog {
  readonly #duties: WatchdogDuties;
  #process: ChildProcess;
  #pid: number | undefined;
  #dismissed = false;

  constructor(duties: WatchdogDuties) {
    this.#duties = duties;
    this.#process = this.#start();
  }

  /** From now on this process is ended with us. */
  watch(pid: number): void {
    this.#pid = pid;
    this.#process.stdin?.write(`${String(pid)}\n`);
  }

  /** Everything is over in good order; ends when the watchdog has. */
  async dismiss(): Promise<void> {
    this.#dismissed = true;
    const process = this.#process;
    if (process.exitCode !== null || process.signalCode !== null) return;
    const ended = new Promise((resolve) => process.once("exit", resolve));
    process.stdin?.end(this.#pid === undefined ? "\nover\n" : "over\n");
    await ended;
  }

  #start(): ChildProcess {
    const { signal, lockFile, remove } = this.#duties;
    const child = spawn("/bin/sh", ["-c", script, "mgmt-watchdog", signal, lockFile, remove ?? ""], {
      cwd: "/",
      env: postgresEnvironment,
      // Out of our process group: a terminal's Ctrl-C and a shell's `kill %1` are not for it.
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    // Without the watchdog, Postgres would outlive us: should somebody end it, another one takes its place.
    child.once("exit", () => {
      if (this.#dismissed) return;
      this.#process = this.#start();
      if (this.#pid !== undefined) this.watch(this.#pid);
    });
    child.stdin?.on("error", () => undefined);
    child.on("error", () => undefined);
    return child;
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { postgresEnvironment } from "./run-program.js";

/**
 * Waits for the end of a pipe that only this process holds open, which means that this process has exited in any way. Then it stops
 * Postgres and removes the directory of an ephemeral platform. Needs only a POSIX shell.
 *
 * $1 is the signal for Postgres. $2 is its lock file, whose removal is the last act of Postgres (the process itself may remain as a
 * zombie). $3 is the directory to remove, or empty. $4 is the process id of Postgres; if it is empty, that is the first line of standard
 * input. The next line means that everything was shut down cleanly.
 */
const watchdogScript = `
pid=$4
[ -n "$pid" ] || read -r pid
read -r shutdown_message && exit 0
# Sends a signal to all processes of the server. Without /proc, to the first one.
signal_all() {
  kill -s "$1" "$pid"
  for process in /proc/[0-9]*; do
    [ "$process/cwd" -ef "$directory" ] && read -r name <"$process/comm" || continue
    case $name in postgres*) kill -s "$1" "\${process#/proc/}" ;; esac
  done
}
directory=\${2%/*}
# A suspended process does not act on signals.
[ -z "$pid" ] || signal_all CONT
if [ -n "$pid" ] && kill -s "$1" "$pid"; then
  tenths=0
  while [ -e "$2" ] && kill -s 0 "$pid"; do
    case $tenths in 80) kill -s QUIT "$pid" ;; 160) signal_all KILL ;; 200) break ;; esac
    sleep 0.1
    tenths=$((tenths + 1))
  done
fi
# A server that was killed leaves its segment of shared memory, whose id is in the seventh line.
[ -e "$2" ] && {
  for line in 1 2 3 4 5 6 7; do read -r key segment; done <"$2"
  [ -z "$segment" ] || ipcrm -m "$segment"
}
[ -z "$3" ] || rm -rf -- "$3"
`;

/** Makes the script exit without doing anything. */
const cleanShutdownLine = "over\n";

/** How Postgres is shut down if this process dies. */
export interface WatchdogOptions {
  /** Signal for Postgres: `INT` shuts down cleanly, `QUIT` immediately. */
  signal: "INT" | "QUIT";
  /** Path of `postmaster.pid`. */
  lockFile: string;
  /** Directory to remove afterwards, if any. */
  directoryToRemove: string | undefined;
  /** Descriptor of the lock of the data directory, if any. */
  lockDescriptor: number | undefined;
}

/** Stops Postgres when this process ends without stopping it, for example by SIGKILL or a crash. */
export class Watchdog {
  readonly #options: WatchdogOptions;
  #process: ChildProcess;
  #pid: number | undefined;
  #isDismissed = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#process = this.#start();
  }

  /** Sets the process to stop. */
  watch(pid: number): void {
    this.#pid = pid;
    this.#process.stdin?.write(`${String(pid)}\n`);
  }

  /** Stops the watchdog after a clean shutdown, also when it was suspended. */
  async dismiss(): Promise<void> {
    this.#isDismissed = true;
    const process = this.#process;
    if (process.exitCode !== null || process.signalCode !== null) return;
    const exited = new Promise((resolve) => process.once("exit", resolve));
    process.stdin?.end(this.#pid === undefined ? `\n${cleanShutdownLine}` : cleanShutdownLine);
    process.kill("SIGCONT");
    await exited;
  }

  #start(): ChildProcess {
    const { signal, lockFile, directoryToRemove, lockDescriptor } = this.#options;
    const child = spawn(
      "/bin/sh",
      [
        "-c",
        watchdogScript,
        "mgmt-watchdog",
        signal,
        lockFile,
        directoryToRemove ?? "",
        String(this.#pid ?? ""),
      ],
      {
        cwd: "/",
        env: postgresEnvironment,
        // Its own process group, so that Ctrl-C and `kill %1` do not reach it.
        detached: true,
        stdio: ["pipe", "ignore", "ignore", lockDescriptor ?? "ignore"],
      },
    );
    // Restart the watchdog when it is killed, because without it Postgres could outlive this process.
    child.once("exit", () => {
      if (!this.#isDismissed) this.#process = this.#start();
    });
    child.stdin?.on("error", () => undefined);
    child.on("error", () => undefined);
    return child;
  }
}

import { readFile, realpath } from "node:fs/promises";
import { findProcessesInDirectory } from "./process-files.js";

/** The processes that repair the files after a crash. They report nothing while they write a checkpoint. */
const recoveryTitlePattern = /^postgres: (startup|checkpointer)/;

/** Observes whether the recovery of a cluster works. Linux only; elsewhere it never seems to. */
export class RecoveryProgress {
  readonly #directory: string;
  #lastSample = "";

  /** @param directory the directory of the cluster. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns whether a process has used the processor since the last call, or waits for the disk. */
  async hasProgressed(): Promise<boolean> {
    const processes = await findRecoveryProcesses(this.#directory);
    const sample = processes.map(({ pid, cpuTicks }) => `${String(pid)} ${String(cpuTicks)}`).join();
    const hasChanged = this.#lastSample !== "" && sample !== "" && sample !== this.#lastSample;
    this.#lastSample = sample;
    return hasChanged || processes.some(({ state }) => state === "D");
  }
}

interface RecoveryProcess {
  pid: number;
  /** `D` for one that waits for the disk. */
  state: string | undefined;
  /** The processor time that it has used. */
  cpuTicks: number;
}

const findRecoveryProcesses = async (directory: string): Promise<RecoveryProcess[]> => {
  if (process.platform !== "linux") return [];
  const path = await realpath(directory).catch(() => undefined);
  const pids = path === undefined ? [] : await findProcessesInDirectory(path, /^postgres/).catch(() => []);
  const processes = await Promise.all(
    pids.map(async (pid) => {
      const directory = `/proc/${String(pid)}`;
      try {
        if (!recoveryTitlePattern.test(await readFile(`${directory}/cmdline`, "utf8"))) return undefined;
        const stat = await readFile(`${directory}/stat`, "utf8");
        // The name in front of these fields may contain spaces.
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return { pid, state: fields[0], cpuTicks: Number(fields[11]) + Number(fields[12]) };
      } catch {
        return undefined;
      }
    }),
  );
  return processes.filter((process) => process !== undefined);
};

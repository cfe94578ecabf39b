import { readFile, realpath } from "node:fs/promises";
import { linuxProgramsOf } from "./leftovers.js";

/** The processes that repair the files after a crash. They report nothing while they write a checkpoint. */
const title = /^postgres: (startup|checkpointer)/;

/** Observes whether the recovery of a cluster works. Linux only; elsewhere it never seems to. */
export class RecoveryWork {
  readonly #directory: string;
  #former = "";

  /** @param directory of the cluster. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns whether a process has used the processor since the last call, or waits for the disk. */
  async continues(): Promise<boolean> {
    const processes = await processesOf(this.#directory);
    const used = processes.map(({ pid, ticks }) => `${String(pid)} ${String(ticks)}`).join();
    const isOther = this.#former !== "" && used !== "" && used !== this.#former;
    this.#former = used;
    return isOther || processes.some(({ state }) => state === "D");
  }
}

interface Working {
  pid: number;
  /** `D` for one that waits for the disk. */
  state: string | undefined;
  /** The processor time that it has used. */
  ticks: number;
}

const processesOf = async (directory: string): Promise<Working[]> => {
  if (process.platform !== "linux") return [];
  const path = await realpath(directory).catch(() => undefined);
  const pids = path === undefined ? [] : await linuxProgramsOf(path, /^postgres/).catch(() => []);
  const processes = await Promise.all(
    pids.map(async (pid) => {
      const folder = `/proc/${String(pid)}`;
      try {
        if (!title.test(await readFile(`${folder}/cmdline`, "utf8"))) return undefined;
        const stat = await readFile(`${folder}/stat`, "utf8");
        // The name in front of these fields may contain spaces.
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return { pid, state: fields[0], ticks: Number(fields[11]) + Number(fields[12]) };
      } catch {
        return undefined;
      }
    }),
  );
  return processes.filter((process) => process !== undefined);
};

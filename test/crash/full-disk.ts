import { readFile } from "node:fs/promises";
import { killAll } from "../../packages/platform/test/processes.js";
import { WrappedPrograms, failsWithFullDisk } from "../../packages/platform/test/wrapped-programs.js";
import type { MgmtDev } from "./mgmt-dev.js";
import { Violation, eventually } from "./violation.js";

/** The programs of Postgres, which report a full disk while work runs. */
export class FullDisk {
  private constructor(private readonly programs: WrappedPrograms) {}

  /** @param parent a directory that every account can enter. */
  static async make(parent: string): Promise<FullDisk> {
    return new FullDisk(await WrappedPrograms.make(parent));
  }

  /** Directory of the programs. */
  get directory(): string {
    return this.programs.directory;
  }

  async during(work: () => Promise<void>): Promise<void> {
    await this.programs.insert(failsWithFullDisk);
    try {
      await work();
    } finally {
      await this.programs.restore();
    }
  }

  /** Returns how often Postgres was started, successfully or not. */
  async countStarts(): Promise<number> {
    return (await readFile(this.programs.calls, "utf8")).match(/^postgres -D/gm)?.length ?? 0;
  }
}

/** Kills Postgres while the disk is full. Until there is space, the API must respond that it is unavailable. */
export const killPostmasterOnFullDisk = (dev: MgmtDev, disk: FullDisk): Promise<void> =>
  disk.during(async () => {
    const before = await disk.countStarts();
    killAll([await dev.postmaster()]);
    await eventually("Postgres is not started again", async () => {
      const starts = (await disk.countStarts()) - before;
      return starts > 1 ? undefined : `${String(starts)} attempts`;
    });
    const { status } = await dev.call(dev.tokens[0], "GET", "/v1/projects");
    if (status !== 503) throw new Violation(`On a full disk, the API responded with ${String(status)}`);
  });

/** Starts a platform that was killed while the disk is full. It must end with the reason. */
export const startOnFullDisk = (dev: MgmtDev, disk: FullDisk): Promise<void> =>
  disk.during(async () => {
    const text = await (await dev.launch()).line;
    if (!text.includes("platform:disk_full")) throw new Violation(`On a full disk, a start printed ${text}`);
  });

import { chmod, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findPrograms } from "./cluster.js";

/** The programs of Postgres behind scripts, which a test makes fail. */
export class WrappedPrograms {
  private constructor(
    /** For `MGMT_POSTGRES`. */
    readonly directory: string,
    private readonly parent: string,
  ) {}

  /** @param parent a directory that every account can enter. */
  static async make(parent: string): Promise<WrappedPrograms> {
    const { binaries } = await findPrograms();
    const directory = join(parent, "wrapped");
    await mkdir(directory);
    for (const name of await readdir(binaries.directory)) {
      const program = join(binaries.directory, name);
      if (name !== "postgres" && name !== "initdb") await symlink(program, join(directory, name));
      else {
        const log = join(parent, "calls");
        const script = `#!/bin/sh\necho "${name} $*" >>'${log}'\n[ ! -e '${parent}/instead' ] || . '${parent}/instead'\nexec '${program}' "$@"\n`;
        await writeFile(join(directory, name), script);
        await chmod(join(directory, name), 0o755);
      }
    }
    await writeFile(join(parent, "calls"), "");
    await chmod(join(parent, "calls"), 0o666);
    return new WrappedPrograms(directory, parent);
  }

  /** Lets the programs run this part of a shell script first. */
  async insert(script: string): Promise<void> {
    await writeFile(join(this.parent, "instead"), `[ "$1" = -V ] || { ${script}; }\n`);
  }

  /** Lets the programs run as they are. */
  async restore(): Promise<void> {
    await rm(join(this.parent, "instead"));
  }

  /** File with the arguments of each call, one a line. */
  get calls(): string {
    return join(this.parent, "calls");
  }
}

/** What a program of Postgres does when the disk is full. */
export const failsWithFullDisk =
  "echo 'FATAL:  could not write lock file \"postmaster.pid\": No space left on device' >&2; exit 1";

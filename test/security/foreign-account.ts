import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether the tests can make files of other accounts. */
export const isRoot = process.geteuid?.() === 0;

/** An account that runs neither the tests nor Postgres. */
export const stranger = 54_321;

/** Gives a link, a file, or a directory without what is in it, to another account. */
export const giveAway = (path: string): void => lchownSync(path, stranger, stranger);

export const makePipe = (path: string): void => void execFileSync("mkfifo", [path]);

/** Makes a device like `/dev/zero`. Returns whether this account may. */
export const makeZeroDevice = (path: string): boolean =>
  spawnSync("mknod", ["-m", "600", path, "c", "1", "5"], { stdio: "ignore" }).status === 0;

/** A folder for the files of a test, which every account can enter. */
export class Sandbox {
  readonly path = mkdtempSync(join(tmpdir(), "mgmt-security-"));

  constructor() {
    chmodSync(this.path, 0o755);
  }

  /** Creates a directory of any mode. */
  directory(name: string, mode = 0o700): string {
    const path = join(this.path, name);
    mkdirSync(path);
    chmodSync(path, mode);
    return path;
  }

  /** Creates a directory with a file, which an attack must not change. */
  victim(name: string): Victim {
    return new Victim(this.directory(name));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export class Victim {
  readonly file: string;

  constructor(readonly folder: string) {
    this.file = join(folder, "file");
    writeFileSync(this.file, "kept", { mode: 0o600 });
  }

  /** Returns the owners, the modes, and the content. */
  state(): object[] {
    return [this.folder, this.file].map((path) => {
      const { uid, gid, mode, nlink } = statSync(path);
      return { uid, gid, mode, nlink, content: readFileSync(this.file, "utf8") };
    });
  }
}

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Manifest, packPackages } from "../../scripts/release/pack.js";

export interface Unpacked {
  readonly name: string;
  /** The folder of the package in this repository. */
  readonly source: string;
  /** The unpacked tarball. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** Paths of the files in the tarball. */
  readonly files: readonly string[];
  readonly has: (path: string) => boolean;
  readonly read: (path: string) => string;
}

export interface Tarballs {
  /** A folder with the unpacked packages in its `node_modules`, as an installation would leave them. */
  readonly folder: string;
  readonly packages: readonly Unpacked[];
  readonly remove: () => void;
}

/** Packs all packages and unpacks the tarballs. */
export const unpackPackages = async (): Promise<Tarballs> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mgmt-tarballs-")));
  const packed = await packPackages(folder);
  const packages = await Promise.all(
    packed.map(async ({ name, tarball, folder: source, files }) => {
      const target = join(folder, "node_modules", name);
      mkdirSync(target, { recursive: true });
      await promisify(execFile)("tar", ["-xzf", tarball, "-C", target, "--strip-components", "1"]);
      const read = (path: string): string => readFileSync(join(target, path), "utf8");
      const manifest: Manifest = JSON.parse(read("package.json"));
      const has = (path: string): boolean => existsSync(join(target, path));
      return {
        ...{ name, source, folder: target, manifest, has, read },
        files: files.map(({ path }) => path),
      };
    }),
  );
  return { folder, packages, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

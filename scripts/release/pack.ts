import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packageFolders } from "../packages.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  /** The folder of the package, relative to the root. */
  readonly folder: string;
  /** Absolute path of the tarball. */
  readonly tarball: string;
  /** Bytes of the tarball. */
  readonly size: number;
  /** Bytes of its files. */
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

const folderOf = (name: string): string => {
  const folder = packageFolders.find((each) => manifestOf(`packages/${each}`).name === name);
  if (folder === undefined) throw new Error(`No folder in packages/ has the package ${name}`);
  return `packages/${folder}`;
};

/** What the release scripts and tests read of a `package.json`. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly repository: { readonly type: string; readonly url: string; readonly directory?: string };
  readonly homepage?: string;
  readonly bugs?: { readonly url: string };
  readonly keywords?: readonly string[];
  readonly publishConfig?: { readonly access?: string; readonly provenance?: boolean };
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>;
}

/** Reads the `package.json` of a folder, given relative to the root. */
export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));

/** An entry of the output of `npm pack --json`. */
type NpmPacked = Omit<PackedPackage, "folder" | "tarball"> & { readonly filename: string };

/** Runs `npm pack` on every published package and returns what it packed. */
export const packPackages = async (destination: string): Promise<PackedPackage[]> => {
  const { stdout } = await promisify(execFile)(
    "npm",
    // Silent, because the output of `prepack` would precede the JSON.
    [
      "pack",
      ...packageFolders.map((name) => `--workspace=packages/${name}`),
      "--json",
      "--pack-destination",
      destination,
      "--silent",
    ],
    { cwd: root, maxBuffer: 2 ** 26, shell: process.platform === "win32" },
  );
  const packed: NpmPacked[] = JSON.parse(stdout);
  return packed.map(({ filename, name, version, size, unpackedSize, files }) => ({
    ...{ name, version, size, unpackedSize, files },
    folder: folderOf(name),
    // Older versions of npm print the name of the package, which is not that of the file.
    tarball: join(destination, filename.replace("@", "").replace("/", "-")),
  }));
};

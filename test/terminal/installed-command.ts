import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestProject } from "vitest/node";
import { installTarballs, pack } from "../runtimes/tarballs.js";
import { installTools, nodeProgram } from "../runtimes/tools.js";

/** A version of Node.js that the tests run the command on. */
export interface NodeVersion {
  readonly major: number;
  /** Folder with its program. */
  readonly folder: string;
}

declare module "vitest" {
  interface ProvidedContext {
    /** Folder with the installed `mgmt`, as for a `PATH`. */
    commandFolder: string;
    /** Folder for compiled code and the like. */
    cacheFolder: string;
    nodes: NodeVersion[];
    /** Columns of the terminals of which no screen is committed. */
    otherWidths: number[];
    /** Whether the committed screens are written rather than compared. */
    updatesScreens: boolean;
  }
}

const allMajors = ["20", "22", "24", "26"];

let folder: string | undefined;

/** Packs the packages, and installs the command and the platform in a folder of their own, as a user does. */
export const setup = (project: TestProject): void => {
  folder = mkdtempSync("/tmp/mgmt-terminal-");
  try {
    const { "@mgmt/cli": cli = "", "@mgmt/platform": platform = "" } = pack(folder);
    const installed = join(folder, "installed");
    mkdirSync(installed);
    installTarballs(installed, { "@mgmt/cli": cli, "@mgmt/platform": platform });
    project.provide("commandFolder", join(installed, "node_modules/.bin"));
    project.provide("cacheFolder", join(folder, "cache"));
    project.provide("nodes", nodeVersions(process.env["MGMT_TERMINAL_NODES"]));
    project.provide("otherWidths", numbersIn(process.env["MGMT_TERMINAL_WIDTHS"]));
    project.provide("updatesScreens", project.vitest.config.snapshotOptions.updateSnapshot === "all");
  } catch (error) {
    teardown();
    throw error;
  }
};

export const teardown = (): void => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
};

/** Returns the versions that `MGMT_TERMINAL_NODES` lists (`20,24`, or `all`). Default: that of this process. */
const nodeVersions = (listed: string | undefined): NodeVersion[] => {
  if (!listed) return [versionOf(process.execPath)];
  const majors = listed === "all" ? allMajors : listed.split(",");
  const unknown = majors.filter((major) => !allMajors.includes(major));
  if (unknown.length > 0) throw new Error(`MGMT_TERMINAL_NODES: no such version: ${unknown.join(", ")}`);
  installTools();
  return majors.map((major) => versionOf(nodeProgram(major)));
};

/** Returns the numbers that a variable lists (`40,200`). Default: none. */
const numbersIn = (listed: string | undefined): number[] => (listed ? listed.split(",").map(Number) : []);

/** Asks the program, so that the tests do not report a version that they did not run on. */
const versionOf = (program: string): NodeVersion => {
  const version = execFileSync(program, ["--version"], { encoding: "utf8" });
  return { major: Number(/^v(\d+)/.exec(version)?.[1]), folder: dirname(program) };
};

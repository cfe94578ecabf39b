import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface OtherCommand {
  readonly name: string;
  readonly program: string;
  readonly parameters: readonly string[];
}

const packages = [
  { name: "neonctl", command: "neonctl" },
  { name: "vercel", command: "vercel" },
  { name: "@stripe/cli", command: "stripe" },
];

/**
 * Installs the command lines that the CLI is compared with, each in a scratch folder that further runs use again. Prints a
 * line for each that cannot be installed or started.
 */
export const otherCommands = (home: string): OtherCommand[] => {
  const installed = packages.map(({ name, command }) => {
    const folder = join(tmpdir(), "mgmt-bench-commands", command);
    mkdirSync(folder, { recursive: true });
    const found = commandIn(folder, command) ?? (install(name, folder), commandIn(folder, command));
    return found ?? { name: command, program: join(folder, command), parameters: [] };
  });
  return [...installed, { name: "gh", program: "gh", parameters: [] }].filter(
    ({ name, program, parameters }) => {
      const { status } = spawnSync(program, [...parameters, "--version"], {
        env: { PATH: process.env["PATH"], HOME: home },
      });
      if (status !== 0) console.log(`  not compared with ${name}, which is not installed and could not be`);
      return status === 0;
    },
  );
};

const install = (name: string, folder: string): void => {
  const quiet = ["--no-audit", "--no-fund", "--no-save", "--silent"];
  spawnSync("npm", ["install", "--prefix", folder, ...quiet, name], {
    stdio: "ignore",
    shell: process.platform === "win32",
    timeout: 300_000,
  });
};

const commandIn = (folder: string, command: string): OtherCommand | undefined => {
  try {
    const file = realpathSync(join(folder, "node_modules/.bin", command));
    const isScript = readFileSync(file)
      .subarray(0, 64)
      .toString("latin1")
      .split("\n", 1)[0]
      ?.includes("node");
    // A script is run as `mgmt` is, without `env` to find node.
    return isScript
      ? { name: command, program: process.execPath, parameters: [file] }
      : { name: command, program: file, parameters: [] };
  } catch {
    return undefined;
  }
};

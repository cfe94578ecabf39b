import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProcessView } from "@mgmt/internal/processes/process-liveness";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { commonInputs, inputsOf } from "../../../scripts/build-if-stale.mjs";
import { whileLocked } from "./build-lock.js";
import { temporaryFolder } from "./folders.js";

const folder = temporaryFolder();

describe("the lock of the build", () => {
  it("lets one work after the other", async () => {
    const seen: string[] = [];
    const work = (name: string): Promise<void> =>
      whileLocked(join(folder, "shared"), async () => {
        seen.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(`${name} ends`);
      });
    await Promise.all([work("one"), work("other")]);
    const [first = ""] = seen[0]?.split(" ") ?? [];
    const second = first === "one" ? "other" : "one";
    expect(seen).toEqual([`${first} begins`, `${first} ends`, `${second} begins`, `${second} ends`]);
  });

  it("is taken from a process that was killed while it built", async () => {
    const killed = join(folder, "killed");
    const { pid, child } = await sleeper();
    const owner = { ...createProcessView().self, pid, directory: 1, id: "0123456789ab", isLocal: true };
    await whileLocked(killed, async () => undefined);
    writeFileSync(join(killed, "platform.lock"), JSON.stringify(owner));
    child.kill("SIGKILL");
    await once(child, "exit");
    let isDone = false;
    await whileLocked(killed, async () => void (isDone = true));
    expect(isDone).toBe(true);
  });
});

const sleeper = async (): Promise<{ pid: number | undefined; child: ReturnType<typeof spawn> }> => {
  const child = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await once(child, "spawn");
  return { pid: child.pid, child };
};

describe("the inputs of the build", () => {
  it("include every script of it, and every file that they add to the command", async () => {
    const { metafile } = await build({
      entryPoints: ["scripts/build.ts", "scripts/node-20/performance.ts", "packages/cli/src/main.ts"],
      outdir: folder,
      bundle: true,
      write: false,
      metafile: true,
      platform: "node",
      format: "esm",
      splitting: true,
      packages: "external",
      logLevel: "silent",
    });
    const watched = [
      ...commonInputs,
      ...["internal", "cli", "sdk", "engine", "mock", "cluster", "platform"].flatMap(inputsOf),
    ];
    const isWatched = (file: string): boolean =>
      watched.some((path) => file === path || file.startsWith(`${path}/`));
    const files = Object.keys(metafile.inputs);
    expect(files).toContain("scripts/node-20/performance.ts");
    expect(files.filter((file) => !isWatched(file))).toEqual([]);
  });
});

import { EventEmitter, once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { runForExitStatus } from "./run-program.js";
import { Interruption } from "./interruption.js";
import { runCatalogQuery } from "../postgres/query.js";
import { startClient } from "../postgres/start-client.js";
import { temporaryFolder } from "../../test/folders.js";

const folder = temporaryFolder();

/** Writes a program that ends as if Ctrl-C had reached it, and says its version. */
const install = (name: string, ending: string): string => {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n[ "$1" = --version ] && echo '${name} 18.1' && exit\n${ending}\n`);
  chmodSync(path, 0o755);
  return path;
};

let host: EventEmitter & { exit: () => void };
let interruption: Interruption;
beforeEach(() => {
  host = Object.assign(new EventEmitter(), { exit: vi.fn<() => void>() });
  interruption = new Interruption(host);
});

/** Delivers Ctrl-C to this process a moment after the program has ended. */
const interruptIn = (milliseconds: number): void => {
  const own = host;
  setTimeout(() => own.emit("SIGINT"), milliseconds);
};

const interrupted = { code: "run:interrupted" };

describe.skipIf(process.platform === "win32")("a Ctrl-C that a program sees first", () => {
  it.for(["kill -INT $$", "exit 1"])(
    "ends the command when a client of Postgres ends with %s",
    async (ending) => {
      const program = {
        name: "pg_dump",
        path: install("pg_dump", ending),
        version: "18.1",
        major: 18,
      } as const;
      const context = { cwd: folder, signal: interruption.signal };
      const client = startClient(program, [], { env: {}, stdin: "ignore", stdout: "pipe" }, context);
      await once(client.stdout?.resume() ?? new EventEmitter(), "close");
      interruptIn(20);
      await expect(client.exited).rejects.toMatchObject(interrupted);
    },
  );

  it("ends the command when it was running a query", async () => {
    install("psql", "kill -INT $$");
    const context = { env: { PATH: folder }, signal: interruption.signal };
    const rows = runCatalogQuery("relations", { name: "db_1", args: [], env: { PATH: folder } }, context);
    interruptIn(100);
    await expect(rows).rejects.toMatchObject(interrupted);
  });

  it("ends the command when it was running a program of the user", async () => {
    const status = runForExitStatus(install("setup", "kill -INT $$"), [], {
      cwd: folder,
      env: {},
      stdio: ["ignore", "ignore", "ignore"],
      notFoundHint: "",
      interruption,
      onSignal: (signal) => interruption.interrupt(signal),
    });
    interruptIn(100);
    expect(await status).toBe(130);
    expect(interruption.signal.reason).toMatchObject(interrupted);
  });
});

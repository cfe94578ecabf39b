import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLogForAppend, rotateLog, startLogWriter } from "./log-file.js";

let directory: string;
let path: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "mgmt-log-"));
  path = join(directory, "postgres.log");
});
afterEach(() => rmSync(directory, { recursive: true }));

describe("the log of Postgres", () => {
  it("is rotated while it is open for appending, and the next line starts the new log", async () => {
    const log = await openLogForAppend(path);
    for (const line of ["first", "second", "third"]) {
      await log.appendFile(`${line}\n`);
      await rotateLog(path, 8);
    }
    await log.close();
    expect(readFileSync(path, "utf8")).toBe("third\n");
    expect(readFileSync(`${path}.1`, "utf8")).toBe("first\nsecond\n");
    expect(lstatSync(`${path}.1`).mode & 0o777).toBe(0o600);
  });

  it("is rotated while Postgres writes to it", async () => {
    const log = await openLogForAppend(path);
    const { input, finish } = startLogWriter(log, undefined);
    await log.close();
    input.write("first \u001b[2J\n");
    while (!existsSync(`${path}.1`)) await rotateLog(path, 8);
    input.end("second\n");
    await finish();
    expect(readFileSync(path, "utf8")).toBe("second\n");
    expect(readFileSync(`${path}.1`, "utf8")).toBe("first ^[[2J\n");
  });

  it("is not written through a symbolic link", async () => {
    const target = join(directory, "target");
    writeFileSync(target, "foreign");
    symlinkSync(target, path);
    await expect(openLogForAppend(path)).rejects.toMatchObject({ code: "ELOOP" });
    await expect(rotateLog(path, 1)).rejects.toMatchObject({ code: "ELOOP" });
    expect(readFileSync(target, "utf8")).toBe("foreign");
  });

  it("replaces a symbolic link in place of the previous log", async () => {
    const target = join(directory, "target");
    writeFileSync(target, "foreign");
    symlinkSync(target, `${path}.1`);
    writeFileSync(path, "full log", { mode: 0o600 });
    await rotateLog(path, 1);
    expect(readFileSync(`${path}.1`, "utf8")).toBe("full log");
    expect(readFileSync(target, "utf8")).toBe("foreign");
  });
});

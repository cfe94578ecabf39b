import { copyFileSync, chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevProcess, startDev } from "./dev-process.js";
import { runAttack, whyNoOtherAccount } from "./other-account.js";

/** Prints the error code of reading a file, or null when it can be read. */
const readFile = `
  import { readFileSync } from "node:fs";
  const codeOf = () => { try { readFileSync(input.file); return null; } catch (error) { return error.code; } };
  console.log(JSON.stringify(codeOf()));`;

describe("the secret files of mgmt dev", () => {
  let dev: DevProcess;
  let open: string;
  beforeAll(async () => {
    dev = await startDev();
    open = mkdtempSync(join(tmpdir(), "mgmt-open-"));
    chmodSync(open, 0o755);
  });
  afterAll(async () => {
    await dev.stop();
    rmSync(open, { recursive: true });
  });

  const files = (): [name: string, file: string][] => [
    ["controlSecretFile", dev.ready.controlSecretFile],
    ["signInKeyFile", dev.ready.signInKeyFile ?? ""],
  ];

  it("have mode 0600", () => {
    for (const [name, file] of files()) expect([name, statSync(file).mode & 0o777]).toEqual([name, 0o600]);
  });

  it("cannot be read by another account", async ({ skip }) => {
    const reason = whyNoOtherAccount();
    if (reason !== undefined) skip(reason);
    for (const [name, file] of files()) {
      expect([name, await runAttack(readFile, { file })]).toEqual([name, "EACCES"]);
      // The control: a copy that everybody may read.
      const copy = join(open, name);
      copyFileSync(file, copy);
      chmodSync(copy, 0o644);
      expect([name, await runAttack(readFile, { file: copy })]).toEqual([name, null]);
    }
  });
});

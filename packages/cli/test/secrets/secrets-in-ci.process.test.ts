import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { bin, ensureBuilt } from "../bin.js";
import { temporaryFolder } from "../folders.js";
import { startSession } from "../terminal.js";

it("hides a secret in the log of a CI system before it is printed, where both streams are one log", async () => {
  await ensureBuilt();
  const session = await startSession();
  const { id } = await session.server.engine.seed.project();
  const line = `exec "$0" "$@" 2>&1`;
  const create = ["databases", "create", "--project-id", id, "--show-secrets", "-o", "json"];
  const { stdout: log } = await promisify(execFile)("sh", ["-c", line, process.execPath, bin, ...create], {
    env: {
      PATH: process.env["PATH"],
      MGMT_CONFIG_DIR: temporaryFolder(),
      ...session.env,
      CI: "true",
      GITHUB_ACTIONS: "true",
    },
  });
  const { rows } = session.server.engine;
  const passwords = rows.connections.list({}).flatMap(({ pass }) => pass ?? []);
  const printedPasswords = passwords.filter((password) => log.includes(password));
  expect(printedPasswords.length).toBeGreaterThan(0);
  for (const password of printedPasswords) {
    const [first] = log.split("\n").filter((text) => text.includes(password));
    expect(first).toMatch(/^::add-mask::/);
    expect(log.split("\n")).toContain(`::add-mask::${password}`);
  }
  await session.close();
});

import { readFileSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { formatKeyringAccount } from "../../../src/credentials/keyring/keyring-store.js";
import { probeKeyring } from "../../../src/credentials/keyring/keyring.js";
import { openSystemKeyring } from "../../../src/credentials/keyring/system-keyring.js";
import { type Account, startAccount } from "../../commands/auth/account.js";
import { ensureBuilt } from "../../bin.js";
import { run } from "../../terminal.js";

let account: Account;
beforeAll(ensureBuilt);
beforeEach(async () => {
  account = await startAccount();
});
afterEach(() => account.close());

interface Entry {
  accessToken: string;
  refreshToken: string;
  expiresAt: number;
}
const entry = async (): Promise<Entry | undefined> => {
  const text = await (await openSystemKeyring()).read(formatKeyringAccount(account.file, "default"));
  // The tests below assert what is in it.
  return text === undefined ? undefined : (JSON.parse(text) as Entry);
};
/** Returns how many times the server has issued tokens. */
const issued = (): number =>
  account.server.engine.requests.filter(
    ({ operationId, status }) => operationId === "oauth.token" && status === 200,
  ).length;
const expireToken = async (): Promise<void> => {
  const expired = JSON.stringify({ ...(await entry()), expiresAt: Date.now() - 1_000 });
  await (await openSystemKeyring()).write(formatKeyringAccount(account.file, "default"), expired);
};

it("passes the probe", async () => {
  await probeKeyring(await openSystemKeyring());
});

it("keeps a login out of the profiles file, refreshes it once for all processes, and deletes it", async () => {
  expect((await account.login("--store", "keyring")).status).toBe(0);
  const first = await entry();
  expect(first?.refreshToken).toMatch(/.{20}/);
  expect(account.stored().profiles["default"]).toMatchObject({ store: "keyring", inKeyring: "login" });
  expect(account.stored().profiles["default"]).not.toHaveProperty("login");
  expect((await account.mgmt`auth status -o json`).json).toMatchObject({
    credential: { kind: "login", store: "keyring", renews: true },
  });

  await expireToken();
  const before = issued();
  const env = {
    ...account.env,
    DBUS_SESSION_BUS_ADDRESS: process.env["DBUS_SESSION_BUS_ADDRESS"],
  };
  const runs = await Promise.all([1, 2, 3, 4].map(() => run(["projects", "list", "-o", "json"], { env })));
  expect(runs.map(({ status, stderr }) => ({ status, stderr }))).toEqual(
    runs.map(() => ({ status: 0, stderr: "" })),
  );
  expect(issued() - before).toBe(1);
  const second = await entry();
  expect(second?.refreshToken).not.toBe(first?.refreshToken);
  expect((await account.mgmt`auth token`).stdout).toBe(`${second?.accessToken}\n`);
  for (const { accessToken, refreshToken } of [first, second].flatMap((each) => each ?? [])) {
    expect(readFileSync(account.file, "utf8")).not.toContain(accessToken);
    expect(readFileSync(account.file, "utf8")).not.toContain(refreshToken);
  }

  expect((await account.mgmt`logout`).status).toBe(0);
  expect(await entry()).toBeUndefined();
  expect((await account.mgmt`whoami`).status).toBe(4);
});

it("uses the keyring for the next login too, and moves to the file and back with --store", async () => {
  await account.login("--store", "keyring");
  await account.mgmt`logout`;
  await account.login();
  expect(await entry()).toBeDefined();
  await account.login("--store", "file");
  expect(await entry()).toBeUndefined();
  expect(account.stored().profiles["default"]).toMatchObject({ login: {} });
  expect((await account.mgmt`whoami`).status).toBe(0);
  await account.login("--store", "keyring");
  expect(account.stored().profiles["default"]).not.toHaveProperty("login");
  expect((await account.mgmt`whoami`).status).toBe(0);
});

it("stores a service token, and reports when its entry was deleted", async () => {
  const token = await account.server.engine.tokens.service();
  const line = ["login", "--with-token", "--store", "keyring", "--base-url", account.server.baseUrl];
  expect((await account.run(line, { stdin: token })).status).toBe(0);
  expect(readFileSync(account.file, "utf8")).not.toContain(token);
  expect((await account.mgmt`projects list -o json`).json).toEqual([]);
  expect((await account.mgmt`auth status -o json`).json).toMatchObject({
    credential: { kind: "token", store: "keyring" },
  });
  await (await openSystemKeyring()).remove(formatKeyringAccount(account.file, "default"));
  expect((await account.mgmt`projects list`).status).toBe(4);
  expect((await account.mgmt`auth status`).status).toBe(4);
  expect((await account.mgmt`logout`).status).toBe(0);
});

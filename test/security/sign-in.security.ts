import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inPty } from "../../packages/cli/test/pty.js";
import { type DevProcess, startDev } from "./dev-process.js";
import { runAttack } from "./other-account.js";

/** Signs in by requests alone, as a browser would. Prints the access token, or the first page that has no account. */
const signIn = readFileSync(fileURLToPath(new URL("sign-in-attack.mjs", import.meta.url)), "utf8");

const keyOf = ({ ready }: DevProcess): string => {
  if (ready.signInKeyFile === null) throw new Error("The service has no sign-in key");
  return readFileSync(ready.signInKeyFile, "utf8");
};

describe("signing in to mgmt dev", () => {
  let dev: DevProcess;
  let unprotected: DevProcess;
  beforeAll(async () => {
    [dev, unprotected] = await Promise.all([startDev(), startDev("--sign-in-key", "none")]);
  });
  afterAll(() => Promise.all([dev.stop(), unprotected.stop()]));

  const attack = ({ ready }: DevProcess, more: object = {}): Promise<unknown> =>
    runAttack(signIn, { authUrl: ready.authUrl, ...more });

  it("is refused without the key, in a page with one field", async () => {
    const asked = { fields: ["signInKey"], accounts: [] };
    expect(await attack(dev)).toEqual(asked);
    expect(await attack(dev, { signInKey: "A".repeat(43) })).toEqual(asked);
    expect(await attack(dev, { cookie: true })).toEqual(asked);
    // The controls: without the protection, and with the key.
    expect(await attack(unprotected)).toEqual({ scope: "workspace:admin", status: 200 });
    expect(await attack(dev, { signInKey: keyOf(dev) })).toEqual({ scope: "workspace:admin", status: 200 });
  });

  it("warns when everybody can sign in, and names no file then", () => {
    expect(unprotected.ready.signInKeyFile).toBeNull();
    expect(unprotected.log()).toContain("dev:no_sign_in_key");
    expect(dev.log()).not.toContain("dev:no_sign_in_key");
  });

  it("has another key at each start", () => {
    expect(keyOf(dev)).toMatch(/^[\w-]{43}$/);
  });

  it("prints the key on a terminal alone", async () => {
    expect(dev.log() + JSON.stringify(dev.ready)).not.toContain(keyOf(dev));
    const printed: { file: string; key: string }[] = [];
    const { screen } = await inPty(
      ["dev", "--ephemeral", "--port", "0"],
      [
        {
          when: /needs the key in this file\..*?(\/\S+).*Press Ctrl-C to stop/s,
          type: ([, file = ""]) => {
            printed.push({ file, key: readFileSync(file, "utf8") });
            return "\u0003";
          },
        },
      ],
      { MGMT_CONFIG_DIR: dev.configDir },
    );
    expect(printed).toHaveLength(1);
    expect(screen).toContain(printed[0]?.key);
    expect(printed[0]?.key).not.toBe(keyOf(dev));
  });
});

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { problemsOf } from "./checks.js";
import { type Screen, screenOf } from "./emulator.js";
import { nameOf } from "./notation.js";
import type { Place } from "./place.js";
import { choices } from "./shot.js";
import { TenantPool } from "./tenant-pool.js";
import type { Ending } from "./terminal.js";

/** The looks of all characters on a screen. */
const looksOf = ({ rows }: Screen): Set<string> =>
  new Set(
    rows.flatMap(({ cells }) =>
      cells.filter(({ text }) => text.trim() !== "").map(({ look }) => nameOf(look)),
    ),
  );

interface Shown extends Ending {
  readonly screen: Screen;
}

describe.each(inject("nodes"))("environments on Node.js $major", (node) => {
  let pool: TenantPool;
  beforeAll(async () => {
    pool = await TenantPool.start(node);
  });
  afterAll(() => pool.stop());

  /** Runs a command with variables, and returns what it shows. */
  const show = (line: string, variables: Readonly<Record<string, string>>, columns = 120): Promise<Shown> =>
    pool.withPlace({ tenant: "acme" }, (place) => showIn(place, line, variables, columns));

  const showIn = async (
    place: Place,
    line: string,
    variables: Readonly<Record<string, string>>,
    columns = 120,
  ): Promise<Shown> => {
    Object.assign(place.variables, variables);
    const terminal = place.run(line.split(" "), { columns });
    const ending = await terminal.orStuck(terminal.ending);
    return { ...ending, screen: await screenOf(ending.raw, columns) };
  };

  const lines = ["projects list", "projects get webshop", "projects get nope", "plan", "--help"];

  it.for(lines)(
    "shows colors only where it has to, by default and with CI=true: mgmt %s",
    async (line, { expect }) => {
      const [plain, inCI] = await Promise.all([show(line, {}), show(line, { CI: "true" })]);
      expect(looksOf(inCI.screen)).toEqual(looksOf(plain.screen));
      expect(inCI.status).toBe(plain.status);
    },
  );

  it.for(lines.flatMap((line) => [[line, "NO_COLOR", "1"] as const, [line, "TERM", "dumb"] as const]))(
    "writes no escape: mgmt %s with %s=%s",
    async ([line, name, value], { expect }) => {
      const { raw, screen } = await show(line, { [name]: value });
      expect(raw).not.toContain("\u001b");
      expect(problemsOf(screen)).toEqual([]);
    },
  );

  it.for(lines)("shows the same text with LANG=C: mgmt %s", async (line, { expect }) => {
    await pool.withPlace({ tenant: "acme" }, async (place) => {
      const [first, second] = [
        await showIn(place, line, {}),
        await showIn(place, line, { LANG: "C", LC_ALL: "C" }),
      ];
      expect(withoutRequestId(second.screen.text)).toBe(withoutRequestId(first.screen.text));
    });
  });

  it.for([
    ["CI", "true"],
    ["CI", "1"],
  ] as const)("asks nothing with %s=%s, and says why", async ([name, value], { expect }) => {
    for (const line of ["projects get", "databases delete webshop/reports", "databases create figures"]) {
      const { status, screen } = await show(line, { [name]: value });
      expect({ line, status }).toEqual({ line, status: 3 });
      expect(screen.text).toContain(`${name}=${value} is set`);
    }
  });

  it("asks in a dumb terminal, and leaves it as it was", async () => {
    await pool.withPlace({ tenant: "acme" }, async (place) => {
      place.variables["TERM"] = "dumb";
      const terminal = place.run(["projects", "get"]);
      const run = async (): Promise<Ending> => {
        await terminal.until(choices);
        terminal.type("\u0003");
        return terminal.ending;
      };
      expect(await terminal.orStuck(run())).toMatchObject({
        status: 130,
        isRestored: true,
        isCursorShown: true,
      });
    });
  });

  it.for([
    ["projects create shop"],
    ["databases create figures --project-id webshop"],
    ["databases connections create webshop/reports worker"],
    ["workspaces service-tokens create {workspace} deploy"],
  ] as const)(
    "masks every secret before it prints it in GitHub Actions: mgmt %s",
    async ([line], { expect }) => {
      await pool.withPlace({ tenant: "webshop", changes: true }, async (place) => {
        const words = line.replace("{workspace}", place.tenant.workspaceId);
        const actions = { GITHUB_ACTIONS: "true", CI: "true" };
        const { raw, status } = await showIn(place, `${words} --show-secrets`, actions, 500);
        expect({ raw, status }).toMatchObject({ status: 0 });
        const printed = raw.split(/\r?\n/);
        const command = "::add-mask::";
        const masked = printed
          .filter((each) => each.startsWith(command))
          .map((each) => each.slice(command.length));
        const shown = printed.flatMap((each, at) =>
          each.startsWith(command)
            ? []
            : masked.filter((secret) => each.includes(secret)).map((secret) => ({ at, secret })),
        );
        expect(shown).not.toEqual([]);
        expect(shown.filter(({ at, secret }) => printed.indexOf(command + secret) > at)).toEqual([]);
      });
    },
  );

  it.for([
    ["projects create shop"],
    ["databases connections create webshop/reports worker"],
    ["connection-string webshop/reports --yes"],
  ] as const)("prints no secret in CI without a flag that allows it: mgmt %s", async ([line], { expect }) => {
    await pool.withPlace({ tenant: "webshop", changes: true }, async (place) => {
      const { raw } = await showIn(place, line, { GITHUB_ACTIONS: "true", CI: "true" }, 500);
      expect(raw.replaceAll(/^::add-mask::.*$/gm, "")).not.toMatch(/:\/\/\w+:\w{8,}@/);
    });
  });
});

const withoutRequestId = (text: string): string => text.replaceAll(/request id: \S+/g, "");

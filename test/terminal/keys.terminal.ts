import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Place } from "./place.js";
import { questions } from "./questions.js";
import { choices } from "./shot.js";
import { TenantPool } from "./tenant-pool.js";
import type { Ending, Terminal } from "./terminal.js";

const enter = "\r";
const [up, down] = ["\u001b[A", "\u001b[B"];

/** How people and programs type `bill` and Enter. */
const ways: readonly [string, (terminal: Terminal) => Promise<void> | void][] = [
  ["in one write", (terminal) => terminal.type(`bill${enter}`)],
  [
    "50 ms apart",
    async (terminal) => {
      for (const key of ["b", "i", "l", "l", enter]) {
        terminal.type(key);
        await sleep(50);
      }
    },
  ],
  [
    "as text, and Enter 50 ms later",
    async (terminal) => {
      terminal.type("bill");
      await sleep(50);
      terminal.type(enter);
    },
  ],
  [
    "pasted, and Enter at once",
    (terminal) => {
      terminal.paste("bill");
      terminal.type(enter);
    },
  ],
  ["pasted with a line break at the end", (terminal) => terminal.paste(`bill${enter}`)],
  ["with a mistake that is deleted", (terminal) => terminal.type(`bilx\u007fl${enter}`)],
  ["with other words of the name", (terminal) => terminal.type(`LING${enter}`)],
];

/** The value of a line of a resource's details. */
const detail = (name: string, text: string): string | undefined =>
  [...text.matchAll(new RegExp(`^${name} +(.*)$`, "gm"))].at(-1)?.[1];

/** The answer that a prompt shows after Enter. */
const answered = (question: string, text: string): string | undefined =>
  new RegExp(`^\\S+ ${question}:? +(\\S.*)$`, "m").exec(text)?.[1];

describe.each(inject("nodes"))("keys on Node.js $major", (node) => {
  let pool: TenantPool;
  beforeAll(async () => {
    pool = await TenantPool.start(node);
  });
  afterAll(() => pool.stop());

  const acme = <T>(use: (place: Place) => Promise<T>): Promise<T> =>
    pool.withPlace({ tenant: "acme", changes: true }, use);

  /** Runs a command up to its first prompt, types, and returns how it ended and what was on the terminal. */
  const converse = async (
    terminal: Terminal,
    type: (terminal: Terminal) => Promise<void> | void,
    when = choices,
  ): Promise<Ending & { text: string }> => {
    const run = async (): Promise<Ending> => {
      await terminal.until(when);
      await type(terminal);
      return terminal.ending;
    };
    const ending = await terminal.orStuck(run());
    return { ...ending, text: terminal.text };
  };

  describe("a picker with a search uses what it shows, typed", () => {
    it.for(ways)("%s", async ([, type], { expect }) => {
      await acme(async (place) => {
        const { text, status } = await converse(place.run(["projects", "get"], { columns: 120 }), type);
        expect({ status, text }).toMatchObject({ status: 0 });
        expect(answered("Project", text)).toMatch(/^billing\b/);
        expect(detail("name", text)).toBe("billing");
      });
    });

    it("for a database, which is created in the project that is shown", async () => {
      await acme(async (place) => {
        const terminal = place.run(["databases", "create", "figures"], { columns: 120 });
        const { text, status } = await converse(terminal, () => terminal.type(`bill${enter}`));
        expect({ status, text }).toMatchObject({ status: 0 });
        // Lists are arrays.
        const projects = (await place.api("GET", "/projects")) as unknown as { id: string; name: string }[];
        const databases = (await place.api("GET", "/databases")) as unknown as {
          name: string;
          project: { id: string };
        }[];
        const { project } = databases.find(({ name }) => name === "figures") ?? {};
        expect(projects.find(({ id }) => id === project?.id)?.name).toBe("billing");
        expect(answered("Project", text)).toMatch(/^billing\b/);
      });
    });

    it("for a connection, about which it then asks", async () => {
      await acme(async (place) => {
        const databaseId = place.ids["database"] ?? "";
        for (let number = 10; number < 22; number += 1) {
          await place.service.seed("connection", { databaseId, name: `worker ${String(number)}` });
        }
        const terminal = place.run(["connections", "rotate"], { columns: 200 });
        const { text, status } = await converse(terminal, async (picker) => {
          picker.type(`worker 17${enter}`);
          await picker.until(/Continue\?/);
          picker.type(`n${enter}`);
        });
        expect({ status, text }).toMatchObject({ status: 3 });
        expect(answered("Connection", text)).toMatch(/worker 17/);
        expect(text).toMatch(/^Connection worker 17 /m);
      });
    });

    it("with arrows, in one write and one by one", async () => {
      await acme(async (place) => {
        const names: (string | undefined)[] = [];
        for (const wait of [0, 50]) {
          const terminal = place.run(["projects", "get"], { columns: 120 });
          const { text } = await converse(terminal, async (picker) => {
            if (wait === 0) return picker.type(`${down}${down}${down}${up}${enter}`);
            for (const key of [down, down, down, up, enter]) {
              picker.type(key);
              await sleep(wait);
            }
          });
          expect(answered("Project", text)).toContain(detail("name", text));
          names.push(detail("name", text));
        }
        expect(names).toEqual(["billing", "billing"]);
      });
    });
  });

  it("keeps asking if nothing matches, and uses what is typed next", async () => {
    await acme(async (place) => {
      const terminal = place.run(["projects", "get"], { columns: 120 });
      const { text, status } = await converse(terminal, async (picker) => {
        picker.type(`zzz${enter}`);
        await picker.until(/No results found/);
        expect(picker.readsKeys).toBe(true);
        picker.type(`\u007f\u007f\u007fbill${enter}`);
      });
      expect({ status, text }).toMatchObject({ status: 0 });
      expect(answered("Project", text)).toMatch(/^billing\b/);
      expect(detail("name", text)).toBe("billing");
    });
  });

  it("takes the name of what is deleted in one write with Enter", async () => {
    await acme(async (place) => {
      const question = place.run(["branches", "delete", "webshop/@feature/cart"]);
      const { status } = await converse(
        question,
        () => question.type(`feature/cart${enter}`),
        /to\s+confirm:/,
      );
      expect(status).toBe(0);
    });
  });

  it.for([
    ["branches delete webshop/@feature/cart", "feature/cart", /to\s+confirm:/],
    ["connections rotate webshop/main/reports/worker", "y", /Continue\?/],
  ] as const)(
    "ignores an answer that was typed before the question was shown: %s",
    async ([line, answer, when], { expect }) => {
      await acme(async (place) => {
        const terminal = place.run(line.split(" "));
        terminal.type(`${answer}${enter}`);
        const asked = async (): Promise<Ending> => {
          await terminal.until(when);
          await terminal.settled();
          terminal.type("\u0003");
          return terminal.ending;
        };
        const { status } = await terminal.orStuck(asked());
        expect({ status, text: terminal.text }).toMatchObject({ status: 130 });
      });
    },
  );

  describe.each(["\u0003", "\u0004"])("%j at a question", (key) => {
    it.for(questions)(
      "ends the command with 130 and restores the terminal: $title",
      async ({ line, when, tenant, prepare }, { expect }) => {
        await pool.withPlace({ tenant: tenant ?? "acme", changes: prepare !== undefined }, async (place) => {
          await prepare?.(place);
          const terminal = place.run(line.split(" "), { columns: 120 });
          const ending = await converse(terminal, () => terminal.type(key), when);
          const { status, isRestored, isCursorShown, text } = ending;
          expect({ status, isRestored, isCursorShown, text }).toMatchObject({
            status: 130,
            isRestored: true,
            isCursorShown: true,
          });
          expect(text).toContain("Interrupted");
        });
      },
    );
  });

  it("leaves a dumb terminal, in which it asks too, as it was", async () => {
    await acme(async (place) => {
      place.variables["TERM"] = "dumb";
      const terminal = place.run(["projects", "get"]);
      const ending = await converse(terminal, () => terminal.type("\u0003"));
      expect(ending).toMatchObject({ status: 130, isRestored: true, isCursorShown: true });
    });
  });

  it("fits a picker into a terminal that becomes narrower", async () => {
    await pool.withPlace({ tenant: "acme" }, async (place) => {
      const terminal = place.run(["projects", "get"], { columns: 120 });
      const { status, text } = await converse(terminal, async (picker) => {
        picker.resize(60, 50);
        picker.type(`bill${enter}`);
        await picker.ending;
      });
      expect({ status, text }).toMatchObject({ status: 0 });
      expect(detail("name", text)).toBe("billing");
    });
  });
});

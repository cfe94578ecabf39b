import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Place } from "./place.js";
import { problemsOf } from "./checks.js";
import { Screen } from "./emulator.js";
import type { Interrupted } from "./interrupted.js";
import { interruptions, passiveCommands } from "./interruptions.js";
import type { Service } from "./service.js";
import { TenantPool } from "./tenant-pool.js";
import { onlyReads } from "./shots/all-shots.js";
import type { Terminal } from "./terminal.js";
import { typedCommands } from "./tree.js";

const statuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type SignalName = keyof typeof statuses;
const signals = Object.keys(statuses) as SignalName[];

/** Makes the service leave one request for an operation without a response. Resolves when the request is there. */
const holdBack = async (service: Service, operation: string): Promise<{ arrived: () => Promise<void> }> => {
  await service.control("DELETE", "/faults");
  // Longer than a command waits after a signal. The service ends only after its last response.
  await service.control("POST", "/faults", { operation, latency: 30_000, times: 1 });
  const arrived = async (): Promise<void> => {
    // A fault is removed when it has occurred as often as it may.
    while (isInstalled(await service.control("GET", "/faults"), operation)) await sleep(10);
  };
  return { arrived };
};

const isInstalled = (faults: unknown, operation: string): boolean =>
  Array.isArray(faults) && faults.some((fault: { operation?: string }) => fault.operation === operation);

const commands = await typedCommands();

/** The tests below interrupt it. */
const service = "mgmt dev";

describe("the tree of commands", () => {
  const callable = commands.filter(({ isGroup, line }) => !isGroup && line !== "mgmt");
  const lines = callable.map(({ line }) => line);

  it("has an interruption of every command that is no operation, and that waits or changes something", () => {
    const affected = callable.filter(
      ({ line, operation }) => !operation && !onlyReads(line) && !passiveCommands.includes(line),
    );
    expect(
      affected.map(({ line }) => line).filter((line) => line !== service && !interruptions[line]),
    ).toEqual([]);
  });

  it("has every command that an interruption names or that none needs to name", () => {
    const named = [...Object.keys(interruptions), ...passiveCommands];
    expect(named.filter((line) => !lines.includes(line))).toEqual([]);
    expect(passiveCommands.filter((line) => interruptions[line] || onlyReads(line))).toEqual([]);
  });
});

describe.each(inject("nodes"))("signals on Node.js $major", (node) => {
  let pool: TenantPool;
  beforeAll(async () => {
    pool = await TenantPool.start(node);
  });
  afterAll(() => pool.stop());

  /** Interrupts a command when `moment` resolves, and returns how it ended. */
  const interruptAt = async (
    { tenant, prepare, line }: Interrupted,
    moment: (place: Place) => Promise<(terminal: Terminal) => Promise<void>>,
    signal: SignalName,
  ): Promise<{ status: number; text: string; isRestored: boolean; isCursorShown: boolean }> =>
    pool.withPlace({ tenant: tenant ?? "webshop", changes: true }, async (place: Place) => {
      await prepare?.(place);
      const reached = await moment(place);
      const terminal = place.run(line(place), { columns: 200 });
      const run = async (): Promise<void> => {
        await Promise.race([reached(terminal), terminal.ending]);
        if (signal === "SIGINT") terminal.type("\u0003");
        else terminal.signal(signal);
        await terminal.ending;
      };
      await terminal.orStuck(run());
      const { status, isRestored, isCursorShown } = await terminal.ending;
      return { status, isRestored, isCursorShown, text: terminal.text };
    });

  /** Interrupts a command while the service does not respond to an operation. */
  const interrupt = (
    each: Interrupted,
    operation: string,
    signal: SignalName,
  ): ReturnType<typeof interruptAt> =>
    interruptAt(each, async (place) => (await holdBack(place.service, operation)).arrived, signal);

  const restored = { isRestored: true, isCursorShown: true };

  const cases = Object.entries(interruptions).flatMap(([name, each]) =>
    signals.map((signal) => [name, signal, each] as const),
  );

  it.for(cases.filter(([, , { before }]) => before))(
    "%s ends before its request on %s, and changes nothing",
    async ([, signal, each], { expect }) => {
      const { text, ...ending } = await interrupt(each, each.before ?? "", signal);
      expect({ ...ending, text }).toMatchObject({ status: statuses[signal], ...restored });
      expect(text).toContain("Interrupted");
      expect(text).not.toContain("may have been carried out");
    },
  );

  it.for(cases.filter(([, , { sent }]) => sent))(
    "%s says on %s that its request may have been carried out",
    async ([, signal, each], { expect }) => {
      const { text, ...ending } = await interrupt(each, each.sent ?? "", signal);
      const status = each.hasSteps ? statuses[signal] : 8;
      expect({ ...ending, text }).toMatchObject({ status, ...restored });
      expect(text).toMatch(each.hasSteps ? /unknown/ : /may have been carried out/);
      expect(problemsOf(screenOfText(text), true)).toEqual([]);
    },
  );

  it.for(cases.filter(([, , { waiting }]) => waiting))(
    "%s ends its wait on %s, and prints the result",
    async ([, signal, each], { expect }) => {
      const { text, ...ending } = await interrupt(each, each.waiting ?? "", signal);
      expect({ ...ending, text }).toMatchObject({ status: statuses[signal], ...restored });
      expect(text).toMatch(each.prints ?? /Interrupted/);
    },
  );

  it.for(cases.filter(([, , { runs }]) => runs))(
    "%s ends the program that it runs on %s",
    async ([, signal, each], { expect }) => {
      let started = "";
      const { text, ...ending } = await interruptAt(
        each,
        async (place) => {
          started = join(place.folder, "started");
          return () => hasFile(started);
        },
        signal,
      );
      expect({ ...ending, text }).toMatchObject({ status: statuses[signal], ...restored });
      expect(problemsOf(screenOfText(text), true)).toEqual([]);
    },
  );

  it.for(cases.filter(([, , { shows }]) => shows))(
    "%s ends on %s while it shows what it waits for",
    async ([, signal, each], { expect }) => {
      const { shows = /./, endsWell = false } = each;
      const { text, ...ending } = await interruptAt(
        each,
        async () => async (terminal) => {
          await terminal.until(shows);
          await terminal.settled();
        },
        signal,
      );
      expect({ ...ending, text }).toMatchObject({ status: endsWell ? 0 : statuses[signal], ...restored });
      if (!endsWell) expect(text).toContain("Interrupted");
    },
  );

  it.for(signals)(
    "mgmt dev ends on %s with 0, and leaves the terminal as it was",
    async (signal, { expect }) => {
      await pool.withPlace({ tenant: "empty" }, async (place) => {
        place.variables["MGMT_TOKEN"] = "";
        const terminal = place.run(["dev", "--ephemeral", "--port", "0"]);
        const run = async (): Promise<void> => {
          await terminal.until(/Press Ctrl-C to stop/);
          terminal.signal(signal);
          await terminal.ending;
        };
        await terminal.orStuck(run());
        expect(await terminal.ending).toMatchObject({ status: 0, ...restored });
      });
    },
  );

  it("ends when the terminal is closed", async () => {
    await pool.withPlace({ tenant: "acme" }, async (place) => {
      const terminal = place.run(["projects", "get"]);
      await terminal.until(/⏎ select/);
      const { pid } = terminal;
      terminal.close();
      await terminal.orStuck(hasEnded(pid ?? 0));
    });
  });
});

const screenOfText = (text: string): Screen =>
  new Screen(
    200,
    text
      .split("\n")
      .map((line) => ({ isWrapped: false, cells: [{ text: line, width: line.length, look: plain }] })),
  );
const plain = { color: undefined, bold: false, dim: false, italic: false, underline: false, inverse: false };

const hasFile = async (path: string): Promise<void> => {
  while (!existsSync(path)) await sleep(10);
};

const hasEnded = async (pid: number): Promise<void> => {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(20);
  }
};

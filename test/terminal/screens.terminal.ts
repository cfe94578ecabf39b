import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { capture } from "./capture.js";
import { problemsOf } from "./checks.js";
import {
  readScreens,
  type Section,
  screenFileOf,
  screensFolder,
  screenText,
  writeScreens,
} from "./screen-file.js";
import { ownShots, shotsOf } from "./shots/all-shots.js";
import { TenantPool } from "./tenant-pool.js";
import { typedCommands } from "./tree.js";

/** Of the committed screens, in columns. */
const committedWidth = 80;
const widths = [committedWidth, ...inject("otherWidths")];
const commands = await typedCommands();
const shownCommands = commands.filter((command) => shotsOf(command).length > 0);
const isUpdating = inject("updatesScreens");

describe("the tree of commands", () => {
  it("has a shot of every command that is not deprecated", () => {
    const without = commands.filter(
      (command) => !command.isGroup && !command.operation?.deprecated && shotsOf(command).length === 0,
    );
    expect(without.map(({ line }) => line)).toEqual([]);
  });

  it("has every command that there is a shot of", () => {
    const lines = commands.map(({ line }) => line);
    expect(Object.keys(ownShots).filter((line) => !lines.includes(line))).toEqual([]);
  });

  it("has a shot of every command that there is a committed file of", () => {
    const files = readdirSync(screensFolder, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".txt"),
    );
    const expected = shownCommands.map(({ line }) => screenFileOf(line));
    const stale = files.filter((file) => !expected.includes(file));
    if (isUpdating) for (const file of stale) rmSync(join(screensFolder, file));
    else expect(stale).toEqual([]);
  });
});

describe.each(inject("nodes"))("the screens of each command on Node.js $major", (node) => {
  let pool: TenantPool;
  beforeAll(async () => {
    pool = await TenantPool.start(node);
  });
  afterAll(() => pool.stop());

  it.concurrent.for(shownCommands)("$line", async (command, { expect }) => {
    const { line } = command;
    const sections: Section[] = [];
    const problems: string[] = [];
    for (const shot of shotsOf(command)) {
      for (const columns of widths) {
        const captured = await pool.withPlace(shot, (place) => capture(shot, place, columns));
        const { words, screen, ending } = captured;
        const isWaiting = shot.rests !== undefined;
        if (columns === committedWidth)
          sections.push({ title: shot.title, words, screen, status: isWaiting ? undefined : ending.status });
        const { isRestored, isCursorShown } = ending;
        const own = [
          ...problemsOf(screen, shot.isData),
          ...(isRestored ? [] : ["the terminal was left in another mode"]),
          ...(isCursorShown ? [] : ["the cursor was left hidden"]),
        ];
        problems.push(...own.map((problem) => `${shot.title}, ${String(columns)} columns: ${problem}`));
      }
    }
    const file = screenFileOf(line);
    const text = screenText(line, sections);
    if (isUpdating) writeScreens(file, text);
    expect(problems).toEqual([]);
    if (!isUpdating)
      expect(text, `npm run test:e2e -- terminal screens --update writes ${file}`).toBe(readScreens(file));
  });
});

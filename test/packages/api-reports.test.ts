import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../packages/cli/test/folders.js";
import { changesOfReport } from "../../scripts/api-reports.js";

it("an API report differs by each changed declaration, also one that is not exported, and by no comment", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "shapes", version: "1.0.0" }));
  mkdirSync(join(folder, "dist"));
  const changesBy = (declarations: string, isUpdating = false): string[] => {
    writeFileSync(join(folder, "dist/index.d.ts"), declarations);
    const changes = changesOfReport(folder, isUpdating);
    return changes.split("\n").filter((line) => /^[-+].*\w/.test(line));
  };
  const circle = `
    interface Unit {
      name: "m";
    }
    /** A circle. */
    export declare class Circle {
      radius: number;
      unit: Unit;
    }
    export declare const draw: (shape: Circle) => void;
    export {};`;
  expect(changesBy(circle, true)).toContain("+export const draw: (shape: Circle) => void;");
  expect(changesBy(circle.replace("A circle", "A round shape"))).toEqual([]);
  const changed = circle.replace("radius: number", "radius: string").replace('"m"', '"m" | "ft"');
  expect(changesBy(changed)).toEqual([
    "-    radius: number;",
    "+    radius: string;",
    '-    name: "m";',
    '+    name: "m" | "ft";',
  ]);
});

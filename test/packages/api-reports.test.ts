import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changesOfReport } from "../../scripts/api-reports.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-api-reports-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "shapes", version: "1.0.0" }));
  mkdirSync(join(folder, "dist"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const changesBy = (declarations: string, isUpdating = false): string => {
  writeFileSync(join(folder, "dist/index.d.ts"), declarations);
  return changesOfReport(folder, isUpdating);
};

const circle = `
interface Unit {
  name: "m";
}
/** A circle. */
export declare class Circle {
  /** In units. */
  radius: number;
  unit: Unit;
}
export declare const draw: (shape: Circle) => void;
export declare const erase: (shape: Circle) => void;
export {};
`;

let first: string;
beforeAll(() => {
  first = changesBy(circle, true);
});

describe("an API report", () => {
  it("names what a package exports, and the types that this refers to, without comments", () => {
    expect(first).toMatch(/^@@ -0,0 \+1,\d+ @@\n\+/);
    const report = readFileSync(join(folder, "api/index.api.md"), "utf8");
    expect(report).toContain("export class Circle {");
    expect(report).toContain("export const draw: (shape: Circle) => void;");
    expect(report).toContain('interface Unit {\n    // (undocumented)\n    name: "m";');
    expect(report).not.toMatch(/A circle|In units/);
  });

  it("differs by each changed declaration, and neither by comments nor by the order of declarations", () => {
    expect(changesBy(circle)).toBe("");

    const changed = circle
      .replace("export declare const erase: (shape: Circle) => void;\n", "")
      .replace(/interface Unit \{[^}]*\}/, "")
      .replace("A circle", "A round shape")
      .replace("radius: number", "radius: string");
    const changes = changesBy(`${changed}interface Unit {\n  name: "m" | "ft";\n}\n`);
    expect(changes.split("\n").filter((line) => /^[-+].*\w/.test(line))).toEqual([
      "-    radius: number;",
      "+    radius: string;",
      "-// @public (undocumented)",
      "-export const erase: (shape: Circle) => void;",
      '-    name: "m";',
      '+    name: "m" | "ft";',
    ]);
    expect(changes).toMatch(/^@@ .* @@ export class Circle/m);
    expect(changes).toMatch(/^@@ .* @@ interface Unit/m);
  });
});

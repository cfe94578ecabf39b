import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiReport, changesFrom } from "../../scripts/api-reports.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mgmt-api-reports-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "shapes", version: "1.0.0" }));
});
afterAll(() => rmSync(folder, { recursive: true }));

const reportOf = (declarations: string): string => {
  const file = join(folder, "index.d.ts");
  writeFileSync(file, declarations);
  return apiReport(folder, file);
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
let report: string;
beforeAll(() => {
  report = reportOf(circle);
});

describe("an API report", () => {
  it("names what an entry point exports, and the types that this refers to, without comments", () => {
    expect(report).toContain("export class Circle {");
    expect(report).toContain("export const draw: (shape: Circle) => void;");
    expect(report).toContain('interface Unit {\n    // (undocumented)\n    name: "m";');
    expect(report).not.toMatch(/A circle|In units/);
  });

  it("differs by each changed declaration, and neither by comments nor by the order of declarations", () => {
    const committed = join(folder, "committed.api.md");
    writeFileSync(committed, report);
    expect(changesFrom(committed, report)).toBe("");

    const changed = circle
      .replace("export declare const erase: (shape: Circle) => void;\n", "")
      .replace(/interface Unit \{[^}]*\}/, "")
      .replace("A circle", "A round shape")
      .replace("radius: number", "radius: string");
    const changes = changesFrom(committed, reportOf(`${changed}interface Unit {\n  name: "m" | "ft";\n}\n`));
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

it("shows all lines of a report that is not committed", () => {
  expect(changesFrom(join(folder, "none.api.md"), "one\ntwo\n")).toBe("@@ -0,0 +1,2 @@\n+one\n+two\n");
});

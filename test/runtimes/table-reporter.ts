import type { Reporter, TestCase, TestModule } from "vitest/node";

interface Row {
  passed: number;
  failed: number;
  milliseconds: number;
}

/** Prints one table at the end: a row for each test file and group, such as a runtime or a compiler. */
export class TableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = new Map<string, Row>();
    for (const module of modules) {
      // A file that cannot be loaded has no test.
      if (module.errors().length > 0) count(rows, nameOf(module), false, 0);
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "skipped") continue;
        count(rows, groupOf(module, test), state === "passed", test.diagnostic()?.duration ?? 0);
      }
    }
    process.stdout.write(`\n${tableOf(rows)}\n`);
  }
}

const nameOf = (module: TestModule): string => module.relativeModuleId.replace(/^.*\/|\.test\.ts$/g, "");

/** Returns the file and the outermost `describe` of a test, or the file alone. */
const groupOf = (module: TestModule, test: TestCase): string => {
  const [group, ...rest] = test.fullName.split(" > ");
  return rest.length > 0 && group !== undefined ? `${nameOf(module)}: ${group}` : nameOf(module);
};

const count = (rows: Map<string, Row>, name: string, isPassed: boolean, milliseconds: number): void => {
  const row = rows.get(name) ?? { passed: 0, failed: 0, milliseconds: 0 };
  rows.set(name, row);
  if (isPassed) row.passed += 1;
  else row.failed += 1;
  row.milliseconds += milliseconds;
};

const tableOf = (rows: ReadonlyMap<string, Row>): string => {
  const lines = [...rows].map(([name, { passed, failed, milliseconds }]) => [
    name,
    String(passed),
    String(failed),
    (milliseconds / 1000).toFixed(1),
  ]);
  const table = [["tested with the packed packages", "passed", "failed", "seconds"], ...lines];
  const width = Math.max(...table.map(([name = ""]) => name.length));
  return table
    .map(([name = "", ...numbers]) =>
      [name.padEnd(width), ...numbers.map((each) => each.padStart(8))].join("  "),
    )
    .join("\n");
};

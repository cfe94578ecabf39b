import { readFileSync } from "node:fs";
import { join } from "node:path";
import { benchFolder } from "../runner/paths.js";
import type { Measured, MeasuredRow, MeasuredSdk } from "./measured.js";
import type { Row } from "./row.js";
import { type Sdk, loadSdk, ours } from "./sdk.js";
import { sections } from "./sections.js";

/**
 * Measures some SDKs.
 *
 * @param names names of files in `sdks/`.
 * @param last what was measured last. The other SDKs keep their results.
 * @param keepsVarying whether the rows that vary keep their results, too.
 */
export const measure = async (
  names: readonly string[],
  last: Measured | undefined,
  { keepsVarying = false } = {},
): Promise<Measured> => {
  const sdks: MeasuredSdk[] = [...(last?.sdks.filter(({ name }) => !names.includes(name)) ?? [])];
  const loaded: [string, Sdk][] = [];
  for (const name of names) {
    const sdk = await loadSdk(name);
    loaded.push([name, sdk]);
    sdks.push({ name, package: sdk.name, version: name === ours ? "" : versionOf(sdk.name) });
  }
  const lastRows = last?.sections.flatMap(({ rows }) => rows) ?? [];
  const measureRow = async (row: Row): Promise<MeasuredRow> => {
    const { title, reason, varies = false } = row;
    const cells = { ...lastRows.find((each) => each.title === title)?.cells };
    for (const [name, sdk] of loaded) {
      if (!(varies && keepsVarying && cells[name])) cells[name] = await row.measure(sdk);
    }
    return { title, ...(reason !== undefined && { reason }), cells: inOrder(cells) };
  };
  const measured = [];
  for (const { title, about, rows } of sections) {
    const found: MeasuredRow[] = [];
    for (const row of rows) found.push(await measureRow(row));
    measured.push({ title, about, rows: found });
  }
  return { sdks: [...sdks].sort((one, other) => rankOf(one.name) - rankOf(other.name)), sections: measured };
};

const order = [ours, "stripe", "openai", "octokit"];
const rankOf = (name: string): number => order.indexOf(name);

const inOrder = <Value>(values: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(values).sort(([one], [other]) => rankOf(one) - rankOf(other)));

const versionOf = (name: string): string => {
  // Written by npm.
  const { version } = JSON.parse(
    readFileSync(join(benchFolder, "node_modules", name, "package.json"), "utf8"),
  ) as { version: string };
  return version;
};

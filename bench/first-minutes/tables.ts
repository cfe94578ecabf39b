import { markdownTable } from "../../scripts/generate/docs/markdown-table.js";
import { readMeasured as readCompared } from "../compare/measured.js";
import { ours } from "../compare/sdk.js";
import { type Measured, type Measurement, readMeasured } from "./measured.js";

/** Returns the texts of the generated sections of `docs/why.md`, by name. */
export const whySections = (): Map<string, string> => {
  const measured = readMeasured();
  return new Map([
    ["when", whenOf(measured)],
    [
      "sdks",
      markdownTable(["to call an API", ...columns, "import"], measured.sdks.map(asCompared).map(rowOf)),
    ],
    ["commands", markdownTable(["a command line", ...columns, "`--version`"], measured.commands.map(rowOf))],
    ["first-row", firstRowOf(measured.firstRow)],
    ["costs", costs()],
  ]);
};

const columns = ["packages", "size", "install"];

const nameOf = ({ name, version }: Pick<Measurement, "name" | "version">): string =>
  `\`${name}\`${version === "" ? "" : ` ${version}`}`;
const seconds = (value: number): string => `${value.toFixed(1)} s`;

const rowOf = (measurement: Measurement): string[] => {
  const { packages, megabytes, install, start } = measurement;
  return [
    nameOf(measurement),
    String(packages),
    `${String(megabytes)} MB`,
    seconds(install),
    start === undefined ? "not measured" : `${String(start)} ms`,
  ];
};

const comparedRow = (title: string) => {
  const found = readCompared()
    .sections.flatMap(({ rows }) => rows)
    .find((row) => row.title === title);
  if (!found) throw new Error(`The comparison has no row ${title}`);
  return found.cells;
};

/** The page and the comparison have the same packages and sizes. */
const asCompared = (measurement: Measurement): Measurement => {
  const name = readCompared().sdks.find((each) => each.package === measurement.name)?.name ?? "";
  const packages = comparedRow("packages in `node_modules`")[name]?.rank ?? measurement.packages;
  const megabytes = comparedRow("size of `node_modules`, rounded up")[name]?.rank ?? measurement.megabytes;
  return { ...measurement, packages, megabytes };
};

const whenOf = ({ month }: Measured): string =>
  `The numbers were measured in ${month} on Node.js 20. Times are processor time, which depends neither on the network nor on what else the ` +
  "machine does.";

const firstRowOf = (firstRow: number): string =>
  "With `@mgmt/platform`, `mgmt dev` runs the service on your machine. From the start of `npm install @mgmt/cli @mgmt/platform` with an empty " +
  `cache until a project exists, and a program has written a row into its Postgres database, all programs together take ${seconds(firstRow)} of ` +
  "processor time. This needs no account, no container, and no network after the installation.";

const costs = (): string => {
  const bytes = comparedRow("a browser bundle with one call");
  const instantiations = comparedRow("type instantiations for a program of ten lines");
  return markdownTable(
    ["SDK", "loaded at start", "type instantiations"],
    readCompared().sdks.map(({ name, package: packageName, version }) => [
      nameOf({ name: packageName, version: name === ours ? "" : version }),
      bytes[name]?.text ?? "",
      instantiations[name]?.text ?? "",
    ]),
  );
};

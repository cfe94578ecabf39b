import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const scoresFile = fileURLToPath(new URL("scores.json", import.meta.url));

const isDetected = ({ status }) => status === "Killed" || status === "Timeout";

const isMissed = ({ status }) => status === "Survived" || status === "NoCoverage";

/** Returns the paths of the sources in a folder, or of a single file, from the root of the repository. */
export const sourcesIn = (path) =>
  path.endsWith(".ts")
    ? [path]
    : readdirSync(join(root, path), { recursive: true })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => `${path}/${name}`)
        .sort();

export const readScores = () => (existsSync(scoresFile) ? JSON.parse(readFileSync(scoresFile, "utf8")) : {});

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Adds the counts of files to the scores of a folder, and removes files that no longer exist. */
const writeScores = (folder, counts) => {
  const scores = readScores();
  const all = { ...scores[folder]?.files, ...counts };
  const sources = sourcesIn(folder);
  const files = Object.fromEntries(sources.flatMap((path) => (path in all ? [[path, all[path]]] : [])));
  const detected = sum(Object.values(files).map((file) => file.detected));
  const valid = sum(Object.values(files).map((file) => file.valid));
  scores[folder] = {
    score: Math.round((1000 * detected) / valid) / 10,
    detected,
    valid,
    measuredFiles: Object.keys(files).length,
    allFiles: sources.length,
    files,
  };
  writeFileSync(scoresFile, `${JSON.stringify(scores, null, 2)}\n`);
};

const describeMutant = (
  { fileName, location: { start, end }, mutatorName, replacement = "", status },
  lines,
) => {
  const line = lines[start.line - 1];
  const original =
    start.line === end.line
      ? line.slice(start.column - 1, end.column - 1)
      : `${line.slice(start.column - 1)} …`;
  const change = `${original}  =>  ${replacement.replace(/\s+/g, " ").slice(0, 100)}`;
  return `${status} ${mutatorName} ${fileName}:${start.line}:${start.column}  ${change}`;
};

/**
 * Writes the counts of each file to `scores.json` once all its mutants were tested, and prints those that no test noticed. An
 * interrupted run therefore leaves the counts of the files that it finished.
 */
class ScoresReporter {
  static inject = [];
  #folder = process.env["MUTATION_FOLDER"] ?? "";
  #mutants = new Map();
  #results = new Map();

  onMutationTestingPlanReady({ mutantPlans }) {
    for (const { mutant } of mutantPlans) {
      const path = relative(root, mutant.fileName);
      this.#mutants.set(path, (this.#mutants.get(path) ?? 0) + 1);
    }
  }

  onMutantTested(result) {
    const fileName = relative(root, result.fileName);
    const results = [...(this.#results.get(fileName) ?? []), { ...result, fileName }];
    this.#results.set(fileName, results);
    if (results.length !== this.#mutants.get(fileName)) return;
    const missed = results.filter(isMissed);
    const detected = results.filter(isDetected).length;
    writeScores(this.#folder, { [fileName]: { detected, valid: detected + missed.length } });
    const lines = readFileSync(join(root, fileName), "utf8").split("\n");
    console.log(
      [`${fileName}: ${detected} detected`, ...missed.map((each) => describeMutant(each, lines))].join(
        "\n  ",
      ),
    );
  }

  onMutationTestReportReady() {
    // Files that contain only types have no mutants.
    const selected = JSON.parse(process.env["MUTATION_SOURCES"] ?? "[]");
    const without = selected.filter((path) => !this.#mutants.has(path));
    writeScores(this.#folder, Object.fromEntries(without.map((path) => [path, { detected: 0, valid: 0 }])));
  }
}

/** A plugin of Stryker. */
export const strykerPlugins = [{ kind: "Reporter", name: "scores", injectableClass: ScoresReporter }];

import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const scoresFile = fileURLToPath(new URL("scores.json", import.meta.url));

const detectedStatuses = ["Killed", "Timeout"];
const validStatuses = [...detectedStatuses, "Survived", "NoCoverage"];

/** Returns how many mutants of a file were detected, and how many there are, without ignored ones and those that cannot run. */
const countsOf = ({ mutants }) => ({
  detected: mutants.filter(({ status }) => detectedStatuses.includes(status)).length,
  valid: mutants.filter(({ status }) => validStatuses.includes(status)).length,
});

const sourcesIn = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => `${folder}/${path}`)
    .sort();

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Adds the counts of a report to those of earlier runs, and removes files that no longer exist. */
const merge = (folder, earlier, report) => {
  const counts = { ...earlier?.files };
  for (const [path, file] of Object.entries(report.files)) counts[path] = countsOf(file);
  const sources = sourcesIn(folder);
  const files = Object.fromEntries(sources.flatMap((path) => (path in counts ? [[path, counts[path]]] : [])));
  const detected = sum(Object.values(files).map((file) => file.detected));
  const valid = sum(Object.values(files).map((file) => file.valid));
  return {
    score: Math.round((1000 * detected) / valid) / 10,
    detected,
    valid,
    measuredFiles: Object.keys(files).length,
    allFiles: sources.length,
    files,
  };
};

/** Writes the counts of a report of Stryker about files of a folder to `scores.json`. Returns the scores of all folders. */
export const addReport = (folder, report) => {
  const scores = existsSync(scoresFile) ? JSON.parse(readFileSync(scoresFile, "utf8")) : {};
  scores[folder] = merge(folder, scores[folder], report);
  writeFileSync(scoresFile, `${JSON.stringify(scores, null, 2)}\n`);
  return scores;
};

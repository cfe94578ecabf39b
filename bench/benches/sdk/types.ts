import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Finding, Series } from "../../runner/bench.js";
import { type Goal, goals } from "../../runner/goals.js";
import { programFolder, root } from "../../runner/paths.js";
import { measureAlternately } from "../../runner/rounds.js";
import { ours } from "./contenders.js";
import { typePrograms } from "./type-programs.js";

/** Diagnostics of the compiler for a program of ten lines with the published declarations. */
export const typeCosts = async (rounds: number): Promise<Finding[]> => {
  await mkdir(programFolder, { recursive: true });
  const folder = await mkdtemp(join(programFolder, "types-"));
  try {
    const instantiations = new Map<string, number>();
    const times = await measureAlternately(
      await Promise.all(
        Object.entries({ ...typePrograms, "an empty module": "export {};\n" }).map(
          async ([name, program], index) => {
            const project = await writeProject(join(folder, String(index)), program);
            return {
              name,
              unit: "s" as const,
              measure: async () => {
                const found = await check(project);
                assert.equal(instantiations.get(name) ?? found.instantiations, found.instantiations);
                instantiations.set(name, found.instantiations);
                return found.checkTime;
              },
            };
          },
        ),
      ),
      { warmUp: 1, rounds },
    );
    const counts = [...instantiations].map(([name, count]) => ({
      name,
      unit: "instantiations" as const,
      rounds: [count],
    }));
    return [
      compare("type instantiations of a ten-line program, skipLibCheck", counts, goals.sdk.instantiations),
      compare("check time of a ten-line program, skipLibCheck", times, goals.sdk.checkTime),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const compare = (title: string, series: readonly Series[], goal: Goal): Finding => {
  const subject = series.find(({ name }) => name === ours.name);
  assert.ok(subject);
  return {
    title,
    subject,
    others: series.filter((each) => each !== subject),
    goal,
  };
};

const writeProject = async (folder: string, program: string): Promise<string> => {
  await mkdir(folder);
  await writeFile(join(folder, "index.ts"), program);
  const project = join(folder, "tsconfig.json");
  await writeFile(project, JSON.stringify({ compilerOptions, files: ["index.ts"] }));
  return project;
};

const compilerOptions = {
  target: "ES2022",
  module: "ESNext",
  moduleResolution: "Bundler",
  types: ["node"],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

const check = async (project: string): Promise<{ instantiations: number; checkTime: number }> => {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const child = spawn(process.execPath, [compiler, "--project", project, "--extendedDiagnostics"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  assert.equal(status, 0, output);
  const read = (name: string): number => {
    const value = new RegExp(`^${name}:\\s+([\\d.]+)s?$`, "m").exec(output)?.[1];
    assert.ok(value !== undefined, `tsc says nothing of "${name}"`);
    return Number(value);
  };
  return { instantiations: read("Instantiations"), checkTime: read("Check time") };
};

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { root } from "../../scripts/generate/contract/contract.js";

/**
 * What a reader does next. `where` is the page and the line that say so. `remedy` is what a reader runs whose package manager, with
 * which the command begins, ends with an error there.
 */
export type Step = { where: string } & (
  | { do: "clone" }
  | { do: "copy"; folder: string }
  | { do: "save"; file: string; text: string; isProgram: boolean }
  | { do: "serve"; command: string }
  | { do: "export-what-it-prints" }
  | { do: "run"; command: string; remedy?: string }
  | { do: "expect"; output: string }
);

/** A fault of a page that shows without running it. */
export interface PageFault {
  where: string;
  message: string;
}

export interface Page {
  /** What the reader does, beginning with the steps of the pages that this one continues. */
  steps: Step[];
  /** The pages that the reader has followed before the first step of this one. */
  before: string[];
  /** The steps that come after those pages. */
  own: Step[];
  faults: PageFault[];
  /** The packages that the page's code imports. */
  imports: { where: string; name: string }[];
}

interface Fence {
  where: string;
  language: string;
  use: string;
  text: string;
}

/** The page's prose and blocks, in the order of the page. */
type Part = { where: string; prose: string } | Fence;

const partsOf = (name: string, markdown: string): Part[] => {
  const parts: Part[] = [];
  let prose: { where: string; prose: string } | undefined;
  let fence: Fence | undefined;
  for (const [index, line] of markdown.split("\n").entries()) {
    const where = `${name}:${String(index + 1)}`;
    const mark = /^```(\w*) ?(\w*)/.exec(line);
    if (fence && mark) {
      parts.push(fence);
      fence = undefined;
    } else if (fence) {
      fence.text += `${line}\n`;
    } else if (mark) {
      if (prose) parts.push(prose);
      prose = undefined;
      const [, language = "", use = ""] = mark;
      fence = { where, language, use, text: "" };
    } else {
      prose ??= { where, prose: "" };
      // A heading ends a sentence.
      prose.prose += line.startsWith("#") ? `\n\n` : `${line}\n`;
    }
  }
  if (prose) parts.push(prose);
  return parts;
};

/** Where a page saves each of its programs, or each of its tests, and how it runs them. */
interface Habit {
  file?: string;
  command?: string;
}

/** The sentences of prose that tell the reader to do something, each with what it does. */
const instructions: { pattern: RegExp; name: string }[] = [
  { name: "clone", pattern: /\bClone the repository\b/ },
  { name: "copy", pattern: /\bCopy this folder\b/ },
  { name: "continue", pattern: /\bcontinues? \[[^\]]*\]\(([^)#\s]+)[^)]*\)/ },
  { name: "export", pattern: /\brun the two `export` commands that it prints\b/ },
  { name: "serve", pattern: /\b(?:[Ss]tart|run) `((?:npx )?(?:@mgmt\/cli|mgmt) dev\b[^`]*)`/ },
  { name: "remedy", pattern: /\bends with `\w+`: then run `([^`]+)`/ },
  { name: "save-all", pattern: /\b[Ss]ave each (?:program|test)\b[^.`]* as `([^`]+)`/ },
  { name: "save", pattern: /\b[Ss]ave (?:this|it|the \w+) as `([^`]+)`/ },
  { name: "run-all", pattern: /\brun (?:each|every one) with `([^`]+)`/i },
  { name: "run", pattern: /\brun (?:it|them|the tests?) with `([^`]+)`/i },
];

interface Instruction {
  name: string;
  argument: string;
}

const instructionsOf = (prose: string): Instruction[] => {
  const text = prose.replaceAll(/(?<!\n)\n(?!\n)/g, " ");
  return instructions
    .flatMap(({ name, pattern }) =>
      [...text.matchAll(new RegExp(pattern, `g${pattern.flags}`))].map((match) => ({
        name,
        argument: match[1] ?? "",
        at: match.index,
      })),
    )
    .sort((one, other) => one.at - other.at);
};

const importPattern =
  /(?:^import (?:[^"';]*? from )?|^export (?:\*|(?:type )?\{[^}]*\}) from |\brequire\()["']([^"']+)["']/gm;

const importsOf = ({ where, text }: Fence): { where: string; name: string }[] =>
  [...text.matchAll(importPattern)]
    .map(([, specifier = ""]) => specifier)
    .filter((specifier) => !/^(?:node:|\.|\/)/.test(specifier))
    .map((specifier) => ({
      where,
      name: specifier
        .split("/")
        .slice(0, specifier.startsWith("@") ? 2 : 1)
        .join("/"),
    }));

const isProgram = ({ language, use }: Fence): boolean =>
  /^(?:ts|js)$/.test(language) && /^(?:run|test)$/.test(use);
const isFence = (part: Part): part is Fence => "language" in part;
/** The tests of this repository, which include these, and downloads of a release, which the test of the standalone program runs. */
const isDoneElsewhere = ({ use, text }: Fence): boolean =>
  use === "standalone" || (use === "root" && text.includes("npm test"));
const installs = /^npm install (?!&)\S+(?: .*)?$/m;
const isTestFile = /\.(?:test|spec)\.\w+$/;
const runsTests = /\b(?:npm (?:run )?test|vitest|jest|playwright test|node --test)\b/;

/**
 * Reads what a page tells its reader to do, from top to bottom. Besides the blocks of commands, these sentences count, because
 * a reader follows them too: "Copy this folder", "start `npx mgmt dev`", "run the two `export` commands that it prints", "Save
 * this as `FILE`", "run it with `COMMAND`", "Save each program as `FILE`, and run each with `COMMAND`", and "This page
 * continues [another](page.md)".
 */
export const readPage = (
  name: string,
  markdown = readFileSync(join(root, name), "utf8"),
  seen: readonly string[] = [],
): Page => {
  const page: Page = { steps: [], before: [], own: [], faults: [], imports: [] };
  const { steps, faults } = page;
  /** Steps of the pages that come before. */
  let inherited = 0;
  const habits: { run: Habit; test: Habit } = { run: {}, test: {} };
  const parts = partsOf(name, markdown);
  /** A program whose name follows in the prose after it. */
  let unnamed: Fence | undefined;
  /** What the prose before a block says about it. */
  let announced: Habit | undefined;

  const save = (fence: Fence, file: string): void => {
    steps.push({
      do: "save",
      where: fence.where,
      file: normalize(file),
      text: fence.text,
      isProgram: isProgram(fence),
    });
  };
  const requireName = (): void => {
    if (unnamed) faults.push({ where: unnamed.where, message: "The page gives this program no file name." });
    unnamed = undefined;
  };
  const remedy = (command: string, where: string): void => {
    const last = steps.at(-1);
    if (last?.do === "run") last.remedy = command;
    else faults.push({ where, message: "The page does not say which command ends so." });
  };
  const follow = ({ name: instruction, argument }: Instruction, where: string): void => {
    if (instruction === "clone") steps.push({ do: "clone", where });
    else if (instruction === "copy") steps.push({ do: "copy", where, folder: dirname(name) });
    else if (instruction === "export") steps.push({ do: "export-what-it-prints", where });
    else if (instruction === "serve") steps.push({ do: "serve", where, command: argument });
    else if (instruction === "remedy") remedy(argument, where);
    else if (instruction === "save-all") habits[isTestFile.test(argument) ? "test" : "run"].file = argument;
    else if (instruction === "run-all") habits[runsTests.test(argument) ? "test" : "run"].command = argument;
    else if (instruction === "run" && announced) announced.command = argument;
    else if (instruction === "run") steps.push({ do: "run", where, command: argument });
    else if (instruction === "save" && unnamed) {
      save(unnamed, argument);
      unnamed = undefined;
    } else if (instruction === "save") announced = { file: argument };
    else if (instruction === "continue") {
      // npm shows the READMEs of the packages, which link to the repository.
      const [, inRepository] = /\/blob\/main\/(.+)$/.exec(argument) ?? [];
      const other = inRepository ?? join(dirname(name), argument);
      if (!existsSync(join(root, other)) || seen.includes(other)) {
        faults.push({ where, message: `The page cannot continue ${argument}.` });
        return;
      }
      const continued = readPage(other, undefined, [...seen, name]);
      const isFirst = steps.length === inherited;
      steps.push(...continued.steps);
      page.imports.push(...continued.imports);
      if (!isFirst) return;
      page.before.push(...continued.before, other);
      inherited = steps.length;
    }
  };

  for (const part of parts) {
    if (!isFence(part)) {
      for (const instruction of instructionsOf(part.prose)) follow(instruction, part.where);
      continue;
    }
    requireName();
    const { where, language, use, text } = part;
    const habit = habits[use === "test" ? "test" : "run"];
    const file = announced?.file ?? /^\/\/ ([\w./[\]-]+\.\w+)\n/.exec(text)?.[1];
    const command = announced?.command;
    announced = undefined;
    if (/^(?:ts|js)$/.test(language)) page.imports.push(...importsOf(part));
    if (language === "text") steps.push({ do: "expect", where, output: text });
    else if (language === "sh" && use === "serve") steps.push({ do: "serve", where, command: text.trim() });
    else if (language === "sh" && !isDoneElsewhere(part))
      steps.push({ do: "run", where, command: text.trim() });
    else if (file !== undefined) {
      save(part, file);
      if (command !== undefined) steps.push({ do: "run", where, command });
    } else if (isProgram(part) && habit.file !== undefined) {
      save(part, habit.file);
      if (habit.command !== undefined) steps.push({ do: "run", where, command: habit.command });
    } else if (isProgram(part)) unnamed = part;
  }
  requireName();
  page.own.push(...steps.slice(inherited));

  const last = steps.findLastIndex((step) => step.do === "run" && installs.test(step.command));
  const isUsed = steps.slice(last + 1).some((step) => step.do === "run" || step.do === "serve");
  const where = steps[last]?.where;
  if (where !== undefined && !isUsed && page.imports.length > 0)
    faults.push({ where, message: "The page does not say what to run with the packages that it installs." });
  for (const [index, step] of steps.entries()) {
    if (step.do !== "save" || !step.isProgram) continue;
    const later = steps.slice(index + 1);
    const isRun = later.some(
      (each) => each.do === "run" && (each.command.includes(step.file) || runsTests.test(each.command)),
    );
    if (!isRun) faults.push({ where: step.where, message: `The page does not say how to run ${step.file}.` });
  }
  return page;
};

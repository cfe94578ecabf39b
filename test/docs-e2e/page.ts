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
  | { do: "run"; command: string; remedy?: string }
  | { do: "expect"; output: string }
);

export interface Page {
  /** What the reader does, beginning with the steps of the pages that this one continues. */
  steps: Step[];
  /** What is wrong with the page even before its steps are followed. */
  faults: string[];
  /** The packages that the page's code imports. */
  imports: { where: string; name: string }[];
}

interface Fence {
  where: string;
  language: string;
  use: string;
  text: string;
}

/** Returns the page's prose and blocks, in the order of the page. */
const partsOf = (name: string, markdown: string): (Fence | { where: string; prose: string })[] => {
  const whereAt = (index: number): string => `${name}:${String(markdown.slice(0, index).split("\n").length)}`;
  let end = 0;
  const parts = [...markdown.matchAll(/^```(\w*) ?(\w*).*\n([\s\S]*?)^```.*$/gm)].flatMap((match) => {
    const [all, language = "", use = "", text = ""] = match;
    const prose = { where: whereAt(end), prose: markdown.slice(end, match.index) };
    end = match.index + all.length;
    return [prose, { where: whereAt(match.index), language, use, text }];
  });
  return [...parts, { where: whereAt(end), prose: markdown.slice(end) }];
};

const importPattern =
  /(?:^import (?:[^"';]*? from )?|^export (?:\*|(?:type )?\{[^}]*\}) from |\brequire\()["'](?!node:|\.|\/)((?:@[^"'/]+\/)?[^"'/]+)/gm;
const isProgram = ({ language, use }: Fence): boolean =>
  /^(?:ts|js) (?:run|test)$/.test(`${language} ${use}`);
/** The tests of this repository, which include these, and downloads of a release, which the test of the standalone program runs. */
const isDoneElsewhere = ({ use, text }: Fence): boolean =>
  use === "standalone" || (use === "root" && text.includes("npm test"));
const installs = /^npm install (?!&)\S+(?: .*)?$/m;
const isTestFile = /\.(?:test|spec)\.\w+$/;
const runsTests = /\b(?:npm (?:run )?test|vitest|jest|playwright test|node --test)\b/;

/** Reads what a page tells its reader to do, from top to bottom: its blocks, and the sentences that are listed below. */
export const readPage = (
  name: string,
  markdown = readFileSync(join(root, name), "utf8"),
  seen: readonly string[] = [],
): Page => {
  const page: Page = { steps: [], faults: [], imports: [] };
  const { steps } = page;
  const fault = (where: string, message: string): void => void page.faults.push(`${where}: ${message}`);
  /** Where the page saves each of its programs, or of its tests, and how it runs them. */
  const habits = { run: { file: "", command: "" }, test: { file: "", command: "" } };
  /** What the prose before a block says about it. */
  let announced = { file: "", command: "" };
  /** A program whose name follows in the prose after it. */
  let unnamed: Fence | undefined;

  const save = (fence: Fence, file: string): void => {
    const { where, text } = fence;
    steps.push({ do: "save", where, file: normalize(file), text, isProgram: isProgram(fence) });
  };
  const run = (command: string, where: string): void => {
    if (command !== "") steps.push({ do: "run", where, command });
  };
  const continuePage = (link: string, where: string): void => {
    // npm shows the READMEs of the packages, which link to the repository.
    const other = /\/blob\/main\/(.+)$/.exec(link)?.[1] ?? join(dirname(name), link);
    if (!existsSync(join(root, other)) || seen.includes(other))
      return fault(where, `The page cannot continue ${link}.`);
    const continued = readPage(other, undefined, [...seen, name]);
    steps.push(...continued.steps);
    page.imports.push(...continued.imports);
  };
  const habitOf = (isTest: boolean) => habits[isTest ? "test" : "run"];
  const sentences: [pattern: RegExp, follow: (argument: string, where: string) => void][] = [
    [/\bClone the repository\b/g, (_, where) => void steps.push({ do: "clone", where })],
    [/\bCopy this folder\b/g, (_, where) => void steps.push({ do: "copy", where, folder: dirname(name) })],
    [/\bcontinues? \[[^\]]*\]\(([^)#\s]+)[^)]*\)/g, continuePage],
    [
      /\b(?:[Ss]tart|run) `((?:npx )?(?:@mgmt\/cli|mgmt) dev\b[^`]*)`/g,
      (command, where) => void steps.push({ do: "serve", where, command }),
    ],
    [
      /\bends with `\w+`: then run `([^`]+)`/g,
      (command, where) => {
        const last = steps.at(-1);
        if (last?.do === "run") last.remedy = command;
        else fault(where, "The page does not say which command ends so.");
      },
    ],
    [
      /\b[Ss]ave each (?:program|test)\b[^.`]* as `([^`]+)`/g,
      (file) => (habitOf(isTestFile.test(file)).file = file),
    ],
    [
      /\b[Ss]ave (?:this|it|the \w+) as `([^`]+)`/g,
      (file) => {
        if (unnamed) save(unnamed, file);
        else announced = { file, command: "" };
        unnamed = undefined;
      },
    ],
    [
      /\brun (?:each|every one) with `([^`]+)`/gi,
      (command) => (habitOf(runsTests.test(command)).command = command),
    ],
    [
      /\brun (?:it|them|the tests?) with `([^`]+)`/gi,
      (command, where) => {
        if (announced.file === "") run(command, where);
        else announced.command = command;
      },
    ],
  ];
  const follow = (prose: string, where: string): void => {
    // A heading ends a sentence.
    const text = prose.replaceAll(/^#.*$/gm, "\n").replaceAll(/(?<!\n)\n(?!\n)/g, " ");
    sentences
      .flatMap(([pattern, act]) => [...text.matchAll(pattern)].map((match) => ({ match, act })))
      .sort((one, other) => one.match.index - other.match.index)
      .forEach(({ match, act }) => act(match[1] ?? "", where));
  };
  const requireName = (): void => {
    if (unnamed) fault(unnamed.where, "The page gives this program no file name.");
    unnamed = undefined;
  };

  for (const part of partsOf(name, markdown)) {
    if ("prose" in part) {
      follow(part.prose, part.where);
      continue;
    }
    requireName();
    const { where, language, use, text } = part;
    const { file, command } = announced;
    announced = { file: "", command: "" };
    const ownName = file || (/^\/\/ ([\w./[\]-]+\.\w+)\n/.exec(text)?.[1] ?? "");
    const habit = habitOf(use === "test");
    if (/^(?:ts|js)$/.test(language))
      for (const match of text.matchAll(importPattern)) page.imports.push({ where, name: match[1] ?? "" });
    if (language === "text") steps.push({ do: "expect", where, output: text });
    else if (language === "sh" && use === "serve") steps.push({ do: "serve", where, command: text.trim() });
    else if (language === "sh" && !isDoneElsewhere(part)) run(text.trim(), where);
    else if (ownName !== "" || (isProgram(part) && habit.file !== "")) {
      save(part, ownName || habit.file);
      run(ownName === "" ? habit.command : command, where);
    } else if (isProgram(part)) unnamed = part;
  }
  requireName();

  const last = steps.findLastIndex((step) => step.do === "run" && installs.test(step.command));
  const isUsed = steps.slice(last + 1).some((step) => step.do === "run" || step.do === "serve");
  if (steps[last] && !isUsed && page.imports.length > 0)
    fault(steps[last].where, "The page does not say what to run with the packages that it installs.");
  for (const [index, step] of steps.entries()) {
    if (step.do !== "save" || !step.isProgram) continue;
    const isRun = steps
      .slice(index + 1)
      .some(
        (later) => later.do === "run" && (later.command.includes(step.file) || runsTests.test(later.command)),
      );
    if (!isRun) fault(step.where, `The page does not say how to run ${step.file}.`);
  }
  return page;
};

import { join } from "node:path";
import ts from "typescript";
import { typePrograms } from "../../benches/sdk/type-programs.js";
import { benchFolder } from "../../runner/paths.js";
import { type Section, amount, behavior } from "../row.js";

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: ["node"],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

const file = join(benchFolder, "compare/program.ts");
/** The declarations that have been read. */
const snapshots = new Map<string, ts.IScriptSnapshot | undefined>();

/** Returns the language service of an editor in which a program is open. */
const editorFor = (program: string): ts.LanguageService => {
  const snapshot = ts.ScriptSnapshot.fromString(program);
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      if (name === file) return snapshot;
      if (!snapshots.has(name)) {
        const text = ts.sys.readFile(name);
        snapshots.set(name, text === undefined ? undefined : ts.ScriptSnapshot.fromString(text));
      }
      return snapshots.get(name);
    },
    getCurrentDirectory: () => benchFolder,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: (name) => (name === file ? program : ts.sys.readFile(name)),
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: (name) => (name === file ? name : (ts.sys.realpath?.(name) ?? name)),
  };
  return ts.createLanguageService(host);
};

const errorsOf = (program: string): readonly string[] =>
  editorFor(program)
    .getSemanticDiagnostics(file)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));

/** Returns where the dots between `client` and the method of the last call are. */
const dotsOf = (program: string): number[] => {
  const start = program.lastIndexOf("client.");
  const path = program.slice(start, program.indexOf("(", start));
  return [...path.matchAll(/\./g)].map(({ index }) => start + index);
};

/** Returns the program of ten lines that the bench of types has for an SDK. */
const tenLines = (name: string): string =>
  typePrograms[name] ?? (typePrograms["@octokit/rest"] ?? "").replaceAll("@octokit/rest", name);

/** Whether the compiler reports only the mistake that a program contains. */
const refusal = (program: string, mistake: RegExp) => {
  const errors = errorsOf(program);
  const other = errors.find((message) => !mistake.test(message));
  if (other !== undefined) throw new Error(`Not the mistake in the program: ${other}`);
  return errors.length > 0 ? behavior("an error of the compiler", 0) : behavior("compiles", 1);
};

export const editor: Section = {
  title: "In the editor",
  about:
    "TypeScript 5.9, with the published declarations. The completions are the names that an editor offers on the way from `client.` to " +
    "the method.",
  rows: [
    {
      title: "what hover shows for the result of a create",
      measure: ({ programs: { create } }) => {
        const info = editorFor(create).getQuickInfoAtPosition(file, create.lastIndexOf("result"));
        const shown = ts.displayPartsToString(info?.displayParts).replace(/^const result: /, "");
        if (/\bany\b/.test(shown) || shown === "") throw new Error(`The result is not typed: ${shown}`);
        const lines = shown.split("\n").length;
        const text = lines === 1 ? `\`${shown}\`` : `an object type of ${String(lines)} lines`;
        return Promise.resolve(behavior(text, lines));
      },
    },
    {
      title: "completions after each dot of a create",
      measure: ({ programs: { create } }) => {
        const counts = dotsOf(create).map(
          (dot) => editorFor(create).getCompletionsAtPosition(file, dot + 1, {})?.entries.length ?? 0,
        );
        return Promise.resolve(
          behavior(
            counts.map((count) => count.toLocaleString("en")).join(", then "),
            counts.reduce((sum, count) => sum + count, 0),
          ),
        );
      },
    },
    {
      title: "type instantiations for a program of ten lines",
      measure: ({ name }) => {
        const program = editorFor(tenLines(name)).getProgram();
        if (!program) throw new Error("There is no program");
        const [error] = ts.getPreEmitDiagnostics(program);
        if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, " "));
        // The compiler counts them and prints them with --extendedDiagnostics, but does not declare the method.
        const { getInstantiationCount } = program as unknown as { getInstantiationCount(): number };
        return Promise.resolve(amount(getInstantiationCount(), ""));
      },
    },
    {
      title: "a misspelled field of a create",
      measure: ({ programs }) => Promise.resolve(refusal(programs.wrongField, /nmae|descripton/)),
    },
    {
      title: "a comparison of an error's code with one that does not exist",
      measure: ({ programs }) => Promise.resolve(refusal(programs.wrongCode, /gone/)),
    },
  ],
};

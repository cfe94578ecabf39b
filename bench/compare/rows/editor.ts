import { join } from "node:path";
import ts from "typescript";
import { typePrograms } from "../../benches/type-programs.js";
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
/** Shares the declarations that have been read. */
const documents = ts.createDocumentRegistry();

/** Returns the language service of an editor in which a program is open. */
const editorFor = (program: string): ts.LanguageService => {
  const readFile = (name: string): string | undefined => (name === file ? program : ts.sys.readFile(name));
  return ts.createLanguageService(
    {
      getCompilationSettings: () => options,
      getScriptFileNames: () => [file],
      // The registry would give the same version the same text.
      getScriptVersion: (name) => (name === file ? program : "1"),
      getScriptSnapshot: (name) => {
        const text = readFile(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => benchFolder,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (name) => name === file || ts.sys.fileExists(name),
      readFile,
      readDirectory: ts.sys.readDirectory,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
      realpath: (name) => (name === file ? name : (ts.sys.realpath?.(name) ?? name)),
    },
    documents,
  );
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
        return behavior(text, lines);
      },
    },
    {
      title: "completions after each dot of a create",
      reason:
        "Methods of HTTP come after the dot. The paths are completed in a string, which is not counted.",
      measure: ({ programs: { create } }) => {
        const counts = dotsOf(create).map(
          (dot) => editorFor(create).getCompletionsAtPosition(file, dot + 1, {})?.entries.length ?? 0,
        );
        const text = counts.map((count) => count.toLocaleString("en")).join(", then ");
        return behavior(
          text,
          counts.reduce((sum, count) => sum + count, 0),
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
        return amount(getInstantiationCount(), "");
      },
    },
    {
      title: "a misspelled field of a create",
      measure: ({ programs }) => refusal(programs.wrongField, /nmae|descripton/),
    },
    {
      title: "a comparison of an error's code with one that does not exist",
      measure: ({ programs }) => refusal(programs.wrongCode, /gone/),
    },
  ],
};

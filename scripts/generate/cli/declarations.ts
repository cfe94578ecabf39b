import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";
import { root } from "../contract/contract.js";
import type {
  HandwrittenCommand,
  HandwrittenGroup,
} from "../../../packages/cli/src/command-line/handwritten-command.js";

const folder = "packages/cli/src/commands";

/** A hand-written command of the CLI, or a group of them. */
export interface Declared {
  readonly declaration: HandwrittenGroup | HandwrittenCommand<unknown>;
  /** Path of the file, from the folder of the commands. */
  readonly file: string;
  /** What it prints as JSON; undefined for nothing. */
  readonly result: ResultType | undefined;
}

export interface ResultType {
  /** The type as the declaration writes it. */
  readonly text: string;
  /** The imports that the type needs, from the folder of the commands. */
  readonly imports: readonly string[];
}

/** Returns all declarations of hand-written commands. */
export const loadDeclarations = async (): Promise<Declared[]> => {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter(
    (file) =>
      file.endsWith(".ts") &&
      !file.endsWith(".test.ts") &&
      mayDeclare(readFileSync(join(root, folder, file), "utf8")),
  );
  return Promise.all(files.map(declaredIn));
};

/** Whether a file imports the type of a declaration. */
const mayDeclare = (text: string): boolean => text.includes('/command-line/handwritten-command.js"');

/** Returns the declaration of the only command in a file that is named after it. */
const declaredIn = async (file: string): Promise<Declared> => {
  const path = join(root, folder, file);
  const exports = Object.entries((await import(pathToFileURL(path).href)) as Record<string, unknown>);
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const [declared, ...others] = exports.flatMap(([exported, declaration]) =>
    isDeclaration(declaration) ? [{ declaration, file, result: resultOf(source, exported, file) }] : [],
  );
  if (!declared || others.length > 0) throw new Error(`${folder}/${file} must declare one command`);
  const { commandPath } = declared.declaration;
  const names = [commandPath.split(" ").at(-1), commandPath.replaceAll(" ", "-")];
  if (!names.includes(basename(file, ".ts")))
    throw new Error(
      `${folder}/${file} declares mgmt ${commandPath}, and must be named ${names.join(".ts or ")}.ts`,
    );
  return declared;
};

const isDeclaration = (value: unknown): value is Declared["declaration"] =>
  typeof value === "object" && value !== null && "commandPath" in value;

/** Returns the type argument of a declaration, with the imports that it needs. */
const resultOf = (source: ts.SourceFile, exported: string, file: string): ResultType | undefined => {
  const type = source.statements
    .flatMap((statement) =>
      ts.isVariableStatement(statement) ? [...statement.declarationList.declarations] : [],
    )
    .find(({ name }) => name.getText() === exported)?.type;
  const argument = type && ts.isTypeReferenceNode(type) ? type.typeArguments?.[0] : undefined;
  if (!argument) return undefined;
  const text = argument.getText();
  const names = text.match(/\b[A-Z]\w*/g) ?? [];
  return { text, imports: names.map((name) => importOf(source, name, file)) };
};

const importOf = (source: ts.SourceFile, name: string, file: string): string => {
  const imported = source.statements.find(
    (statement): statement is ts.ImportDeclaration =>
      ts.isImportDeclaration(statement) && namesIn(statement).includes(name),
  );
  const from = imported && ts.isStringLiteral(imported.moduleSpecifier) ? imported.moduleSpecifier.text : ".";
  const module = from === "." ? `./${file.replace(/\.ts$/, ".js")}` : fromFolder(from, file);
  return `import type { ${name} } from "${module}";`;
};

const namesIn = ({ importClause }: ts.ImportDeclaration): string[] =>
  importClause?.namedBindings && ts.isNamedImports(importClause.namedBindings)
    ? importClause.namedBindings.elements.map((element) => element.name.text)
    : [];

/** Rewrites the path of an import for a file in the folder of the commands. */
const fromFolder = (specifier: string, file: string): string => {
  if (!specifier.startsWith(".")) return specifier;
  const path = join(file, "..", specifier);
  return path.startsWith(".") ? path : `./${path}`;
};

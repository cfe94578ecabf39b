import { join } from "node:path";
import ts from "typescript";
import { type Contract, type Operation, root } from "../contract/contract.js";

/** The compiled sources of the SDK. */
export interface Sdk {
  checker: ts.TypeChecker;
  /** Exports of `@mgmt/sdk`. */
  exports: ts.Symbol[];
  namespaces: Namespace[];
}

/** A resource of the client, such as `client.projects.databases`. */
export interface Namespace {
  /** Name without the client, such as `projects.databases`. */
  name: string;
  className: string;
  methods: Method[];
}

/** A generated or hand-written method. */
export interface Method {
  /** Name with the namespace, such as `projects.databases.list`. */
  id: string;
  name: string;
  declaration: ts.MethodDeclaration;
  /** The operation that it calls, undefined for hand-written methods. */
  operation: Operation | undefined;
}

/** Reads the SDK from its sources, using `generated` in place of the files on disk. */
export const readSdk = ({ operations }: Contract, generated: Map<string, string>): Sdk => {
  const entry = join(root, "packages/sdk/src/index.ts");
  const program = programOf(entry, generated);
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(entry);
  const index = file && checker.getSymbolAtLocation(file);
  if (!index) throw new Error(`${entry} is not a module`);
  const exports = checker
    .getExportsOfModule(index)
    .map((each) => (each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each));
  const client = exports.find(({ name }) => name === "MgmtClient");
  if (!client) throw new Error("@mgmt/sdk does not export MgmtClient");
  const namespaces = namespacesOf(checker, checker.getDeclaredTypeOfSymbol(client), "", operations);
  return { checker, exports, namespaces };
};

/** Parsed files of the disk, by path: tests read the SDK several times. */
const parsed = new Map<string, ts.SourceFile | undefined>();

const programOf = (entry: string, generated: Map<string, string>): ts.Program => {
  const fresh = new Map([...generated].map(([path, text]) => [join(root, path), text]));
  // Only declarations of the SDK are read, so the standard libraries are not needed.
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    strict: true,
    exactOptionalPropertyTypes: true,
    noLib: true,
    types: [],
  };
  const host = ts.createCompilerHost(options, true);
  const disk = { fileExists: host.fileExists, readFile: host.readFile, getSourceFile: host.getSourceFile };
  host.fileExists = (path) => fresh.has(path) || disk.fileExists(path);
  host.readFile = (path) => fresh.get(path) ?? disk.readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = fresh.get(path);
    if (text !== undefined) return ts.createSourceFile(path, text, version, true);
    if (!parsed.has(path)) parsed.set(path, disk.getSourceFile(path, version, ...rest));
    return parsed.get(path);
  };
  return ts.createProgram([entry], options, host);
};

const namespacesOf = (
  checker: ts.TypeChecker,
  type: ts.Type,
  name: string,
  operations: Operation[],
): Namespace[] => {
  const members = checker.getPropertiesOfType(type);
  const methods = members.flatMap(({ declarations = [], name: method }) => {
    const all = declarations.filter(ts.isMethodDeclaration);
    // The general one of several overloads describes its parameters.
    const declaration = all.find((each) => docsOf(each).parameters.size > 0) ?? all[0];
    if (!declaration || !isPublic(declaration)) return [];
    const id = `${name}.${method}`;
    return [{ id, name: method, declaration, operation: operations.find((each) => each.id === id) }];
  });
  const position = ({ operation }: Method): number =>
    operation ? operations.indexOf(operation) : operations.length;
  const nested = members.flatMap((member) => {
    const inner = checker.getTypeOfSymbol(member);
    if (!inner.isClass() || !isResource(checker, inner)) return [];
    return namespacesOf(checker, inner, name === "" ? member.name : `${name}.${member.name}`, operations);
  });
  if (name === "") return nested;
  const sorted = methods.sort((a, b) => position(a) - position(b));
  return [{ name, className: type.symbol.name, methods: sorted }, ...nested];
};

const isResource = (checker: ts.TypeChecker, type: ts.InterfaceType): boolean =>
  ancestors(checker, type).includes("Resource");

/** Returns the names of the classes that a class extends, the closest one first. */
export const ancestors = (checker: ts.TypeChecker, type: ts.InterfaceType): string[] =>
  checker
    .getBaseTypes(type)
    .flatMap((base) => [base.symbol.name, ...(base.isClass() ? ancestors(checker, base) : [])]);

/** Returns whether the declarations for users contain the member. */
export const isPublic = (declaration: ts.Declaration): boolean => {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const name = ts.getNameOfDeclaration(declaration);
  return (
    (ts.getCombinedModifierFlags(declaration) & hidden) === 0 &&
    !(name && ts.isPrivateIdentifier(name)) &&
    !ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === "internal")
  );
};

/** The parts of a documentation comment. */
export interface Docs {
  text: string;
  parameters: Map<string, string>;
  throws: string[];
  deprecated: string | undefined;
}

export const docsOf = (node: ts.Node): Docs => {
  const comment = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
  const source = node.getSourceFile().text;
  // The compiler parses the link of `@throws {@link X}` as a tag, too.
  const own = (comment?.tags ?? []).filter((tag) =>
    /\*\s*$/.test(source.slice(comment?.pos, tag.getStart())),
  );
  const tags = own.map((tag, index) => {
    const end = own[index + 1]?.getStart() ?? (comment?.end ?? tag.end) - "*/".length;
    return { tag, text: tagText(source.slice(tag.getStart(), end)) };
  });
  return {
    text: ts.getTextOfJSDocComment(comment?.comment) ?? "",
    parameters: new Map(
      tags.flatMap(({ tag, text }) =>
        ts.isJSDocParameterTag(tag)
          ? [[tag.name.getText(), text.slice(tag.name.getText().length).trim()]]
          : [],
      ),
    ),
    throws: tags.filter(({ tag }) => ts.isJSDocThrowsTag(tag)).map(({ text }) => text),
    deprecated: tags.find(({ tag }) => ts.isJSDocDeprecatedTag(tag))?.text,
  };
};

const tagText = (source: string): string =>
  source
    .replace(/^@\w+\s*/, "")
    .replace(/\s*\n\s*\*?\s*/g, " ")
    .trim();

import ts from "typescript";
import type { ErrorCode } from "./contract.js";
import { reflow } from "./sdk-docs.js";
import { codeClass, resourceFile, statusClass } from "./sdk-names.js";
import type { Sdk } from "./sdk-reference-source.js";

/** The page of a resource and of all that is nested in it. */
export const pageOf = (namespace: string): string =>
  `${resourceFile(namespace.split(".")[0] ?? namespace)}.md`;

/** Where a heading can be linked to. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(" ", "-")
    .replaceAll(/[^\w-]/g, "");

/** How the pages refer to each other. */
export interface Links {
  /** Names of the types that a page has linked to, in that order: each needs an entry. */
  types: Map<string, ts.Symbol>;
  /** Markdown of a text that may have `{@link …}` in it. */
  prose(text: string): string;
  /** Markdown of an error class, with its status and code when the service answers it. */
  error(className: string): string;
  /** Markdown of a type as it is written in the source. That what is optional may be undefined is not said. */
  type(node: ts.TypeNode, optional?: boolean): string;
  /** Links to the types that a node names, without `except`. */
  named(node: ts.Node, except?: ReadonlySet<string>): string[];
}

export const linksOf = ({ checker, namespaces }: Sdk, catalog: ErrorCode[]): Links => {
  const types = new Map<string, ts.Symbol>();
  const methods = new Map(
    namespaces.flatMap(({ className, methods: own }) =>
      own.map(({ name, id }) => [`${className}.${name}`, id]),
    ),
  );
  const codes = new Map(catalog.map((entry) => [codeClass(entry.code), entry]));

  const error = (className: string): string => {
    const known = codes.get(className);
    if (!known) return `[\`${className}\`](errors.md#all-errors)`;
    return `[\`${className}\`](errors.md#${anchor(statusClass(known.status))})`;
  };

  const link = (inside: string): string => {
    const [target = "", text] = inside.split("|").map((part) => part.trim());
    const id = methods.get(target);
    if (id !== undefined) return `[\`client.${id}\`](${pageOf(id)}#${anchor(id)})`;
    return codes.has(target) ? error(target) : `\`${text ?? target}\``;
  };

  const prose = (text: string): string =>
    reflow(text.replace(/^```[^]*?^```$/gm, "").trim()).replaceAll(
      /\{@link ([^}]*)\}/g,
      (_, inside: string) => link(inside),
    );

  const named = (node: ts.Node, except: ReadonlySet<string> = new Set()): string[] => {
    const found = new Map<string, ts.Symbol>();
    const visit = (each: ts.Node): void => {
      if (ts.isTypeReferenceNode(each)) {
        const symbol = declared(checker, each.typeName);
        if (symbol && !except.has(symbol.name)) found.set(symbol.name, symbol);
      }
      each.forEachChild(visit);
    };
    visit(node);
    for (const [name, symbol] of found) types.set(name, symbol);
    return [...found.keys()].map((name) => `[\`${name}\`](types.md#${anchor(name)})`);
  };

  const type = (node: ts.TypeNode, optional = false): string => {
    const whole = typeText(node);
    const text = optional ? whole.replace(/ \| undefined$/, "") : whole;
    const links = named(node);
    if (links.length === 1 && links[0]?.startsWith(`[\`${text}\`]`)) return links[0];
    const code = text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``;
    return links.length > 0 ? `${code} (${links.join(", ")})` : code;
  };

  return { types, prose, error, type, named };
};

/** The symbol of a type that the SDK declares, and not the compiler's or the parameter of a generic. */
const declared = (checker: ts.TypeChecker, name: ts.EntityName): ts.Symbol | undefined => {
  const symbol = checker.getSymbolAtLocation(name);
  const real = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declaration = real?.declarations?.[0];
  return declaration && !ts.isTypeParameterDeclaration(declaration) ? real : undefined;
};

/** A type on one line. What has fields of its own, which are listed below it, is an object here. */
export const typeText = (node: ts.Node): string => {
  const source = node.getSourceFile().text;
  let text = "";
  let at = node.getStart();
  for (const literal of objectsIn(node)) {
    text += `${source.slice(at, literal.getStart())}object`;
    at = literal.end;
  }
  return oneLine(text + source.slice(at, node.end));
};

/** Breaks and trailing commas are the formatter's. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/,? ([)\]])/g, "$1")
    .replaceAll(/([([<]) /g, "$1")
    .replaceAll(/^\| /g, "");

/** The object types written out in a type, the outer ones. */
export const objectsIn = (node: ts.Node): ts.TypeLiteralNode[] => {
  if (ts.isTypeLiteralNode(node)) return node.members.some(ts.isPropertySignature) ? [node] : [];
  if (ts.isFunctionTypeNode(node) || ts.isMappedTypeNode(node)) return [];
  const found: ts.TypeLiteralNode[] = [];
  node.forEachChild((child) => void found.push(...objectsIn(child)));
  return found;
};

import ts from "typescript";
import type { ErrorCode } from "../contract/contract.js";
import { reflow } from "../sdk/comments.js";
import { codeClass, resourceFile, statusClass } from "../sdk/names.js";
import type { Sdk } from "./sdk-reference-source.js";

/** Returns the page of a resource and its nested resources. */
export const pageOf = (namespace: string): string =>
  `${resourceFile(namespace.split(".")[0] ?? namespace)}.md`;

/** Returns the link target of a heading. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(" ", "-")
    .replaceAll(/[^\w-]/g, "");

/** Links between the pages. */
export interface Links {
  /** Types that were linked to, in that order. Each needs an entry on the page of types. */
  types: Map<string, ts.Symbol>;
  /** Returns a text as Markdown, with links for each `{@link …}`. */
  prose(text: string): string;
  /** Returns a link to an error class. */
  error(className: string): string;
  /** Returns a type as Markdown, as it is written in the source, but without `| undefined` if it is optional. */
  type(node: ts.TypeNode, optional?: boolean): string;
  /** Returns links to the types that a node refers to, without those in `except`. */
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

/** Returns the symbol of a type that the SDK declares, undefined for built-in types and type parameters. */
const declared = (checker: ts.TypeChecker, name: ts.EntityName): ts.Symbol | undefined => {
  const symbol = checker.getSymbolAtLocation(name);
  const real = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declaration = real?.declarations?.[0];
  return declaration && !ts.isTypeParameterDeclaration(declaration) ? real : undefined;
};

/** Returns a type on one line, with `object` for object literals, whose fields are listed separately. */
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

/** Removes the formatter's line breaks and trailing commas. */
export const oneLine = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/,? ([)\]>])/g, "$1")
    .replaceAll(/([([<]) /g, "$1")
    .replaceAll(/^\| /g, "");

/** Returns the outermost object literals in a type. */
export const objectsIn = (node: ts.Node): ts.TypeLiteralNode[] => {
  if (ts.isTypeLiteralNode(node)) return node.members.some(ts.isPropertySignature) ? [node] : [];
  if (ts.isFunctionTypeNode(node) || ts.isMappedTypeNode(node)) return [];
  const found: ts.TypeLiteralNode[] = [];
  node.forEachChild((child) => void found.push(...objectsIn(child)));
  return found;
};

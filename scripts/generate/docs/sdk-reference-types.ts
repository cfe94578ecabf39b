import ts from "typescript";
import { type Links, objectsIn, oneLine } from "./sdk-reference-links.js";
import { type Sdk, docsOf, isPublic } from "./sdk-reference-source.js";

/** Returns a list item with nested lines. */
export const item = (text: string, below: string[] = []): string[] => [
  `- ${text}`,
  ...below.map((line) => `  ${line}`),
];

/** Generates the page of all types that the pages link to, directly or through other types. */
export const typesPage = (sdk: Sdk, links: Links): string => {
  const entries = new Map<string, string>();
  // Entries add the types that they link to at the end of the map, so the loop visits them as well.
  for (const [name, symbol] of links.types) entries.set(name, entry(symbol, sdk, links));
  const sorted = [...entries].sort(([a], [b]) => a.localeCompare(b, "en"));
  return [
    "# Types\n",
    "Types of parameters and return values. All can be imported from `@mgmt/sdk`.\n",
    ...sorted.map(([, text]) => text),
  ].join("\n");
};

const entry = (symbol: ts.Symbol, sdk: Sdk, links: Links): string => {
  const [declaration] = symbol.declarations ?? [];
  if (!declaration) throw new Error(`${symbol.name} has no declaration`);
  if (!sdk.exports.includes(symbol))
    throw new Error(`Methods use ${symbol.name}, which @mgmt/sdk does not export`);
  const lines = [`## ${symbol.name}\n`];
  const generics = isGeneric(declaration) ? (declaration.typeParameters ?? []) : [];
  if (generics.length > 0)
    lines.push(`\`${symbol.name}<${generics.map((each) => each.getText()).join(", ")}>\`\n`);
  lines.push(links.prose(docsOf(declaration).text), "");
  if (ts.isTypeAliasDeclaration(declaration) && !hasForms(declaration)) {
    const [first, ...others] = objectsIn(declaration.type);
    if (!first) lines.push(`${links.type(declaration.type)}\n`);
    else lines.push("Either", "", ...listOf(fieldsOf([first], sdk), links), "");
    for (const other of others) lines.push("or", "", ...listOf(fieldsOf([other], sdk), links), "");
  } else {
    lines.push(...listOf(fieldsOfSymbol(symbol, sdk), links), "");
  }
  return lines.join("\n");
};

const isGeneric = (
  node: ts.Declaration,
): node is ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
  ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);

/** Returns whether an alias is the union of the forms of one object, or a narrowed one. */
const hasForms = (alias: ts.TypeAliasDeclaration): boolean => {
  const { type, name } = alias;
  if (ts.isIntersectionTypeNode(type)) return true;
  const members = ts.isUnionTypeNode(type) ? type.types : [];
  return members.length > 0 && members.every((member) => member.getText().startsWith(`${name.text}With`));
};

/** A field of an object, merged from all forms of the object. */
export interface ObjectField {
  name: string;
  declaration: ts.PropertySignature | ts.MethodSignature | ts.PropertyDeclaration | ts.MethodDeclaration;
  required: boolean;
}

/** Returns the fields of a parameter's type if they are listed with the parameter, otherwise none. */
export const inputFields = (node: ts.TypeNode, sdk: Sdk): ObjectField[] => {
  if (!ts.isTypeReferenceNode(node) || node.typeArguments) return [];
  const type = sdk.checker.getTypeFromTypeNode(node);
  const symbol = type.aliasSymbol ?? type.symbol;
  const declaration = symbol?.declarations?.[0];
  if (!symbol || !declaration || symbol.flags & ts.SymbolFlags.TypeParameter) return [];
  const named = ts.isTypeAliasDeclaration(declaration) ? hasForms(declaration) : true;
  return named ? fieldsOfSymbol(symbol, sdk) : [];
};

const fieldsOfSymbol = (symbol: ts.Symbol, sdk: Sdk): ObjectField[] => {
  const type = sdk.checker.getDeclaredTypeOfSymbol(symbol);
  return mergeFields(type.isUnion() ? type.types : [type], sdk);
};

const fieldsOf = (nodes: ts.TypeLiteralNode[], sdk: Sdk): ObjectField[] =>
  mergeFields(
    nodes.map((node) => sdk.checker.getTypeFromTypeNode(node)),
    sdk,
  );

const mergeFields = (forms: ts.Type[], { checker }: Sdk): ObjectField[] => {
  const fields = new Map<string, ObjectField>();
  const open = new Map<string, number>();
  // The compiler reduces a form that an intersection contradicts to a type without properties.
  const possible = forms.filter((form) => checker.getPropertiesOfType(form).length > 0);
  for (const form of possible) {
    for (const property of checker.getPropertiesOfType(form)) {
      const { name } = property;
      const declaration = property.declarations?.find(isField);
      if (!declaration || !isPublic(declaration)) continue;
      if (docsOf(declaration).text.startsWith("Cannot be combined with")) continue;
      const needed = (property.flags & ts.SymbolFlags.Optional) === 0;
      if (needed) open.set(name, (open.get(name) ?? 0) + 1);
      fields.set(name, fields.get(name) ?? { name, declaration, required: false });
    }
  }
  const merged = [...fields.values()].map((field) => ({
    ...field,
    required: open.get(field.name) === possible.length,
  }));
  return merged.sort((a, b) => Number(b.required) - Number(a.required));
};

const isField = (node: ts.Declaration): node is ObjectField["declaration"] =>
  ts.isPropertySignature(node) ||
  ts.isMethodSignature(node) ||
  ts.isPropertyDeclaration(node) ||
  // Methods without documentation are documented in the base class.
  (ts.isMethodDeclaration(node) && docsOf(node).text !== "");

/** Returns a list of fields, each with its type, meaning, default and limits, and with its nested fields. */
export const listOf = (fields: ObjectField[], links: Links): string[] =>
  fields.flatMap(({ name, declaration, required }) => {
    const { text, deprecated } = docsOf(declaration);
    const said = [links.prose(text), deprecated && `**Deprecated.** ${links.prose(deprecated)}`];
    const words = said
      .filter(Boolean)
      .join(" ")
      .replaceAll(/\s*\n\s*/g, " ");
    const meaning = words ? ` – ${words}` : "";
    if (ts.isMethodDeclaration(declaration) || ts.isMethodSignature(declaration)) {
      const named = links.named(declaration).join(", ");
      return item(`${methodText(declaration)}${named && ` (${named})`}${meaning}`);
    }
    const { type } = declaration;
    if (!type) throw new Error(`${name} has no type`);
    // A field that another form leaves out is optional where it is declared.
    const shown = links.type(
      type,
      !required || ("questionToken" in declaration && Boolean(declaration.questionToken)),
    );
    const head = `\`${name}${required ? "" : "?"}\`: ${shown}${meaning}`;
    const inner = objectsIn(type).flatMap((object) => listOf(literalFields(object), links));
    return item(head, inner);
  });

const literalFields = (object: ts.TypeLiteralNode): ObjectField[] =>
  object.members.filter(ts.isPropertySignature).map((declaration) => ({
    name: declaration.name.getText(),
    declaration,
    required: declaration.questionToken === undefined,
  }));

const methodText = ({ name, parameters, type }: ts.MethodDeclaration | ts.MethodSignature): string =>
  `\`${name.getText()}(${oneLine(parameters.map((each) => each.getText()).join(", "))}): ${oneLine(type?.getText() ?? "void")}\``;

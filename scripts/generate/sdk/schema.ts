import openapiTS, { type OpenAPI3, astToString } from "openapi-typescript";
import ts from "typescript";
import type { Contract } from "../contract/contract.js";
import { header } from "./names.js";

/** Generates the types `paths`, `operations` and `components`, for the typed path client. */
export const generateSchema = async ({ document }: Contract): Promise<string> => {
  // The library modifies its input, and has its own type for documents.
  const copy = structuredClone(document) as unknown as OpenAPI3;
  // Fields with a default are optional in requests.
  const nodes = await openapiTS(copy, { defaultNonNullable: false, silent: true });
  const types = astToString(nodes.map((node) => withNamedTypes(node, "")));
  return `${header}\nimport type { Queries, Schemas } from "./types.js";\n\n${types}`;
};

/** Refers to the named types of schemas and queries, which have a form for each combination of fields and a comment with all bounds. */
const withNamedTypes = (node: ts.Node, path: string): ts.Node => {
  const isNamed = ts.isInterfaceDeclaration(node) || ts.isPropertySignature(node);
  const inner = isNamed ? `${path}/${textOf(node.name)}` : path;
  if (ts.isTypeLiteralNode(node)) {
    if (inner === "/components/schemas") return ts.factory.createTypeReferenceNode("Schemas");
    const [, operation] = /^\/operations\/([^/]+)\/parameters\/query$/.exec(inner) ?? [];
    if (operation !== undefined) return queryOf(operation);
  }
  return ts.visitEachChild(node, (child) => withNamedTypes(child, inner), undefined);
};

const queryOf = (operation: string): ts.TypeNode =>
  ts.factory.createIndexedAccessTypeNode(
    ts.factory.createTypeReferenceNode("Queries"),
    ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(operation)),
  );

const textOf = (name: ts.PropertyName): string =>
  ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : "";

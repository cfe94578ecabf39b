import openapiTS, { type OpenAPI3, astToString } from "openapi-typescript";
import ts from "typescript";
import { type Form, bodyForms, queryForms } from "../contract/combinations.js";
import type { Contract } from "../contract/contract.js";
import { sentSchemas } from "../contract/sent-schemas.js";
import { header } from "./names.js";

/** Generates the types `paths`, `operations` and `components`, for the typed path client. */
export const generateSchema = async (contract: Contract): Promise<string> => {
  // The library modifies its input, and has its own type for documents.
  const copy = structuredClone(contract.document) as unknown as OpenAPI3;
  // Fields with a default are optional in requests.
  const nodes = await openapiTS(copy, {
    defaultNonNullable: false,
    silent: true,
    postTransform: (type, { schema }) => (schema && "x-extensible" in schema ? withAnyText(type) : undefined),
  });
  return `${header}\n${astToString(nodes.map((node) => split(node, contract)))}`;
};

/** Returns `type | (string & {})`: editors complete the known values, and any other text compiles. */
const withAnyText = (type: ts.TypeNode): ts.TypeNode =>
  ts.factory.createUnionTypeNode([
    type,
    ts.factory.createIntersectionTypeNode([
      ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
      ts.factory.createTypeLiteralNode([]),
    ]),
  ]);

/** Replaces bodies and queries that have forms by unions, which the library does not support. */
const split = (root: ts.Node, contract: Contract): ts.Node => {
  const { operations, schemas } = contract;
  const inputs = sentSchemas(contract);
  const isInput = (path: string): boolean => {
    const [, schema] = /^components\/schemas\/([^/]+)\/./.exec(path) ?? [];
    return schema === undefined ? /^operations\/[^/]+\/parameters\/query\/./.test(path) : inputs.has(schema);
  };
  const formsAt = new Map<string, Form[]>([
    ...Object.entries(schemas).map(([name, schema]): [string, Form[]] => [
      `components/schemas/${name}`,
      bodyForms(schema),
    ]),
    ...operations.map(({ id, queryParameters }): [string, Form[]] => [
      `operations/${id}/parameters/query`,
      queryForms(queryParameters),
    ]),
  ]);
  const visit = (node: ts.Node, path: string): ts.Node => {
    const name =
      ts.isInterfaceDeclaration(node) || ts.isPropertySignature(node) ? textOf(node.name) : undefined;
    const inner = name === undefined ? path : `${path}${path && "/"}${name}`;
    const forms = formsAt.get(inner) ?? [];
    if (ts.isTypeLiteralNode(node) && forms.length > 0) return union(node, forms);
    const visited = ts.visitEachChild(node, (child) => visit(child, inner), undefined);
    return isInput(inner) && ts.isPropertySignature(visited) ? orUndefined(visited) : visited;
  };
  return visit(root, "");
};

/** Undefined leaves an optional field out, which `exactOptionalPropertyTypes` allows only if its type does. */
const orUndefined = (member: ts.PropertySignature): ts.PropertySignature => {
  const { type, questionToken } = member;
  if (!type || !questionToken) return member;
  const types = [type, ts.factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword)];
  const either = ts.factory.createUnionTypeNode(types);
  return ts.factory.updatePropertySignature(member, member.modifiers, member.name, questionToken, either);
};

const textOf = (name: ts.PropertyName): string =>
  ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : "";

const union = (literal: ts.TypeLiteralNode, forms: Form[]): ts.UnionTypeNode =>
  ts.factory.createUnionTypeNode(
    forms.map((form) =>
      ts.factory.createTypeLiteralNode(literal.members.map((member) => inForm(member, form))),
    ),
  );

const inForm = (member: ts.TypeElement, { open, closed }: Form): ts.TypeElement => {
  if (!ts.isPropertySignature(member)) return member;
  const refusal = closed.get(textOf(member.name));
  const optional = ts.factory.createToken(ts.SyntaxKind.QuestionToken);
  if (refusal) {
    const type = refusal.mayBeNull
      ? ts.factory.createLiteralTypeNode(ts.factory.createNull())
      : ts.factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword);
    return orUndefined(ts.factory.createPropertySignature(undefined, member.name, optional, type));
  }
  if (!open.get(textOf(member.name))) return orUndefined(member);
  return ts.factory.updatePropertySignature(member, member.modifiers, member.name, undefined, member.type);
};

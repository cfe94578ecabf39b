import { join } from "node:path";
import ts from "typescript";
import { root } from "../../../scripts/generate/contract/contract.js";

/** How one place of a request or response body differs between the two contracts. */
export interface Difference {
  /** `GET /v1/databases/{} 200 data[].region`, or `POST /v1/projects body name`. */
  readonly place: string;
  /** What our contract says: `absent`, or any of `optional` and `nullable`; `present` when neither. */
  readonly ours: string;
  readonly theirs: string;
}

interface Property {
  readonly type: ts.Type;
  readonly presence: string;
}

/** Removes the names of path parameters, which may differ: `/v1/projects/{}`. */
export const shapeOf = (path: string): string => path.replace(/\{\w+\}/g, "{}");

const program = (): { checker: ts.TypeChecker; ours: ts.Type; theirs: ts.Type; at: ts.Node } => {
  const entry = join(root, "test/packages/peers/public-contract.types.ts");
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const compiled = ts.createProgram([entry], options);
  const checker = compiled.getTypeChecker();
  const source = compiled.getSourceFile(entry);
  if (!source) throw new Error(`${entry} is not part of the program`);
  const exported = new Map<string, ts.Type>();
  const symbol = checker.getSymbolAtLocation(source);
  for (const each of symbol ? checker.getExportsOfModule(symbol) : []) {
    exported.set(each.name, checker.getDeclaredTypeOfSymbol(each));
  }
  const typeNamed = (name: string): ts.Type => {
    const type = exported.get(name);
    if (!type) throw new Error(`${entry} does not export ${name}`);
    return type;
  };
  return { checker, ours: typeNamed("OurPaths"), theirs: typeNamed("TheirPaths"), at: source };
};

export interface Comparison {
  /** Operations of both contracts. */
  readonly operations: string[];
  /** Operations of the contract of Prisma's Management API alone. */
  readonly missing: string[];
  readonly differences: Difference[];
}

/** Compares which fields of all shared operations are present, optional and nullable. */
export const compareContracts = (): Comparison => {
  const { checker, ours, theirs, at } = program();

  const propertiesOf = (type: ts.Type): Map<string, Property> =>
    new Map(
      checker.getPropertiesOfType(type).map((symbol) => {
        const declared = checker.getTypeOfSymbolAtLocation(symbol, at);
        const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
        const isNullable = membersOf(declared).some((member) => (member.flags & ts.TypeFlags.Null) !== 0);
        const presence = [isOptional && "optional", isNullable && "nullable"].filter(Boolean).join(" ");
        return [symbol.name, { type: checker.getNonNullableType(declared), presence: presence || "present" }];
      }),
    );

  const childOf = (type: ts.Type | undefined, name: string): ts.Type | undefined =>
    type && propertiesOf(type).get(name)?.type;

  /** Bodies of successful responses and of the request. */
  const bodiesOf = (operation: ts.Type): Map<string, ts.Type> => {
    const bodies = new Map<string, ts.Type>();
    const request = childOf(childOf(childOf(operation, "requestBody"), "content"), "application/json");
    if (request) bodies.set("body", request);
    const responses = childOf(operation, "responses");
    for (const [status, { type }] of responses ? propertiesOf(responses) : []) {
      const json = childOf(childOf(type, "content"), "application/json");
      if (/^2/.test(status) && json) bodies.set(status, json);
    }
    return bodies;
  };

  const operationsOf = (paths: ts.Type): Map<string, ts.Type> => {
    const operations = new Map<string, ts.Type>();
    for (const [path, { type }] of propertiesOf(paths)) {
      for (const method of ["get", "post", "put", "patch", "delete"]) {
        const operation = childOf(type, method);
        const isDeclared = operation && checker.getPropertiesOfType(operation).length > 0;
        if (isDeclared) operations.set(`${method.toUpperCase()} ${shapeOf(path)}`, operation);
      }
    }
    return operations;
  };

  const compareTypes = (place: string, our: ts.Type, their: ts.Type, depth: number): Difference[] => {
    const [ourItem, theirItem] = [our, their].map((type) =>
      checker.getIndexTypeOfType(type, ts.IndexKind.Number),
    );
    if (checker.isArrayType(our) && checker.isArrayType(their) && ourItem && theirItem) {
      return compareTypes(`${place}[]`, ourItem, theirItem, depth + 1);
    }
    if (depth > 12 || !isObject(our) || !isObject(their)) return [];
    const [ourFields, theirFields] = [fieldsOf(our), fieldsOf(their)];
    return [...new Set([...ourFields.keys(), ...theirFields.keys()])].sort().flatMap((name) => {
      const inner = `${place}.${name}`;
      const [mine, other] = [ourFields.get(name), theirFields.get(name)];
      if (!mine || !other) {
        return [{ place: inner, ours: mine?.presence ?? "absent", theirs: other?.presence ?? "absent" }];
      }
      const here =
        mine.presence === other.presence
          ? []
          : [{ place: inner, ours: mine.presence, theirs: other.presence }];
      return [...here, ...compareTypes(inner, mine.type, other.type, depth + 1)];
    });
  };

  /** Fields of an object type; a field that only some members of a union have counts as optional. */
  const fieldsOf = (type: ts.Type): Map<string, Property> => {
    // An intersection whose discriminants contradict each other has no properties.
    const members = membersOf(type)
      .filter(isObject)
      .map(propertiesOf)
      .filter(({ size }) => size > 0);
    const fields = new Map<string, Property>();
    for (const name of new Set(members.flatMap((each) => [...each.keys()]))) {
      const found = members.flatMap((each) => each.get(name) ?? []);
      const words = new Set(found.flatMap(({ presence }) => presence.split(" ")));
      if (found.length < members.length) words.add("optional");
      const presence = ["optional", "nullable"].filter((word) => words.has(word)).join(" ") || "present";
      const [first] = found;
      if (first) fields.set(name, { type: first.type, presence });
    }
    return fields;
  };

  const ourOperations = operationsOf(ours);
  const theirOperations = operationsOf(theirs);
  const operations = [...ourOperations.keys()].filter((name) => theirOperations.has(name)).sort();
  const differences = operations.flatMap((name) => {
    const [our, their] = [ourOperations.get(name), theirOperations.get(name)];
    if (!our || !their) return [];
    const theirBodies = bodiesOf(their);
    return [...bodiesOf(our)].flatMap(([body, type]) => {
      const other = theirBodies.get(body);
      return other ? compareTypes(`${name} ${body} `, type, other, 0) : [];
    });
  });
  return {
    operations,
    missing: [...theirOperations.keys()].filter((name) => !ourOperations.has(name)).sort(),
    differences: differences.map((each) => ({ ...each, place: each.place.replace(" .", " ") })),
  };
};

const membersOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);

const isObject = (type: ts.Type): boolean =>
  membersOf(type).some((member) => (member.flags & ts.TypeFlags.Object) !== 0) ||
  (type.flags & ts.TypeFlags.Intersection) !== 0;

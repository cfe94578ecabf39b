import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import ts from "typescript";
import { controlDocument } from "../../packages/engine/src/control/control-document.js";
import { defaultSettings } from "../../packages/engine/src/request/settings.js";
import { flags } from "../../packages/mock/src/command/arguments.js";
import { root } from "./contract.js";
import { controlSection } from "./mock-reference-control.js";
import { oneLine } from "./sdk-reference-links.js";
import { docsOf, isPublic } from "./sdk-reference-source.js";

/** The page whose marked sections are generated. */
export const mockReferencePage = "docs/mock.md";

/** A section: the declarations whose members it lists. */
interface Section {
  /** `file#Name`, relative to `packages`. */
  declarations: string[];
  /** Members that only other packages use. */
  hidden?: string[];
}

const engine = "engine/src";
const control = `${engine}/control`;

const sections: Record<string, Section> = {
  options: {
    declarations: ["mock/src/mock.ts#MockOptions", `${engine}/composition/reference-engine.ts#EngineOptions`],
  },
  "kit-options": { declarations: ["mock/src/kit/shared-mock.ts#KitOptions"] },
  "listen-options": { declarations: ["mock/src/mock.ts#ListenOptions"] },
  mock: {
    declarations: [
      "mock/src/mock.ts#Mock",
      "mock/src/record/recordable-engine.ts#RecordableEngine",
      `${engine}/composition/reference-engine.ts#ReferenceEngine`,
    ],
    hidden: ["handle", "bodyPolicy", "save", "latencyOf", "dataPlane", ...partNames()],
  },
  tokens: { declarations: [`${control}/token-mint.ts#TokenMint`] },
  "token-options": {
    declarations: ["TokenOptions", "UserTokenOptions", "ServiceTokenOptions", "AgentTokenOptions"].map(
      (name) => `${control}/token-mint.ts#${name}`,
    ),
  },
  seed: { declarations: [`${control}/seeder.ts#Seeder`] },
  clock: { declarations: [`${control}/clock-control.ts#ClockControl`] },
  faults: { declarations: [`${engine}/request/faults.ts#Faults`], hidden: ["any", "strike"] },
  fault: { declarations: [`${engine}/request/faults.ts#Fault`] },
  approvals: { declarations: [`${control}/approvals-control.ts#ApprovalsControl`] },
  states: { declarations: [`${control}/state-control.ts#StateControl`] },
  residents: { declarations: [`${control}/residents.ts#Residents`] },
  tenant: { declarations: [`${control}/tenant.ts#Tenant`] },
  oauth: { declarations: [`${control}/oauth-control.ts#OAuthControl`], hidden: ["restoreEnsuredClients"] },
  client: { declarations: [`${control}/oauth-control.ts#ClientRegistration`] },
  consent: {
    declarations: [
      `${control}/oauth-control.ts#RequestedConsent`,
      `${control}/oauth-control.ts#ConsentOptions`,
    ],
  },
  "rate-limit": { declarations: [`${engine}/request/settings.ts#RateLimitSettings`] },
  request: { declarations: [`${engine}/request/request-log.ts#LoggedRequest`] },
  record: { declarations: ["mock/src/record/recordable-engine.ts#RecordOptions"] },
  recording: { declarations: ["mock/src/record/recordable-engine.ts#ActiveRecording"] },
  replay: { declarations: ["mock/src/record/recordable-engine.ts#ReplayOptions"] },
  parity: {
    declarations: ["mock/src/record/replay.ts#OperationParity", "mock/src/record/replay.ts#ParityDifference"],
  },
};

/** Parts of the mock that have a section of their own. */
function partNames(): string[] {
  return ["approvals", "clock", "faults", "oauth", "residents", "seed", "states", "tokens", "settings"];
}

/** Generates the marked sections of the mock's reference from its sources. */
export const generateMockReference = async (): Promise<Map<string, string>> => {
  const path = join(root, mockReferencePage);
  if (!existsSync(path)) throw new Error(`${mockReferencePage} does not exist`);
  const texts = new Map(
    Object.entries(sections).map(([name, section]) => [name, membersOf(section).join("\n")]),
  );
  texts.set("settings", settingsSection());
  texts.set("flags", flagsSection());
  texts.set("control", controlSection(controlDocument()));
  const unused = new Set(texts.keys());
  const page = readFileSync(path, "utf8").replaceAll(
    /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, start: string, name: string, end: string) => {
      const text = texts.get(name);
      if (text === undefined) throw new Error(`${mockReferencePage} has an unknown section ${name}`);
      unused.delete(name);
      return `${start}\n${text}\n\n${end}`;
    },
  );
  if (unused.size > 0) throw new Error(`${mockReferencePage} lacks the sections ${[...unused].join(", ")}`);
  return new Map([[mockReferencePage, await format(page, { parser: "markdown", printWidth: 110 })]]);
};

const parse = (file: string): ts.SourceFile => {
  const path = join(root, "packages", file);
  return ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ESNext, true);
};

type Declaration = ts.ClassDeclaration | ts.InterfaceDeclaration;

const declarationOf = (place: string): Declaration => {
  const [file = "", name] = place.split("#");
  const found = parse(file).statements.find(
    (statement): statement is Declaration =>
      (ts.isClassDeclaration(statement) || ts.isInterfaceDeclaration(statement)) &&
      statement.name?.text === name,
  );
  if (!found) throw new Error(`packages/${file} does not declare ${String(name)}`);
  return found;
};

/** Returns a list item for every public member of the declarations. A member that is declared again is listed once. */
const membersOf = ({ declarations, hidden = [] }: Section): string[] => {
  const items = new Map<string, string>();
  for (const place of declarations) {
    for (const member of declarationOf(place).members) {
      if (!member.name || ts.isConstructorDeclaration(member) || !isPublic(member)) continue;
      const name = member.name.getText();
      if (!hidden.includes(name) && !items.has(name)) items.set(name, itemOf(name, member));
    }
  }
  if (items.size === 0) throw new Error(`${declarations.join(", ")} has no public member`);
  return [...items.values()];
};

const itemOf = (name: string, member: ts.ClassElement | ts.TypeElement): string => {
  const { text, parameters, throws } = docsOf(member);
  if (text === "" && throws.length === 0 && (ts.isMethodDeclaration(member) || ts.isGetAccessor(member))) {
    throw new Error(`${name} in ${member.getSourceFile().fileName} has no doc comment`);
  }
  const words = [
    sentence(text),
    ...[...parameters].map(([parameter, meaning]) => sentence(`\`${parameter}\`: ${meaning}`)),
    ...throws.map((each) => sentence(`Throws ${each}`)),
  ].filter((each) => each !== "");
  return `- \`${signatureOf(name, member)}\`${words.length > 0 ? ` – ${words.join(" ")}` : ""}`;
};

const signatureOf = (name: string, member: ts.ClassElement | ts.TypeElement): string => {
  if (ts.isMethodDeclaration(member) || ts.isMethodSignature(member)) return callOf(name, member);
  if (ts.isGetAccessor(member)) return `${name}${typeOf(member)}`;
  if (ts.isPropertyDeclaration(member) || ts.isPropertySignature(member)) {
    const { initializer } = ts.isPropertyDeclaration(member) ? member : {};
    if (initializer && ts.isArrowFunction(initializer)) return callOf(name, initializer);
    return `${name}${member.questionToken ? "?" : ""}${typeOf(member)}`;
  }
  throw new Error(`${name} is neither a property nor a method`);
};

const callOf = (name: string, declaration: ts.SignatureDeclaration): string =>
  `${name}(${declaration.parameters.map(parameterOf).join(", ")})${typeOf(declaration)}`;

const parameterOf = (parameter: ts.ParameterDeclaration): string => {
  const name = ts.isIdentifier(parameter.name) ? parameter.name.text : "options";
  return `${name}${(parameter.questionToken ?? parameter.initializer) ? "?" : ""}${typeOf(parameter)}`;
};

const typeOf = ({ type }: { readonly type?: ts.TypeNode | undefined }): string =>
  type ? `: ${oneLine(type.getText())}` : "";

/** Joins the lines of a text, and ends it with a period. */
const sentence = (text: string): string => {
  const line = oneLine(text.replaceAll("\n", " ")).trim();
  return line === "" || /[.!?)]$/.test(line) ? line : `${line}.`;
};

/** Lists every setting with its default, nested ones with their path. */
const settingsSection = (): string => {
  const file = parse(`${engine}/request/settings.ts`);
  const interfaces = new Map(
    file.statements.filter(ts.isInterfaceDeclaration).map((each) => [each.name.text, each]),
  );
  const visit = (name: string, path: string, defaults: object): string[] =>
    (interfaces.get(name)?.members ?? []).flatMap((member) => {
      if (!ts.isPropertySignature(member) || !member.type) return [];
      const key = member.name.getText();
      const value: unknown = Reflect.get(defaults, key);
      const type = oneLine(member.type.getText());
      if (interfaces.has(type) && typeof value === "object" && value !== null) {
        return visit(type, `${path}${key}.`, value);
      }
      const shown = value === undefined ? "" : ` Default: \`${JSON.stringify(value)}\`.`;
      return [`- \`${path}${key}: ${type}\` – ${sentence(docsOf(member).text)}${shown}`];
    });
  return visit("Settings", "", defaultSettings).join("\n");
};

const flagsSection = (): string =>
  [
    "| flag | meaning |",
    "| --- | --- |",
    ...Object.entries(flags).map(([name, flag]) => {
      const value = "value" in flag ? ` ${flag.value}` : "";
      return `| \`--${name}${value}\` | ${flag.help} |`.replaceAll(/(?<=\w)\|(?=\w)/g, "\\|");
    }),
  ].join("\n");

import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { buildControlDocument } from "../../../packages/engine/src/http/control/control-document.js";
import { defaultSettings } from "../../../packages/engine/src/values/settings.js";
import { flags } from "../../../packages/mock/src/command/arguments.js";
import { root } from "../contract/contract.js";
import { markdownTable } from "./markdown-table.js";
import { withMarkedSections } from "./marked-sections.js";
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
    declarations: [
      "mock/src/mocks/mock-options.ts#MockOptions",
      `${engine}/server/engine-options.ts#EngineOptions`,
    ],
  },
  "kit-options": { declarations: ["mock/src/kit/kit-options.ts#KitOptions"] },
  "listen-options": { declarations: ["mock/src/interception/listen-options.ts#ListenOptions"] },
  "worker-options": { declarations: ["mock/src/browser/worker-mock.ts#WorkerMockOptions"] },
  "start-options": { declarations: ["mock/src/browser/start-options.ts#StartOptions"] },
  worker: {
    declarations: ["mock/src/browser/worker-mock.ts#WorkerMock"],
    hidden: ["load", "reset", "baseUrl", "authUrl", "clientOptions", "fetch"],
  },
  mock: {
    declarations: [
      "mock/src/mocks/mock.ts#Mock",
      "mock/src/mocks/non-intercepting-members.ts#NonInterceptingMembers",
      `${engine}/server/memory-server.ts#MemoryServer`,
      `${engine}/server/server.ts#Server`,
    ],
    hidden: ["handle", "bodyPolicy", "store", ...partNames()],
  },
  tokens: { declarations: [`${control}/token-mint.ts#TokenMint`] },
  "token-options": {
    declarations: ["TokenOptions", "UserTokenOptions", "ServiceTokenOptions", "AgentTokenOptions"].map(
      (name) => `${control}/token-mint.ts#${name}`,
    ),
  },
  seed: { declarations: [`${control}/seeder.ts#Seeder`] },
  store: { declarations: [`${control}/resource-view.ts#ResourceView`] },
  collection: { declarations: [`${control}/resource-view.ts#ResourceCollection`] },
  clock: { declarations: [`${control}/clock-control.ts#ClockControl`] },
  faults: { declarations: [`${control}/faults.ts#Faults`] },
  fault: { declarations: [`${engine}/context/fault.ts#Fault`] },
  approvals: { declarations: [`${control}/approvals-control.ts#ApprovalsControl`] },
  approval: { declarations: [`${control}/serialize-resources.ts#RequestedApproval`] },
  states: { declarations: [`${control}/state-control.ts#StateControl`] },
  defaults: { declarations: [`${control}/defaults.ts#Defaults`] },
  tenant: { declarations: [`${control}/tenant.ts#Tenant`] },
  oauth: { declarations: [`${control}/oauth-control.ts#OAuthControl`] },
  client: { declarations: [`${control}/oauth-control.ts#ClientRegistration`] },
  consent: {
    declarations: [
      `${control}/oauth-control.ts#AuthorizationRequestOptions`,
      `${control}/oauth-control.ts#ConsentOptions`,
    ],
  },
  "rate-limit": { declarations: [`${engine}/values/settings.ts#RateLimitSettings`] },
  request: { declarations: [`${engine}/request/request-log.ts#LoggedRequest`] },
  record: { declarations: ["mock/src/record/recordings.ts#RecordOptions"] },
  recording: { declarations: ["mock/src/record/recordings.ts#ActiveRecording"] },
  replay: { declarations: ["mock/src/record/recordings.ts#ReplayOptions"] },
  parity: {
    declarations: ["mock/src/record/replay.ts#OperationParity", "mock/src/record/replay.ts#ParityDifference"],
  },
};

/** Parts of the mock that have a section of their own. */
function partNames(): string[] {
  return ["approvals", "clock", "defaults", "faults", "oauth", "seed", "states", "tokens", "settings"];
}

/** Generates the marked sections of the mock's reference from its sources. */
export const generateMockReference = (): Promise<Map<string, string>> => {
  const texts = new Map(
    Object.entries(sections).map(([name, section]) => [name, membersOf(section).join("\n")]),
  );
  texts.set("settings", settingsSection());
  texts.set("flags", flagsSection());
  texts.set("control", controlSection(buildControlDocument()));
  return withMarkedSections(mockReferencePage, texts);
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

type Member = ts.ClassElement | ts.TypeElement;

/** Returns a list item for every public member of the declarations. A member that is declared again is listed once, with its docs. */
const membersOf = ({ declarations, hidden = [] }: Section): string[] => {
  const members = new Map<string, Member>();
  for (const place of declarations) {
    for (const member of declarationOf(place).members) {
      if (!member.name || ts.isConstructorDeclaration(member) || !isPublic(member)) continue;
      const name = member.name.getText();
      const earlier = members.get(name);
      if (!hidden.includes(name) && (!earlier || ts.getJSDocCommentsAndTags(earlier).length === 0))
        members.set(name, member);
    }
  }
  if (members.size === 0) throw new Error(`${declarations.join(", ")} has no public member`);
  return [...members].map(([name, member]) => itemOf(name, member));
};

const itemOf = (name: string, member: Member): string => {
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

const signatureOf = (name: string, member: Member): string => {
  if (ts.isMethodDeclaration(member) || ts.isMethodSignature(member)) return callSignature(name, member);
  if (ts.isGetAccessor(member)) return `${name}${typeOf(member)}`;
  if (ts.isPropertyDeclaration(member) || ts.isPropertySignature(member)) {
    const { initializer } = ts.isPropertyDeclaration(member) ? member : {};
    if (initializer && ts.isArrowFunction(initializer)) return callSignature(name, initializer);
    return member.questionToken
      ? `${name}?${typeOf(member)
          .replace(/ \| undefined$/, "")
          .replace(/^: \((.*=>.*)\)$/, ": $1")}`
      : `${name}${typeOf(member)}`;
  }
  throw new Error(`${name} is neither a property nor a method`);
};

const callSignature = (name: string, declaration: ts.SignatureDeclaration): string =>
  `${name}(${declaration.parameters.map(parameterOf).join(", ")})${typeOf(declaration)}`;

const parameterOf = (parameter: ts.ParameterDeclaration): string => {
  const name = ts.isIdentifier(parameter.name) ? parameter.name.text : "options";
  return `${name}${(parameter.questionToken ?? parameter.initializer) ? "?" : ""}${typeOf(parameter)}`;
};

/** The mock is in memory, so its members return their results, and no promises of them. */
const inMemory = (type: string): string => type.replace(/^ModeResult<Mode, (.*)>$/s, "$1");

const typeOf = ({ type }: { readonly type?: ts.TypeNode | undefined }): string =>
  type ? `: ${oneLine(inMemory(type.getText()))}` : "";

/** Joins the lines of a text, and ends it with a period. */
const sentence = (text: string): string => {
  const line = oneLine(text.replaceAll("\n", " ")).trim();
  return line === "" || /[.!?)]$/.test(line) ? line : `${line}.`;
};

/** Lists every setting with its default, nested ones with their path. */
const settingsSection = (): string => {
  const file = parse(`${engine}/values/settings.ts`);
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
  markdownTable(
    ["flag", "meaning"],
    Object.entries(flags).map(([name, flag]) => [
      `\`--${name}${"value" in flag ? ` ${flag.value}` : ""}\``,
      flag.help,
    ]),
  );

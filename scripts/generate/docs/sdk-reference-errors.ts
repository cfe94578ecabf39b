import ts from "typescript";
import type { Contract } from "../contract/contract.js";
import { readErrorTexts } from "../contract/error-texts.js";
import { codeClass, statusClass } from "../sdk/names.js";
import type { Links } from "./sdk-reference-links.js";
import { type Sdk, ancestors, docsOf, isPublic } from "./sdk-reference-source.js";
import { type ObjectField, item, listOf } from "./sdk-reference-types.js";

/** Generates the page of error classes: those of the SDK itself, and those of each status with their codes. */
export const errorsPage = ({ document, errorCodes }: Contract, sdk: Sdk, links: Links): string => {
  const classes = errorClasses(sdk);
  const of = (name: string): ErrorClass => {
    const found = classes.find((each) => each.name === name);
    if (!found) throw new Error(`@mgmt/sdk does not export ${name}`);
    return found;
  };
  const own = (name: string): string[] => listOf(of(name).fields, links);
  const allTexts = readErrorTexts(document);
  const textsOf = (code: string): string[] => {
    const texts = allTexts.filter((text) => text.code === code);
    return texts.map(({ status, message, hint }, index) => {
      const isNewHint = hint !== undefined && (index === 0 || hint !== texts[0]?.hint);
      const otherStatus = status === texts[0]?.status ? "" : ` (status ${String(status)})`;
      return `- “${message}”${otherStatus}${isNewHint ? `: “${hint}”` : ""}`;
    });
  };
  const statuses = [...new Set(errorCodes.map(({ status }) => status))].sort((a, b) => a - b);
  const ofStatus = statuses.map((status) => {
    const lines = errorCodes
      .filter((entry) => entry.status === status)
      .flatMap(({ code, description }) =>
        item(`\`${codeClass(code)}\` \`${code}\` – ${description}`, [
          ...textsOf(code),
          ...own(codeClass(code)),
        ]),
      );
    return `## ${statusClass(status)}\n\nThe service responded with status ${status}.\n\n${lines.join("\n")}\n`;
  });
  const ofService = new Set([...statuses.map(statusClass), ...errorCodes.map(({ code }) => codeClass(code))]);
  const local = classes
    .filter(({ name }) => !ofService.has(name))
    .flatMap(({ name, base, text }) => {
      const above = base === undefined ? "" : `, a subclass of \`${base}\``;
      return item(`\`${name}\`${above} – ${links.prose(text).replaceAll(/\s*\n\s*/g, " ")}`, own(name));
    });
  return [
    "# Errors\n",
    "Errors that methods throw. All classes can be imported from `@mgmt/sdk` and used with `instanceof`.\n",
    `## All errors\n\n${local.join("\n")}\n`,
    "An error response of the service is an `ApiError`, with a subclass for its status and below that for its code. Below each code",
    "are the messages that the service sends, with their parameters in braces, and the hint of each that does not have the first",
    "one's. Programs use the code: messages and hints can change.\n",
    ...ofStatus,
  ].join("\n");
};

interface ErrorClass {
  name: string;
  base: string | undefined;
  text: string;
  /** Fields that its base class does not have. */
  fields: ObjectField[];
}

const errorClasses = ({ checker, exports }: Sdk): ErrorClass[] =>
  exports.flatMap(({ name, valueDeclaration }) => {
    if (!valueDeclaration || !ts.isClassDeclaration(valueDeclaration)) return [];
    const type = checker.getTypeAtLocation(valueDeclaration);
    const bases = type.isClass() ? ancestors(checker, type) : [];
    if (name !== "MgmtError" && !bases.includes("MgmtError")) return [];
    const fields = valueDeclaration.members.flatMap((member) => {
      const shown = isPublic(member) && (ts.isPropertyDeclaration(member) || ts.isMethodDeclaration(member));
      const isStatic = (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static) !== 0;
      // A field that only narrows the type of its base class is not worth an entry.
      if (!shown || isStatic || isLiteral(member)) return [];
      const required = !("questionToken" in member && member.questionToken);
      return [{ name: member.name.getText(), declaration: member, required }];
    });
    const base = bases[0] === "MgmtError" || bases[0] === "Error" ? undefined : bases[0];
    return [{ name, base, text: docsOf(valueDeclaration).text, fields }];
  });

const isLiteral = (member: ts.PropertyDeclaration | ts.MethodDeclaration): boolean =>
  member.type !== undefined && ts.isLiteralTypeNode(member.type);

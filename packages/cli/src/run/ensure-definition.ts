import type { EnsureRule, GeneratedCommand } from "../contract/generated-command.js";

/** Returns the definition of `ensure` for the one of `create`: the same input, with an identity. */
export const createEnsureDefinition = (
  createDefinition: GeneratedCommand,
  { identities }: EnsureRule,
): GeneratedCommand => {
  const fields = createDefinition.body?.fields ?? [];
  const isIdentity = ({ path }: { path: readonly string[] }): boolean => identities.includes(path.join("."));
  const noun = createDefinition.summary.replace(/^Create /, "");
  const flags = fields.filter(isIdentity).map(({ flag }) => `--${flag}`);
  const [preferredIdentity] = identities;
  const unchangedText = `is not changed${createDefinition.secrets ? ", and its secrets are not printed" : ""}`;
  const hasRequired = fields.some((field) => isIdentity(field) && field.required === "always");
  return {
    ...createDefinition,
    commandPath: [...createDefinition.commandPath.slice(0, -1), "ensure"],
    summary: `Create ${noun} unless it exists`,
    description:
      `Creates ${noun}, or prints the existing one with the same ${flags.join(", or without it the same ")}. ` +
      `The existing one ${unchangedText}. The command can be repeated: after a lost response, and if several processes run it ` +
      "at once, there is still only one.",
    body: {
      required: true,
      fields: fields.map((field) =>
        hasRequired || field.path.join(".") !== preferredIdentity
          ? field
          : { ...field, required: "always" as const },
      ),
      examples: (createDefinition.body?.examples ?? []).filter((example) => hasIdentity(example, identities)),
    },
  };
};

/** Returns whether a body has one of the identities. */
export const hasIdentity = (body: unknown, identities: readonly string[]): boolean =>
  typeof body === "object" &&
  body !== null &&
  identities.some((name) => typeof Reflect.get(body, name) === "string");

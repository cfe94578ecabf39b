import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import type { CliError } from "../../errors/cli-error.js";
import { branchWithoutProjectError, isUnknownNameError } from "../../errors/name-errors.js";
import { getNonInteractiveReason } from "../../input/ask.js";
import type { CommandLineValues } from "../../input/read-input.js";
import { setAtPath, getAtPath } from "../../json/json-path.js";
import type { GeneratedCommand } from "../../contract/generated-command.js";
import { selectExistingProfile } from "../../profiles/active-profile.js";
import { resolveAndAnnounceDefault } from "../../profiles/defaults.js";
import { mightBeName, getNameableTypeByPrefix } from "../../contract/nameable-types.js";
import { type NameScope, resolveName } from "./resolve-name.js";
import {
  listIdFields,
  mightBeResourceName,
  getArgumentType,
  type NamedRequest,
  type ResolvedRequest,
  getInputValue,
} from "./possible-names.js";

/** Replaces names by ids, for one input of an operation or for many. */
export class NameResolver {
  readonly #lists: NonNullable<NameScope["lists"]> = new Map();
  #chosenProject: string | undefined;

  constructor(
    private readonly definition: GeneratedCommand,
    private readonly client: MgmtClient,
    private readonly flags: GlobalFlags,
    private readonly context: Context,
  ) {}

  /**
   * Replaces the names in one input: in arguments, flags, `--body`, and lines of `--ndjson`. Of several resources to
   * delete, those that are names of nothing are returned with their errors, so that the others are deleted.
   *
   * @param commandLineValues the command line. Errors repeat names that it has, and of others only the field.
   * @throws `name:not_found`, `name:ambiguous`, and `usage:missing` for a branch without a project.
   */
  async resolve(
    { ids, input }: NamedRequest,
    commandLineValues: Pick<CommandLineValues, "flags" | "argument">,
  ): Promise<ResolvedRequest> {
    const resolvedInput = structuredClone(input);
    const scope = this.#createScope(resolvedInput);
    // The project comes first: other names may be relative to it.
    for (const field of listIdFields(this.definition)) {
      const [resourceType, value] = [
        getNameableTypeByPrefix(field.prefix),
        getInputValue(resolvedInput, field),
      ];
      if (!resourceType || !mightBeResourceName(field, value)) continue;
      const isOnCommandLine =
        field.flag in commandLineValues.flags || field.flag === commandLineValues.argument?.field.flag;
      const id = await resolveName(
        resourceType,
        value,
        isOnCommandLine ? scope : this.#createScope(resolvedInput, field.path.join(".")),
      );
      const fieldContainer =
        getAtPath(resolvedInput.body, field.path) === undefined ? resolvedInput.query : resolvedInput.body;
      if (id !== undefined && fieldContainer) setAtPath(fieldContainer, field.path, id);
    }
    const hasManyIds = ids.length > this.definition.arguments.length;
    const resolvedIds: string[] = [];
    const unknownNameErrors = new Map<string, CliError>();
    for (const [index, id] of ids.entries()) {
      const resourceType = getArgumentType(this.definition, index);
      try {
        resolvedIds.push(
          (resourceType && mightBeName(id) ? await resolveName(resourceType, id, scope) : undefined) ?? id,
        );
      } catch (error) {
        if (!hasManyIds || !isUnknownNameError(error)) throw error;
        unknownNameErrors.set(id, error);
        resolvedIds.push(id);
      }
    }
    return { ids: resolvedIds, input: resolvedInput, unknownNameErrors };
  }

  /** @param bodyField the field of a body that has the name. Default: the command line has it. */
  #createScope(input: NamedRequest["input"], bodyField?: string): NameScope {
    const { client, definition, context, flags } = this;
    const projectField = listIdFields(definition).find(
      ({ prefix }) => getNameableTypeByPrefix(prefix) === "project",
    );
    return {
      client,
      signal: context.signal,
      lists: this.#lists,
      field: bodyField,
      findDefaultProject: () => {
        const projectId = projectField && getInputValue(input, projectField);
        if (typeof projectId === "string") return projectId;
        return resolveAndAnnounceDefault("projectId", flags, context, () =>
          selectExistingProfile(flags, context),
        )?.value;
      },
      chooseProject: (branch) => this.#chooseProject(branch, bodyField),
    };
  }

  async #chooseProject(branch: string, bodyField: string | undefined): Promise<string> {
    const { client, flags, context } = this;
    if (this.#chosenProject !== undefined) return this.#chosenProject;
    const reason = getNonInteractiveReason(context);
    if (reason !== undefined) throw branchWithoutProjectError(branch, reason, bodyField);
    const { chooseResource } = await import("./choose-resource.js");
    const title = `Project of ${bodyField === undefined ? `branch ${branch.replace(/^@/, "")}` : `the branch in ${bodyField}`}`;
    this.#chosenProject = await chooseResource("project", title, { client, knownIds: {}, flags, context });
    return this.#chosenProject;
  }
}

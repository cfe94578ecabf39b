import { changedClientFileError } from "../../errors/client-file-errors.js";
import { usageError } from "../../errors/usage-errors.js";
import {
  locateClientFile,
  readClientFile,
  type FileScope,
  writeClientFile,
} from "../../files/client-file.js";
import { confirm } from "../../input/confirm.js";
import type { Context, GlobalFlags } from "../../input/context.js";
import { renderSkill } from "./skill.js";
import { type ClientName, clientNames, getSkillPath } from "./skill-folders.js";

/** What `mgmt skills install` prints. */
export interface SkillsInstallResult {
  readonly client: ClientName;
  readonly scope: FileScope;
  readonly file: string;
  readonly change: "added" | "replaced" | "none";
  /** Version of the skill, which is the version of this command. */
  readonly version: string;
}

/** Copies the skill into the folder of a client. Asks before it replaces a file with other content. */
export const runSkillsInstall = async (
  clientName: string | undefined,
  scope: FileScope,
  { yes }: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, cwd, version } = context;
  const client = parseClient(clientName);
  const path = getSkillPath(client, scope, context);
  const file = await locateClientFile(path, scope === "project" ? cwd : undefined);
  const skill = renderSkill(version);
  const text = await readClientFile(file);
  const change = text === undefined ? "added" : text === skill ? "none" : "replaced";
  if (change === "none") {
    output.info(`${path} is this version already.`);
  } else {
    if (change === "replaced" && !yes)
      await confirm(
        `replace ${path}, which is another version or was changed, by version ${version}`,
        context,
      );
    await writeClientFile(file, (current) => {
      if (current !== text) throw changedClientFileError(path);
      return skill;
    });
    output.info(`Wrote ${path}. Start your coding agent again, so that it finds the skill.`);
  }
  const result: SkillsInstallResult = { client, scope, file: path, change, version };
  await output.writeResult(result, "SkillsInstallResult");
};

const parseClient = (text = "agents"): ClientName => {
  const name = clientNames.find((candidate) => candidate === text);
  if (name === undefined)
    throw usageError(`<client> cannot be ${JSON.stringify(text)}`, `Allowed: ${clientNames.join(", ")}.`);
  return name;
};

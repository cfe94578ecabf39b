import { describe, expect, it } from "vitest";
import { findDefault } from "./defaults.js";
import { readStoredSettings } from "./stored-settings.js";
import type { GlobalFlags } from "../input/context.js";
import { temporaryFolder } from "../../test/folders.js";
import { createSettingsFolder } from "../../test/profiles/settings-folder.js";

const root = temporaryFolder();
const profiles = {
  main: { projectId: "proj_main", workspaceId: "ws_main", output: "json", pager: false },
  other: { projectId: "proj_other", output: "yaml", updateNotice: false },
};
const variable = { MGMT_PROJECT_ID: " proj_variable " };
const link = { projectId: "proj_link" };
const linkOfOther = { profile: "other", projectId: "proj_link" };

interface Case {
  readonly flags?: GlobalFlags;
  readonly env?: NodeJS.ProcessEnv;
  readonly link?: object;
  readonly active?: string;
  readonly expected: string | undefined;
}

describe("the default project", () => {
  it.each<[string, Case]>([
    [
      "of the flag before all others",
      { flags: { projectId: "proj_flag" }, env: variable, link, active: "main", expected: "proj_flag" },
    ],
    ["of the variable before the link", { env: variable, link, active: "main", expected: "proj_variable" }],
    ["of the link before the profile", { link, active: "main", expected: "proj_link" }],
    ["of the profile", { active: "main", expected: "proj_main" }],
    ["of no profile", { expected: undefined }],
    ["of the link without a profile", { link, expected: "proj_link" }],
    ["of the link if a variable is empty", { env: { MGMT_PROJECT_ID: " " }, link, expected: "proj_link" }],
    [
      "of the profile that a link names",
      { link: { profile: "other" }, active: "main", expected: "proj_other" },
    ],
    ["of a link for its own profile", { link: linkOfOther, active: "main", expected: "proj_link" }],
    [
      "of the profile, not of the link of another",
      { flags: { profile: "main" }, link: linkOfOther, expected: "proj_main" },
    ],
    [
      "of the link that is for the profile of the flag",
      { flags: { profile: "other" }, link: linkOfOther, expected: "proj_link" },
    ],
    [
      "of the profile of the flag, not of the variable",
      { flags: { profile: "other" }, env: variable, expected: "proj_other" },
    ],
    [
      "of the profile of the flag, not of a link without one",
      { flags: { profile: "other" }, link, expected: "proj_other" },
    ],
    [
      "of the profile of the variable before that of the link",
      { env: { MGMT_PROFILE: "main" }, link: linkOfOther, expected: "proj_main" },
    ],
    [
      "of the link, for the profile of the variable",
      { env: { MGMT_PROFILE: "other" }, link: linkOfOther, active: "main", expected: "proj_link" },
    ],
  ])("is that %s", (_, { flags = {}, env, link, active, expected }) => {
    const folder = createSettingsFolder(root, { profiles, active, link });
    const project = findDefault("projectId", flags, { cwd: folder.cwd, env: { ...folder.env, ...env } });
    expect(project?.value).toBe(expected);
  });

  it("says where it is from", () => {
    const { cwd, env, linkFile } = createSettingsFolder(root, { profiles, active: "main", link });
    const from = (flags: GlobalFlags, more = {}): unknown =>
      findDefault("projectId", flags, { cwd, env: { ...env, ...more } })?.from;
    expect([
      from({ projectId: "x" }),
      from({}, variable),
      from({}),
      from({ profile: "main" }),
      findDefault("workspaceId", { projectId: "x" }, { cwd, env })?.from,
    ]).toEqual(["--project-id", "MGMT_PROJECT_ID", linkFile, "profile main", "profile main"]);
  });

  it("is not read from the profiles file if a flag or a variable has it", () => {
    const choose = (): never => {
      throw new Error("The profiles were read");
    };
    const context = { cwd: "/", env: variable };
    expect(findDefault("projectId", { projectId: "x" }, context, choose)?.value).toBe("x");
    expect(findDefault("projectId", {}, context, choose)?.value).toBe("proj_variable");
  });
});

describe("the settings of a profile", () => {
  it.each<[GlobalFlags, NodeJS.ProcessEnv, object | undefined, object]>([
    [{}, {}, undefined, { output: "json", pager: false, updateNotice: undefined }],
    [{ profile: "other" }, {}, undefined, { output: "yaml", pager: undefined, updateNotice: false }],
    [{}, { MGMT_PROFILE: "other" }, undefined, { output: "yaml", pager: undefined, updateNotice: false }],
    [{}, {}, { profile: "other" }, { output: "yaml", pager: undefined, updateNotice: false }],
    [{}, { MGMT_PROFILE: "missing" }, undefined, {}],
    [{}, { MGMT_PROFILE: "no name!" }, undefined, {}],
    [{}, {}, { profile: "no name!" }, {}],
  ])("are those of the one that is chosen: %j %j %j", (flags, env, link, settings) => {
    const folder = createSettingsFolder(root, { profiles, active: "main", link });
    const actual = readStoredSettings(flags, { cwd: folder.cwd, env: { ...folder.env, ...env } });
    expect(actual).toEqual(settings);
  });

  it("leave out a format that this version does not have", () => {
    const { cwd, env } = createSettingsFolder(root, { profiles: { a: { output: "newer" } }, active: "a" });
    expect(readStoredSettings({}, { cwd, env }).output).toBeUndefined();
  });
});

import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { selectExistingProfile, selectProfile, isChosenByFolder } from "./active-profile.js";
import { temporaryFolder } from "../../test/folders.js";
import { createSettingsFolder } from "../../test/profiles/settings-folder.js";

const root = temporaryFolder();
const profiles = { main: {}, other: {}, linked: {} };
const link = { profile: "linked" };

describe("the profile of a command", () => {
  it.each([
    ["other", "--profile", { flags: { profile: "other" }, variable: "main", link }],
    ["other", "MGMT_PROFILE", { variable: "other", link }],
    ["linked", "the link", { variable: " ", link }],
    ["main", "the profiles file", { link: {} }],
  ])("is %s, from %s: %o", (name, source, { flags = {}, variable, link }: Choice) => {
    const settings = createSettingsFolder(root, { profiles, active: "main", link });
    const env = { ...settings.env, MGMT_PROFILE: variable };
    const files: Record<string, string> = {
      "the link": settings.linkFile,
      "the profiles file": settings.profilesFile,
    };
    expect(selectExistingProfile(flags, { cwd: settings.cwd, env })).toMatchObject({
      name: { value: name, from: files[source] ?? source },
      profile: { baseUrl: `https://${name}.example` },
    });
  });

  it.each<[string, string, Choice & { readonly fields?: object }]>([
    ["stack", "its mgmt dev --here, before the link", { link }],
    [
      "stack",
      "its mgmt dev --here, whose data was moved to it",
      { fields: { folder: "/elsewhere", dataId: "id" } },
    ],
    ["other", "--profile", { flags: { profile: "other" } }],
    ["other", "MGMT_PROFILE", { variable: "other" }],
    ["linked", "the link before one that was never ready", { link, fields: { controlUrl: undefined } }],
    ["main", "the profiles file before one of another folder", { fields: { folder: "/elsewhere" } }],
  ])("in a folder is %s, from %s", (name, _, { flags = {}, variable, link, fields }) => {
    const folder = realpathSync(mkdtempSync(join(root, "stack-")));
    mkdirSync(join(folder, ".mgmt/dev"), { recursive: true });
    writeFileSync(join(folder, ".mgmt/dev/data-id"), "id");
    if (link) writeFileSync(join(folder, ".mgmt/link.json"), JSON.stringify(link));
    const stack = { folder, controlUrl: "http://127.0.0.1:1/_control", ...fields };
    const settings = createSettingsFolder(root, { profiles: { ...profiles, stack }, active: "main" });
    const choice = selectExistingProfile(flags, {
      cwd: folder,
      env: { ...settings.env, MGMT_PROFILE: variable },
    });
    expect(choice.name?.value).toBe(name);
    expect(choice.name?.from === join(folder, ".mgmt/dev")).toBe(name === "stack");
    if (name === "stack") expect(choice.profile?.folder).toBe(folder);
    expect(isChosenByFolder(choice)).toBe(name === "stack" || name === "linked");
  });

  it.each([
    ["../x", "usage:invalid_value", "link:corrupt"],
    ["__proto__", "usage:invalid_value", "link:corrupt"],
    ["constructor", "profile:not_found", "profile:not_found"],
    ["nobody", "profile:not_found", "profile:not_found"],
  ])("is refused if the flag, the variable, or the link names %j", (name, code, linkCode) => {
    const rejectionOf = ({ flags = {}, variable, link }: Choice): unknown => {
      const { cwd, env } = createSettingsFolder(root, { profiles, active: "main", link });
      return catchError(() => selectExistingProfile(flags, { cwd, env: { ...env, MGMT_PROFILE: variable } }));
    };
    expect(rejectionOf({ flags: { profile: name } })).toMatchObject({ code });
    expect(rejectionOf({ variable: name })).toMatchObject({ code });
    expect(rejectionOf({ link: { profile: name } })).toMatchObject({ code: linkCode });
  });

  it("is none if the active one was removed, or there is none", () => {
    for (const active of ["gone", undefined]) {
      const { cwd, env } = createSettingsFolder(root, { profiles, active });
      expect(selectExistingProfile({}, { cwd, env })).toMatchObject({ name: undefined, profile: undefined });
    }
    const { cwd, env } = createSettingsFolder(root, {});
    expect(selectProfile({ profile: "nobody" }, { cwd, env })).toMatchObject({ profile: undefined });
  });
});

interface Choice {
  readonly flags?: { readonly profile?: string };
  readonly variable?: string;
  readonly link?: { readonly profile?: string };
}

const catchError = (action: () => unknown): unknown => {
  try {
    return action();
  } catch (error) {
    return error;
  }
};

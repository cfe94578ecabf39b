import { createProcessView } from "@mgmt/internal/processes/process-liveness";
import { describe, expect, it } from "vitest";
import {
  findProfile,
  findRunningProfile,
  isSameUrl,
  isValidProfileName,
  removeStoppedProfiles,
  removeProfiles,
} from "./profile.js";

const { self } = createProcessView();
const profile = { baseUrl: "http://127.0.0.1:1" };
const running = { ...profile, ephemeral: true, process: self };
const ended = { ...running, process: { ...self, started: "another start" } };
const elsewhere = { ...running, process: { ...self, place: "another container", machine: null } };

it.each(["", "../x", ".hidden", "-flag", "a b", "a/b", "__proto__", "é", "x".repeat(65)])(
  "refuses the name of a profile %j",
  (name) => {
    expect(isValidProfileName(name)).toBe(false);
  },
);

it("finds no profile of a name that every object has", () => {
  const profiles = { profiles: { main: profile } };
  expect(["constructor", "main", undefined].map((name) => findProfile(profiles, name))).toEqual([
    undefined,
    profile,
    undefined,
  ]);
});

describe("the profiles of services that mgmt dev runs", () => {
  it.each([
    [{ local: running, one: running }, "local"],
    [{ local: ended, one: running }, "one"],
    [{ one: running, two: running }, undefined],
    [{ one: elsewhere, two: ended, three: profile }, undefined],
  ])("have one that commands find: %j", (profiles, name) => {
    expect(findRunningProfile({ profiles })).toBe(name);
  });

  it("are removed once their process is known to have ended, unless they are persistent", () => {
    const profiles = { running, ended, elsewhere, persistent: { ...ended, ephemeral: false } };
    const { ended: _, ...others } = profiles;
    expect(removeStoppedProfiles({ active: "running", profiles })).toEqual({
      active: "running",
      profiles: others,
    });
  });

  it.each([
    ["main", { local: { ...profile, controlUrl: "http://127.0.0.1:1/_control" } }, "local"],
    ["main", { local: profile }, undefined],
    ["other", {}, "other"],
  ])("leave another active one than a removed one, or none: %s with %j", (active, others, next) => {
    expect(removeProfiles({ active, profiles: { main: profile, ...others } }, ["main"]).active).toBe(next);
  });
});

it.each([
  ["http://Host:80/", "http://host", true],
  ["HTTPS://host/v1//", "https://host/v1", true],
  ["http://host", "https://host", false],
  ["http://host:8080", "http://host", false],
  ["no address", "no address", true],
])("compares addresses of services: %s and %s", (left, right, isSame) => {
  expect(isSameUrl(left, right)).toBe(isSame);
});

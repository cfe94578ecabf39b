import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findCommitRisk, isReadableByGit } from "./commit-risk.js";
import { temporaryFolder } from "../../test/folders.js";
import { type ProgramEnd, recordPrograms } from "../../test/recorded-programs.js";
import { type RecordedClone, recordedGit } from "../../test/git/recorded-git.js";

const { signal } = new AbortController();

describe("a file can become part of a commit", () => {
  it.each<[RecordedClone, string | undefined]>([
    [{}, "not_ignored"],
    [{ ignored: [".env"] }, undefined],
    [{ tracked: [".env"] }, "tracked"],
    [{ ignored: [".env"], tracked: [".env"] }, "tracked"],
    [{ isClone: false }, undefined],
    [{ rejection: "detected dubious ownership" }, undefined],
  ])("in the clone %j: %s", async (clone, risk) => {
    const { env, calls } = recordPrograms({ git: recordedGit(clone) });
    expect(await findCommitRisk("/srv/clone/app/.env", { env, signal })).toBe(risk);
    expect(new Set(calls.map(({ cwd }) => cwd))).toEqual(new Set(["/srv/clone/app"]));
  });

  it("cannot be told without git", async () => {
    const { env } = recordPrograms({});
    expect(await findCommitRisk("/srv/.env", { env, signal })).toBeUndefined();
  });

  it("passes a name that looks like a flag as a name", async () => {
    const git = ({ args }: { args: readonly string[] }): ProgramEnd => ({
      status: args.at(-2) === "--" ? 1 : 0,
    });
    const { env } = recordPrograms({ git });
    expect(await findCommitRisk("/srv/--help", { env, signal })).toBe("not_ignored");
  });
});

describe("a file is in a repository that git reads", () => {
  const createFile = (hasRepository: boolean): string => {
    const folder = temporaryFolder();
    if (hasRepository) mkdirSync(join(folder, ".git"));
    return join(folder, "app", "web", ".env");
  };

  it.each([
    [true, 0, true],
    [true, 128, false],
    [false, 128, true],
  ])("if it is in one (%s), and git ends with %i: %s", async (hasRepository, status, expected) => {
    const { env } = recordPrograms({ git: () => ({ status }) });
    expect(await isReadableByGit(createFile(hasRepository), { env, signal })).toBe(expected);
  });

  it("which cannot be told without git", async () => {
    const { env } = recordPrograms({});
    expect(await isReadableByGit(createFile(true), { env, signal })).toBe(true);
  });
});

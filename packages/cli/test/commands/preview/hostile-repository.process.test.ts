import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { usePlace } from "./place.js";

const place = usePlace();
/** Its existence proves that a program ran. */
let mark: string;
/** Creates the mark, and then fails. */
let attack: string;
let hostile: string;
beforeEach(() => {
  mark = join(place.base, "attacked");
  attack = join(place.base, "attack.sh");
  writeFileSync(attack, `#!/bin/sh\ntouch ${mark}\nexit 1\n`);
  chmodSync(attack, 0o755);
  hostile = place.clone(place.bareRepository("shop.git"), "hostile");
  place.startBranch(hostile, "feature/cart");
});

const configure = (...settings: [name: string, value: string][]): void => {
  for (const [name, value] of settings) place.git(hostile, "config", name, value);
};

/** Runs every command that asks git, in a folder. */
const runAll = async (folder: string, env: NodeJS.ProcessEnv = {}): Promise<string> => {
  const mgmt = place.mgmtIn(folder, { PATH: process.env["PATH"], ...env });
  const results = [
    await mgmt`preview up --branch feature/cart --timeout=5m --file .env`,
    await mgmt`preview list --remote origin`,
    await mgmt`preview list`,
    await mgmt`preview prune --min-age 0 --yes`,
    await mgmt`preview down --branch feature/cart --yes`,
    await mgmt`env --file .env.other`,
    await mgmt`link --project-id ${place.projectId}`,
  ];
  return results.map(({ stderr }) => stderr).join("\n");
};

describe.skipIf(process.platform === "win32")(
  "git in a repository that may attack runs no program of",
  () => {
    it.each<[string, () => [string, string][]]>([
      ["core.fsmonitor", () => [["core.fsmonitor", attack]]],
      [
        "an ext:: remote that the repository allows",
        () => [
          ["remote.origin.url", `ext::${attack}`],
          ["protocol.ext.allow", "always"],
          ["protocol.allow", "always"],
        ],
      ],
      [
        "remote.*.vcs",
        () => [
          ["remote.origin.vcs", "ext"],
          ["remote.origin.url", attack],
          ["protocol.ext.allow", "always"],
        ],
      ],
      ["remote.*.uploadpack", () => [["remote.origin.uploadpack", attack]]],
      [
        "core.sshCommand",
        () => [
          ["remote.origin.url", "ssh://127.0.0.1:1/shop.git"],
          ["core.sshCommand", attack],
        ],
      ],
      [
        "core.gitProxy",
        () => [
          ["remote.origin.url", "git://127.0.0.1:1/shop.git"],
          ["core.gitProxy", attack],
        ],
      ],
      [
        "an address that the repository replaces",
        () => [
          [`url.ext::${attack} .insteadOf`, "https:"],
          ["remote.origin.url", "https://git.test/shop.git"],
          ["protocol.ext.allow", "always"],
        ],
      ],
      [
        "a promise to fetch commits",
        () => [
          ["extensions.partialClone", "origin"],
          ["core.repositoryFormatVersion", "1"],
          ["remote.origin.promisor", "true"],
          ["remote.origin.uploadpack", attack],
        ],
      ],
    ])("%s", async (_, settings) => {
      // A commit that is not there.
      const missing = join(hostile, ".git/refs/heads/feature");
      writeFileSync(join(missing, "cart"), `${"1".repeat(40)}\n`);
      configure(...settings());
      await runAll(hostile);
      expect(existsSync(mark)).toBe(false);
    });

    it.each(["credential.helper", "core.askPass"])("%s when a remote asks for a password", async (name) => {
      const server = createServer((_, response) =>
        response.writeHead(401, { "www-authenticate": "Basic realm=a" }).end(),
      );
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      configure(["remote.origin.url", `http://127.0.0.1:${String(port)}/shop.git`], [name, attack]);
      expect(await runAll(hostile)).toContain("preview:git_failed");
      expect(existsSync(mark)).toBe(false);
      server.close();
    });

    it("a folder that is a bare repository itself", async () => {
      const bare = join(place.base, "bare");
      place.git(place.base, "init", "--quiet", "--bare", bare);
      mkdirSync(join(bare, "docs"));
      for (const [name, value] of [
        ["core.bare", "false"],
        ["core.worktree", bare],
        ["core.fsmonitor", attack],
        ["remote.origin.url", `ext::${attack}`],
        ["protocol.ext.allow", "always"],
      ] as const) {
        place.git(place.base, "config", "--file", join(bare, "config"), name, value);
      }
      for (const folder of [bare, join(bare, "docs")]) {
        expect(await runAll(folder)).toContain("Missing --remote");
        expect(existsSync(mark)).toBe(false);
      }
    });
  },
);

describe.skipIf(process.platform === "win32")("git in a repository of the user", () => {
  let server: ReturnType<typeof createServer>;
  let asked: IncomingHttpHeaders[];
  beforeEach(async () => {
    asked = [];
    server = createServer(({ headers }, response) => {
      asked.push(headers);
      response.writeHead(headers.authorization === undefined ? 401 : 403, {
        "www-authenticate": "Basic realm=a",
      });
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    // A listening TCP server has an address of this form.
    const { port } = server.address() as AddressInfo;
    configure(["remote.origin.url", `http://127.0.0.1:${String(port)}/shop.git`]);
  });
  afterEach(() => server.close());

  it("sends the headers with which a CI system lets the clone reach its remote", async () => {
    configure(["http.http://127.0.0.1/.extraheader", "X-Other: other"]);
    configure([`http.${place.git(hostile, "remote", "get-url", "origin")}.extraheader`, "X-Job: job"]);
    await place.mgmtIn(hostile)`preview list`;
    expect(asked).toContainEqual(expect.objectContaining({ "x-job": "job" }));
    expect(asked).not.toContainEqual(expect.objectContaining({ "x-other": "other" }));
  });

  it("asks the credential helper of the user, which gets variables of the user and none of mgmt", async () => {
    const home = join(place.base, "home");
    mkdirSync(home);
    const seen = join(home, "environment");
    const helper = `!f() { env > ${seen}; echo username=a; echo "password=$MY_PASSWORD"; }; f`;
    place.git(hostile, "config", "--file", join(home, ".gitconfig"), "credential.helper", helper);
    const env = { HOME: home, MY_PASSWORD: "secret-of-git" };
    const { stderr } = await place.mgmtIn(hostile, env)`preview prune --min-age 0 --yes`;
    const authorization = `Basic ${Buffer.from("a:secret-of-git").toString("base64")}`;
    expect(asked).toContainEqual(expect.objectContaining({ authorization }));
    expect(readFileSync(seen, "utf8")).not.toMatch(/^MGMT_/m);
    expect(stderr).toMatch(/preview:git_failed.*hint: .*GIT_SSH_COMMAND/s);
    expect(stderr).not.toContain("secret-of-git");
  });
});

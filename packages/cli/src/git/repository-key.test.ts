import { describe, expect, it } from "vitest";
import { isRepositoryKey, createRepositoryKey } from "./repository-key.js";

const keyOf = (address: string): string => createRepositoryKey(address, "/home/a/clone");

describe("repositoryKey", () => {
  it.each([
    "https://github.com/acme/shop",
    "https://github.com/acme/shop.git",
    "https://github.com/acme/shop/",
    "https://GitHub.com/Acme/Shop.git",
    "https://alice:ghp_0123456789@github.com/acme/shop.git",
    "https://x-access-token:ghs_secret@github.com/acme/shop",
    "https://github.com:443/acme/shop.git?token=secret#fragment",
    "git@github.com:acme/shop.git",
    "github.com:acme/shop",
    "git@github.com:/acme/shop.git",
    "ssh://git@github.com/acme/shop.git",
    "ssh://git@github.com:22/acme/shop.git",
    "ssh://git@ssh.github.com:443/acme/shop.git",
    "git+ssh://git@github.com/acme/shop.git",
    "git://github.com/acme/shop.git",
    " https://github.com/acme//shop.git ",
  ])("is the same for all addresses of a repository: %s", (address) => {
    expect(keyOf(address)).toBe("shop-" + keyOf("git@github.com:acme/shop").slice(-16));
    expect(keyOf(address)).toBe(keyOf("git@github.com:acme/shop"));
    expect(isRepositoryKey(keyOf(address))).toBe(true);
  });

  it("is the same for a server with its own ssh port", () => {
    expect(keyOf("ssh://git@git.example.com:2222/acme/my%20shop.git")).toBe(
      keyOf("https://git.example.com/acme/my shop"),
    );
  });

  it("is the same for the addresses of a local repository", () => {
    const keys = ["../shop.git", "/home/a/shop.git", "/home/a/shop.git/", "file:///home/a/shop.git"].map(
      keyOf,
    );
    expect(new Set(keys).size).toBe(1);
  });

  it("differs for other repositories, hosts and ports of web servers, and for paths that differ in case elsewhere", () => {
    const keys = [
      "https://github.com/acme/shop",
      "https://github.com/alice/shop",
      "https://github.com/acme/shop.web",
      "https://github.com/acme-shop",
      "https://gitlab.com/acme/shop",
      "https://git.example.com/acme/shop",
      "https://git.example.com/acme/Shop",
      "http://git.example.com:3000/acme/shop",
      "http://git.example.com:3001/acme/shop",
      "/srv/shop",
      "../shop",
    ].map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("contains the name of the repository and nothing else of the address", () => {
    const key = keyOf("https://alice:hidden@internal.example.com/secret-group/ünïcode näme.git?token=hidden");
    expect(key).toMatch(/^n-code-n-me-[0-9a-f]{16}$/);
    expect(keyOf("https://a.example/🎉.git")).toMatch(/^[0-9a-f]{16}$/);
    expect(keyOf(`https://a.example/${"x".repeat(300)}`).length).toBeLessThan(100);
    for (const odd of ["https://[bad", "C:\\repos\\shop", "ext::ssh host %S repo", "::", "/"]) {
      expect(isRepositoryKey(keyOf(odd)), odd).toBe(true);
    }
  });
});

import { execFileSync } from "node:child_process";

/** Makes the folder a git repository on a branch, with a remote that has the branch `main` only. */
export const startRepository = (
  { folder }: { readonly folder: string },
  { branch = "feature/cart", remote = "origin.git" } = {},
): void => {
  const git = (...args: string[]): void => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    execFileSync("git", [...identity, ...args], { cwd: folder, stdio: "pipe" });
  };
  git("init", "--quiet", "--bare", remote);
  git("init", "--quiet", "--initial-branch", "main");
  git("commit", "--quiet", "--allow-empty", "--message", "first");
  git("remote", "add", "origin", remote);
  git("push", "--quiet", "origin", "main");
  git("checkout", "--quiet", "-b", branch);
};

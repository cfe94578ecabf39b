/** Returns why git rejects a string as the name of a branch, by the rules of `git check-ref-format --branch`. */
export const findBranchNameProblem = (name: string): string | undefined => {
  const parts = name.split("/");
  if (/[\u0000-\u001f\u007f]/.test(name)) return "it contains a control character";
  const character = /[ ~^:?*[\\]/.exec(name)?.[0];
  if (character !== undefined) return `it contains ${character === " " ? "a space" : character}`;
  if (name.includes("..")) return "it contains ..";
  if (name.includes("@{")) return "it contains @{";
  if (name.startsWith("-")) return "it starts with -";
  if (parts.includes("")) return "it starts or ends with /, or contains //";
  if (parts.some((part) => part.startsWith("."))) return "a part of it starts with .";
  if (parts.some((part) => part.endsWith(".lock"))) return "a part of it ends with .lock";
  if (name.endsWith(".")) return "it ends with .";
  return name === "@" || name === "HEAD" ? "git uses it for the current commit" : undefined;
};

/** Returns the name of a branch without `refs/heads/`, with which variables of CI systems begin, such as `GITHUB_REF`. */
export const removeHeadsPrefix = (ref: string): string => ref.replace(/^refs\/heads\//, "");

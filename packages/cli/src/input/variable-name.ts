import { reservedVariableError } from "../errors/secret-errors.js";
import { usageError } from "../errors/usage-errors.js";

/** Variables that specify how shells and other programs run, where they find files, or how they reach the network. */
const reservedNames = [
  ["PATH", "PATHEXT", "CDPATH", "HOME", "TMPDIR", "TEMP", "TMP", "CI"],
  ["SHELL", "SHELLOPTS", "BASHOPTS", "BASH_ENV", "ENV", "IFS", "PS4", "PROMPT_COMMAND", "COMSPEC", "ZDOTDIR"],
  ["EDITOR", "VISUAL", "PAGER", "BROWSER"],
  ["NODE_OPTIONS", "NODE_PATH", "NODE_EXTRA_CA_CERTS", "NODE_TLS_REJECT_UNAUTHORIZED"],
  ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONBREAKPOINT", "PYTHONINSPECT", "PYTHONUSERBASE"],
  [
    "PERL5LIB",
    "PERL5OPT",
    "PERL5DB",
    "RUBYLIB",
    "RUBYOPT",
    "CLASSPATH",
    "DOTNET_STARTUP_HOOKS",
    "GCONV_PATH",
  ],
  ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "MAKEFLAGS"],
].flat();

/** Prefixes of reserved names, without the underscore that follows. */
const reservedPrefixes = ["LD", "DYLD", "GIT", "SSH", "NPM_CONFIG", "GITHUB", "RUNNER", "ACTIONS", "MGMT"];

const reservedNamePattern = `^(?:(?:${reservedNames.join("|")})$|(?:${reservedPrefixes.join("|")})_)`;

/**
 * Throws unless a string can be the name of an environment variable that gets a connection string or another secret.
 *
 * @param flag the flag that the name comes from.
 * @throws `usage:invalid`; `variable:reserved` for a name that changes how programs run.
 */
export const assertVariableName = (name: string, flag = "--name"): void => {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    throw usageError(
      `${flag} cannot be ${JSON.stringify(name)}`,
      "A variable has letters, digits and _, and does not start with a digit.",
    );
  }
  // Some programs read the names of variables in lower case too, and Windows ignores the case.
  if (new RegExp(reservedNamePattern, "i").test(name)) throw reservedVariableError(flag, name);
};

/**
 * Throws unless a string can be the name of an output of a step in GitHub Actions. Workflows often pass outputs on as variables of the same
 * name.
 *
 * @throws `usage:invalid`; `variable:reserved`.
 */
export const assertOutputName = (name: string, flag: string): void => {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) {
    throw usageError(
      `${flag} cannot be ${JSON.stringify(name)}`,
      "An output has letters, digits, - and _, and does not start with a digit.",
    );
  }
  // In lower case these names are ordinary words, such as `path`.
  if (new RegExp(reservedNamePattern).test(name)) throw reservedVariableError(flag, name);
};

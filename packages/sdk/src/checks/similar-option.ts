import { findClosestName } from "@mgmt/internal/text/closest-name";

/** Names of an option in other libraries, by its name here. */
const optionSynonyms: Readonly<Record<string, readonly string[]>> = {
  token: ["apikey", "auth", "authorization", "bearer", "accesstoken", "key"],
  baseUrl: ["url", "endpoint", "host", "server", "apiurl"],
  timeoutMs: ["deadline", "deadlinems"],
  maxRetries: ["retry", "retries", "retrycount", "attempts", "maxattempts", "maxnetworkretries"],
  signal: ["abort", "abortsignal", "controller", "abortcontroller", "cancel", "canceltoken"],
  transport: ["agent", "httpagent", "httpsagent", "dispatcher", "adapter", "httpclient", "proxy"],
  debug: ["log", "logger", "verbose", "loglevel"],
  middleware: ["interceptor", "interceptors", "hooks", "plugins"],
  path: ["url", "endpoint", "route"],
  body: ["json", "data", "payload"],
  pollIntervalMs: ["interval", "intervalms", "poll", "pollms", "delay", "delayms"],
  sleep: ["wait", "pause"],
  limit: ["max", "count", "size", "take", "first", "pagesize", "perpage"],
};

/** Returns the option that a name was probably meant to be. */
export const findSimilarOption = (name: string, names: readonly string[]): string | undefined =>
  findClosestName(name, names, optionSynonyms);

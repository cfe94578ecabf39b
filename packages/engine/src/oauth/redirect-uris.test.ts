import { describe, expect, it } from "vitest";
import {
  buildFormActionSources,
  findRegistrationProblem,
  formatRedirectDestination,
  isAllowedRedirectUri,
} from "./redirect-uris.js";

const clientWith = (uri: string, secretHash: string | null = null) => ({
  ...{ id: "itgr_a", createdAt: 0, name: "app", redirectUris: ["https://other.example/cb", uri], secretHash },
});

describe("a redirect URI that is requested", () => {
  it.each([
    ["https://app.example/cb", "https://app.example/cb", true],
    ["https://app.example/cb", "https://app.example/cb/", false],
    ["https://app.example/cb", "https://app.example:443/cb", false],
    ["https://app.example/cb", "https://APP.example/cb", false],
    ["com.example.app:/cb", "com.example.app:/cb2", false],
    ["http://localhost/cb?app=1", "http://localhost:9000/cb?app=1", true],
    ["http://localhost/cb?app=1", "http://localhost:9000/cb?app=2", false],
    ["http://localhost/cb", "http://localhost:65535/cb", true],
    ["http://localhost/cb", "http://localhost:65536/cb", false],
    ["http://localhost/cb", "http://localhost:0/cb", false],
    ["http://localhost/cb", "http://localhost:080/cb", false],
    ["http://localhost/cb", "http://localhost:9000/cb#x", false],
    ["http://localhost/cb", "http://127.0.0.1/cb", false],
    ["http://localhost/cb", "http://localhost.evil.example/cb", false],
    ["http://localhost/cb", "https://localhost:9000/cb", false],
    ["http://[::1]:8080/cb", "http://[::1]/cb", true],
    ["http://127.0.0.1", "http://127.0.0.1:9000", true],
    ["http://127.0.0.1", "http://127.0.0.1:9000/", false],
  ])(
    "for the registered %s, %s is accepted from a public client: %s",
    (registered, requested, isAccepted) => {
      expect(isAllowedRedirectUri(clientWith(registered), requested)).toBe(isAccepted);
    },
  );

  it.each([
    "https://evil.example/callback",
    "http://[::1]:51234/callback",
    "http://127.0.0.2:51234/callback",
    "http://127.1:51234/callback",
    "http://0x7f.0.0.1:51234/callback",
    "http://2130706433:51234/callback",
    "http://127.0.0.1:51234.evil.example/callback",
    "HTTP://127.0.0.1:51234/callback",
    "http://127.0.0.1:51234/Callback",
    "http://127.0.0.1:51234/callback/../callback",
    "http://127.0.0.1:51234//callback",
    "http://127.0.0.1:51234/call%62ack",
    "http://127.0.0.1:51234/callback?",
    "http://127.0.0.1:51234/callback#",
    "http://user@127.0.0.1:51234/callback",
    "http://user:pass@127.0.0.1:51234/callback",
    "http://127.0.0.1:51234@evil.example/callback",
    "http://127.0.0.1:51234\\@evil.example/callback",
    "http://127.0.0.1:999999/callback",
    "http://127.0.0.1:/callback",
    "http://127.0.0.1:51234",
    " http://127.0.0.1:51234/callback",
    "http://127.0.0.1:51234/callback\n",
    "//127.0.0.1:51234/callback",
    "/callback",
    "javascript:alert(1)",
  ])("is refused for the registered http://127.0.0.1/callback: %j", (requested) => {
    expect(isAllowedRedirectUri(clientWith("http://127.0.0.1/callback"), requested)).toBe(false);
  });

  it("must be identical for a confidential client", () => {
    const client = clientWith("http://localhost:8080/cb", "hash");
    expect(isAllowedRedirectUri(client, "http://localhost:8080/cb")).toBe(true);
    expect(isAllowedRedirectUri(client, "http://localhost:9000/cb")).toBe(false);
  });
});

describe("a redirect URI that is registered", () => {
  it.each([
    "https://app.example/cb?x=1",
    "https://app.example",
    "http://localhost:3000",
    "http://127.0.0.1:65535/cb",
    "com.example.app:/cb",
  ])("may be %s", (uri) => {
    expect(findRegistrationProblem(uri)).toBeUndefined();
  });

  it.each([
    ["", "has a character that no URI has"],
    ["https://app.example/c b", "has a character that no URI has"],
    ["https://app.example/\u00e4", "has a character that no URI has"],
    ["https://app.example/\r\n", "has a character that no URI has"],
    ["https://app.example\\@evil.example/cb", "has a character that no URI has"],
    ["https://app.example/cb#", "has a fragment"],
    ["com.example.app:/cb#x", "has a fragment"],
    ["/callback", "is neither https"],
    ["app.example/cb", "is neither https"],
    ["https:app.example", "is neither https"],
    ["https:///cb", "is neither https"],
    ["https://[::1/cb", "is neither https"],
    ["javascript:alert(1)", "is neither https"],
    ["data:text/html,x", "is neither https"],
    ["file:///etc/passwd", "is neither https"],
    ["myapp:/cb", "is neither https"],
    ["https://me@app.example/cb", "carries user information"],
    ["https://:pw@app.example/cb", "carries user information"],
    ["http://app.example/cb", "is http, which only localhost"],
    ["http://127.0.0.2/cb", "is http, which only localhost"],
    ["http://127.0.0.1:99999/cb", "is neither https"],
  ])("is refused if it is %j: it %s", (uri, problem) => {
    expect(findRegistrationProblem(uri)).toContain(problem);
  });
});

it.each([
  ["https://app.example/cb?x=1", "https://app.example", "'self' https:"],
  ["com.example.app:/cb", "com.example.app:", "'self' com.example.app:"],
  ["http://[::1]:4000/cb", "http://[::1]:4000", "'self' http: https:"],
  [
    "http://localhost:4000/cb",
    "http://localhost:4000",
    "'self' http://127.0.0.1:* http://localhost:* https:",
  ],
])("the page that leads to %s names %s, and may redirect to %s", (uri, destination, sources) => {
  expect(formatRedirectDestination(uri)).toBe(destination);
  expect(buildFormActionSources(uri)).toBe(sources);
});

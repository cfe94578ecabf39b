import { createHash, randomBytes } from "node:crypto";
import { type Server, createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cliClient } from "@mgmt/mock";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { launchChromium } from "./chromium.js";
import { accessibilityProblems, browserErrorsOf, saveScreenshot, overflow } from "./page-checks.js";

const verifier = randomBytes(32).toString("base64url");
const challenge = createHash("sha256").update(verifier).digest("base64url");

/** A web server on this machine that is not the reference server. */
interface OtherServer {
  readonly origin: string;
  /** Paths of the requests it received. */
  readonly visits: string[];
  readonly server: Server;
}

const listen = async (
  host: string,
  respond: (path: string) => { location: string } | { html: string },
): Promise<OtherServer> => {
  const visits: string[] = [];
  const server = createHttpServer((request, response) => {
    const path = request.url ?? "";
    visits.push(path);
    const result = respond(path);
    if ("location" in result) response.writeHead(302, result).end();
    else response.writeHead(200, { "content-type": "text/html" }).end(result.html);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  // A server that listens on a host has an address of this type.
  const { port } = server.address() as AddressInfo;
  return { origin: `http://${host}:${String(port)}`, visits, server };
};

describe("the authorization page in Chromium", () => {
  let browser: Browser;
  let server: RunningServer;
  let program: OtherServer;
  let finish: OtherServer;
  let context: BrowserContext | undefined;
  beforeAll(async () => {
    browser = await launchChromium();
    server = await createServer();
    finish = await listen("localhost", () => ({ html: "<title>You are logged in</title>" }));
    // Redirects the browser to another port, as a web app in development does.
    program = await listen("127.0.0.1", () => ({ location: `${finish.origin}/welcome` }));
  });
  beforeEach(async () => {
    await server.engine.reset();
    const { user } = server.engine.defaults;
    await server.engine.seed.workspace({ name: "Difference Engine No. 2", ownerId: user.id });
    program.visits.length = 0;
  });
  afterEach(() => context?.close());
  afterAll(async () => {
    await browser.close();
    await server.close();
    for (const { server: other } of [program, finish]) {
      other.closeAllConnections();
      other.close();
    }
  });

  const request = (changes: Record<string, string> = {}): string => {
    const parameters = {
      response_type: "code",
      client_id: cliClient.id,
      redirect_uri: `${program.origin}/callback`,
      scope: "workspace:admin offline_access",
      state: "xyz",
      code_challenge: challenge,
      code_challenge_method: "S256",
      ...changes,
    };
    return `${server.baseUrl}/authorize?${new URLSearchParams(parameters).toString()}`;
  };
  const open = async (options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> => {
    context = await browser.newContext(options);
    return context.newPage();
  };
  const redeem = async (code: string): Promise<unknown> => {
    const response = await fetch(`${server.baseUrl}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        client_id: cliClient.id,
        redirect_uri: `${program.origin}/callback`,
        code_verifier: verifier,
        code,
      }),
    });
    return response.json();
  };
  const callbackParameters = (): Record<string, string> => {
    const [path = ""] = program.visits;
    return Object.fromEntries(new URL(path, program.origin).searchParams);
  };

  it("completes a login without JavaScript: account, workspace, consent, tokens", async () => {
    const page = await open({ javaScriptEnabled: false });
    const errors = browserErrorsOf(page);
    await page.goto(request());
    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    await page.getByRole("radio", { name: "Difference Engine No. 2" }).check();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${finish.origin}/welcome`);
    expect(errors).toEqual([]);
    const { code = "", ...rest } = callbackParameters();
    expect(rest).toEqual({ state: "xyz", iss: server.baseUrl });
    expect(await redeem(code)).toMatchObject({
      token_type: "Bearer",
      scope: "workspace:admin offline_access",
    });
    const [integration] = server.engine.rows.integrations.list({});
    const workspace = server.engine.rows.workspaces.get(integration?.workspaceId ?? "");
    expect(workspace?.name).toBe("Difference Engine No. 2");
  });

  it("can be completed with the keyboard alone", async () => {
    const page = await open();
    await page.goto(request());
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /asks for access/ }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${finish.origin}/welcome`);
    expect(callbackParameters()["code"]).toBeDefined();
  });

  it("accepts a denial on either page, without a workspace", async () => {
    const page = await open();
    await page.goto(request());
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.waitForURL(`${finish.origin}/welcome`);
    expect(callbackParameters()["error"]).toBe("access_denied");
    program.visits.length = 0;
    await page.goto(request());
    await page.getByRole("button", { name: "Grace Hopper" }).click();
    await page.getByRole("link", { name: "Switch account" }).click();
    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    await page.getByRole("button", { name: "Deny" }).click();
    await page.waitForURL(`${finish.origin}/welcome`);
    expect(callbackParameters()["error"]).toBe("access_denied");
    expect(server.engine.rows.integrations.size).toBe(0);
  });

  it("requires a workspace before consent", async () => {
    const page = await open();
    await page.goto(request());
    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    await page.getByRole("button", { name: "Allow" }).click();
    expect(await page.locator("input:invalid").count()).toBeGreaterThan(0);
    expect(program.visits).toEqual([]);
  });

  const isFull = process.env["MGMT_BROWSER_FULL"] === "1";
  const widths = [320, 768, 1440];
  describe.each(["light", "dark"] as const)("in the %s scheme", (colorScheme) => {
    it("does not overflow, and passes axe-core", async () => {
      const long = "Averyveryverylongunbrokennamewithoutspaces".repeat(2);
      const { id } = await server.engine.seed.user({ name: long, email: `${long}@example.com` });
      await server.engine.seed.workspace({ name: long, ownerId: id });
      const page = await open({ colorScheme });
      const errors = browserErrorsOf(page);
      const check = async (name: string): Promise<void> => {
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 });
          await saveScreenshot(page, `${name}-${colorScheme}-${String(width)}`);
          expect([width, await overflow(page)], name).toEqual([width, 0]);
          if (isFull) expect([width, await accessibilityProblems(page)], name).toEqual([width, []]);
        }
        expect(await accessibilityProblems(page), name).toEqual([]);
      };
      await page.goto(request());
      await check("sign-in");
      await page.getByRole("button", { name: "Ada Lovelace" }).click();
      await check("consent");
      await page.goto(request());
      await page.getByRole("button", { name: long }).click();
      await check("consent-long");
      expect(errors).toEqual([]);
      await page.goto(request({ client_id: "itgr_nobody" }));
      await check("refusal");
    });

    it("has the scheme's colors, so the content security policy allows the styles", async () => {
      const page = await open({ colorScheme });
      await page.goto(request());
      const colour: string = await page.evaluate(
        "getComputedStyle(document.querySelector('main')).backgroundColor",
      );
      expect(colour).toBe(colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(22, 26, 33)");
    });
  });

  it("refuses to be framed", async () => {
    const framing = await listen("localhost", () => ({ html: `<iframe src="${request()}"></iframe>` }));
    const page = await open();
    const errors = browserErrorsOf(page);
    await page.goto(framing.origin);
    await expect.poll(() => errors.join("\n")).toMatch(/frame/i);
    const [, frame] = page.frames();
    await expect.poll(() => frame?.url()).toMatch(/^chrome-error:/);
    expect(await frame?.getByText("Ada Lovelace").count()).toBe(0);
    framing.server.closeAllConnections();
    framing.server.close();
  });

  it("refuses a form submitted by another site", async () => {
    const { user, workspace } = server.engine.defaults;
    const hostile = await listen("localhost", () => ({
      html: `<form method="post" action="${request().replaceAll("&", "&amp;")}">
        <input name="user" value="${user.id}"><input name="workspace" value="${workspace.id}">
        <button name="decision" value="allow">Win a prize</button></form>`,
    }));
    const page = await open();
    await page.goto(request());
    await page.goto(hostile.origin);
    await page.getByRole("button", { name: "Win a prize" }).click();
    await page.getByRole("heading", { name: "Another site sent this request" }).waitFor();
    expect(program.visits).toEqual([]);
    expect(server.engine.rows.integrations.size).toBe(0);
    hostile.server.closeAllConnections();
    hostile.server.close();
  });

  it("does not run scripts in a name", async () => {
    const name = `<script>document.title="owned"</script><img src=x onerror="document.title='owned'">`;
    const { id } = await server.engine.oauth.registerClient({
      redirectUris: ["http://127.0.0.1/callback"],
      name,
    });
    const page = await open();
    await page.goto(request({ client_id: id }));
    await page.getByRole("button", { name: "Ada Lovelace" }).click();
    expect(await page.title()).toBe(`Allow ${name} · mgmt`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("<script>");
  });
});

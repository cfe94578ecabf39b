import { createHash, randomBytes } from "node:crypto";

const { authUrl, signInKey, cookie } = globalThis.input;
const verifier = randomBytes(32).toString("base64url");
const redirectUri = "http://127.0.0.1:9/callback";
const clientId = "itgr_mgmtcommandlineinterface";
const query = new URLSearchParams({
  response_type: "code",
  client_id: clientId,
  redirect_uri: redirectUri,
  scope: "workspace:admin",
  code_challenge: createHash("sha256").update(verifier).digest("base64url"),
  code_challenge_method: "S256",
});
const page = `${authUrl}/authorize?${query}`;
const { port } = new URL(authUrl);
const jar = new Map(cookie ? [[`mgmt_sign_in_${port}`, randomBytes(32).toString("base64url")]] : []);

const visit = async (form) => {
  const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") };
  const request = form
    ? { method: "POST", headers: { ...headers, origin: authUrl }, body: new URLSearchParams(form) }
    : { headers };
  const response = await fetch(page, { ...request, redirect: "manual" });
  for (const line of response.headers.getSetCookie()) {
    const [name, value] = line.split(";", 1)[0].split("=");
    jar.set(name, value);
  }
  return { text: await response.text(), location: response.headers.get("location") };
};
const valuesOf = (text, name) =>
  [...text.matchAll(new RegExp(`name="${name}"\\s+value="([^"]*)"`, "g"))].map(([, value]) => value);

if (signInKey) await visit({ signInKey });
const first = await visit();
const accounts = valuesOf(first.text, "user");
if (accounts.length === 0) {
  const fields = [...first.text.matchAll(/<(?:input|button)[^>]* name="(\w+)"/g)].map(([, name]) => name);
  console.log(JSON.stringify({ fields, accounts }));
} else {
  const [csrf] = valuesOf(first.text, "csrf");
  const consent = await visit({ csrf, user: accounts[0] });
  const [workspace] = valuesOf(consent.text, "workspace");
  const allowed = await visit({ csrf, user: accounts[0], workspace, decision: "allow" });
  const response = await fetch(`${authUrl}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id: clientId,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      code: new URL(allowed.location).searchParams.get("code"),
    }),
  });
  const { access_token: token, scope } = await response.json();
  const { status } = await fetch(`${authUrl}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  console.log(JSON.stringify({ scope, status }));
}

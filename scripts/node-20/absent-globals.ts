/**
 * What the build of the platform replaces with `undefined`: by these, `pg` recognizes Cloudflare. On Node.js 20, the first use of
 * `Response` loads the client of `fetch`.
 */
export const absentGlobals = { Response: "undefined", navigator: "undefined" };

/** How this command is known to the authorization server: a public client, sent back to loopback. */
export const clientId = "itgr_mgmtcommandlineinterface";

/** Where the browser is sent when nobody waits there, and its address is pasted; on loopback any port is registered. */
export const pasteRedirectUri = "http://127.0.0.1/callback";

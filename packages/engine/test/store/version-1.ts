import type { OAuthApi } from "../oauth/oauth-api.js";

/**
 * Fills a server (seed "oauth") with rows of every kind whose fields changed after version 1 of snapshots. The file
 * `snapshot-1.json` is the snapshot that a server of that version had after this.
 */
export const fillLikeVersion1 = async (api: OAuthApi): Promise<void> => {
  const { engine } = api;
  const { seed, clock } = engine;
  const project = await seed.project({ name: "first" });
  await engine.handle({
    method: "POST",
    path: "/v1/databases",
    headers: { authorization: `Bearer ${await engine.tokens.user()}`, "content-type": "application/json" },
    body: JSON.stringify({ projectId: project.id, name: "on a branch", branchGitName: "feature" }),
  });
  await seed.connection(project.database?.id ?? "", { name: "second" });
  await seed.app(project.id, { displayName: "assigned" });
  await seed.app(project.id, { displayName: "unassigned", branchId: null });
  const other = { workspaceId: api.residents.otherWorkspace.id };
  await seed.project({ name: "of another workspace" }, other);

  const { integration } = await seed.integration({ clientId: "itgr_mgmtsamplewebapplication" });
  await api.redeem(await api.code({ scope: "workspace:admin" }));
  await clock.advance(1_000);
  const { refreshToken } = await api.login();
  await clock.advance(60_000);
  await api.refresh(refreshToken);
  await api.code();
  (await api.store()).integrations.delete(integration.id);
};

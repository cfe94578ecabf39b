import { Octokit } from "@octokit/rest";

export const lister = (baseUrl, token) => {
  const octokit = new Octokit({ baseUrl, auth: token });
  return async () => (await octokit.rest.repos.listForOrg({ org: "mgmt" })).data.data;
};

import { createManagementApiClient } from "@prisma/management-api-sdk";

export const lister = (baseUrl, token) => {
  const client = createManagementApiClient({ baseUrl, token });
  return async () => (await client.GET("/v1/projects")).data?.data;
};

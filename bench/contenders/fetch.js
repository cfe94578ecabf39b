export const lister = (baseUrl, token) => {
  const headers = { authorization: `Bearer ${token}` };
  return async () => (await (await fetch(`${baseUrl}/v1/projects`, { headers })).json()).data;
};

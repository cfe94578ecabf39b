export const lister = (baseUrl, token) => {
  const headers = { authorization: `Bearer ${token}` };
  return async () => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), 60_000);
    try {
      const response = await fetch(`${baseUrl}/v1/projects`, { headers, signal: controller.signal });
      return (await response.json()).data;
    } finally {
      clearTimeout(timer);
    }
  };
};

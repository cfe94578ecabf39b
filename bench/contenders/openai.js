import { OpenAI } from "openai";

export const lister = (baseUrl, token) => {
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: token });
  return async () => (await client.models.list()).data;
};

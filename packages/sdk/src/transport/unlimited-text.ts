/** The replacement of `limited-text.ts` in builds for browsers. */
export function textOf(response: Response): Promise<string> {
  return response.text();
}

/** The contract, as `npm run build` writes it to `openapi.json`. */
interface OpenApiDocument {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, { operationId: string }>>;
  components: { schemas: Record<string, object> };
  "x-error-codes": Record<string, { status: number; description: string }>;
}

declare const document: OpenApiDocument;
export default document;

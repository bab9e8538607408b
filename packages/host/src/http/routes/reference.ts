import { referenceOperations as operations } from '@rostra/protocol/run-api/operations/reference';
import { JsonObject } from '@rostra/protocol/wire/json';
import { type ApiRoute, route } from '../api-route.ts';

interface Reference {
  readonly document: JsonObject;
  readonly page: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** The document is made when it is first asked for: it takes longer than any other answer. */
async function makeReference(version: string): Promise<Reference> {
  const [{ openApiDocument }, { referencePage }, { REFERENCE_HEADERS }] = await Promise.all([
    import('../openapi.ts'),
    import('../reference.ts'),
    import('../reference-style.ts'),
  ]);
  const document = openApiDocument(version);
  return {
    document: JsonObject.parse(JSON.parse(JSON.stringify(document))),
    page: Buffer.from(referencePage(document)),
    headers: REFERENCE_HEADERS,
  };
}

export function referenceRoutes({ version }: { version: string }): ApiRoute[] {
  let made: Promise<Reference> | null = null;
  const reference = () => {
    made ??= makeReference(version);
    return made;
  };
  return [
    route(operations.getOpenApi, async () => {
      const { document } = await reference();
      return { status: 200, body: document, headers: { 'Cache-Control': 'no-cache' } };
    }),
    route(operations.getReference, async ({ req, res }) => {
      const { page, headers } = await reference();
      res.writeHead(200, { ...headers, 'Content-Length': page.length });
      res.end(req.method === 'HEAD' ? undefined : page);
      return 'answered';
    }),
  ];
}

/** The text format of Prometheus. */
const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** `/metrics`: how the host does, for a Prometheus that has the owner's key. */
export function metricsPage(text: string): Response {
  return new Response(text, {
    headers: {
      'Content-Type': EXPOSITION_TYPE,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

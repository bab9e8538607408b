import { request } from 'node:http';

export interface Frame {
  id: string;
  /** The frame's bytes as they came, for comparing streams. */
  raw: string;
  event: { type: string; [key: string]: unknown };
}

/** Reads an SSE stream to its end, or cuts it after `most` frames. A refusal rejects with its status and body. */
export function readFrames(
  url: string,
  headers: Record<string, string>,
  most = Number.POSITIVE_INFINITY,
): Promise<Frame[]> {
  return new Promise((resolve, reject) => {
    const frames: Frame[] = [];
    let rest = '';
    const req = request(url, { headers }, (res) => {
      res.setEncoding('utf8');
      res.on('data', (text: string) => {
        rest += text;
        if (res.statusCode !== 200) return;
        const parts = rest.split('\n\n');
        rest = parts.pop() ?? '';
        for (const part of parts) {
          const frame = parseFrame(part);
          if (frame !== null && frames.length < most) frames.push(frame);
        }
        if (frames.length < most) return;
        resolve(frames);
        req.destroy();
      });
      res.on('end', () => {
        if (res.statusCode === 200 || res.statusCode === 204) resolve(frames);
        else reject(new Error(`${res.statusCode} ${rest}`));
      });
      res.on('error', (error) => (frames.length > 0 ? resolve(frames) : reject(error)));
    });
    req.on('error', (error) => (frames.length > 0 ? resolve(frames) : reject(error)));
    req.end();
  });
}

function parseFrame(raw: string): Frame | null {
  const id = /^id: (.*)$/m.exec(raw)?.[1];
  const data = /^data: (.*)$/m.exec(raw)?.[1];
  if (id === undefined || data === undefined) return null;
  return { id, raw, event: JSON.parse(data) as Frame['event'] };
}

export function textOf(frames: Frame[]): string {
  return frames.map(({ event }) => (event.type === 'TEXT_MESSAGE_CONTENT' ? event.delta : '')).join('');
}

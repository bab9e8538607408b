import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { FakeResponse } from './fake-response.ts';
import { principal, Scene } from './hub-scene.ts';

describe('a place that was taken for a stream', () => {
  it('is of no use once what proved its reader to ask has ended', async () => {
    const scene = new Scene();
    scene.begin();
    scene.announce(2);
    const res = new FakeResponse() as unknown as ServerResponse;
    const place = scene.hub.reserve(principal, res);
    scene.cuts[0]?.cut();
    const following = scene.hub.follow(scene.turn, { principal, place, cursor: null }, res);
    await expect(following).rejects.toThrow('this key is not valid any more');
    expect(scene.hub.streams).toBe(0);
  });

  it('is given back when the answer is over, whether anything was streamed or not', async () => {
    const scene = new Scene();
    let open = 0;
    scene.access = {
      open: () => {
        open += 1;
        return () => {
          open = 0;
        };
      },
    };
    const [res, gone] = [new FakeResponse(), new FakeResponse()];
    scene.hub.reserve(principal, res as unknown as ServerResponse);
    expect(open).toBe(1);
    res.destroy();
    expect(open).toBe(0);
    gone.destroy();
    scene.hub.reserve(principal, gone as unknown as ServerResponse);
    expect(open).toBe(0);
  });
});

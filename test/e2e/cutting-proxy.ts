import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Passes connections on to a host, and cuts all of them when it is told to. */
export class CuttingProxy {
  readonly #sockets = new Set<Socket>();
  readonly #server;
  connections = 0;

  constructor(target: string) {
    const { hostname, port } = new URL(target);
    this.#server = createServer((near) => {
      this.connections += 1;
      const far = connect(Number(port), hostname);
      near.pipe(far);
      far.pipe(near);
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on('close', () => {
          this.#sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
        // A cut is what is wanted here.
        socket.on('error', () => undefined);
      }
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

import { type FileHandle, open } from 'node:fs/promises';

const PIECE = 1024 * 1024;

/** Reads a file from its beginning to its end, in the pieces that are asked for. */
export class ByteSource {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async open(path: string): Promise<ByteSource> {
    return new ByteSource(await open(path, 'r'));
  }

  /** Exactly so many bytes; a RangeError when the file ends before. */
  async take(size: number): Promise<Buffer> {
    const bytes = Buffer.alloc(size);
    for (let read = 0; read < size; ) {
      const { bytesRead } = await this.#file.read(bytes, read, size - read, null);
      if (bytesRead === 0) throw new RangeError('the file ends too early');
      read += bytesRead;
    }
    return bytes;
  }

  async *pieces(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      const piece = await this.take(Math.min(left, PIECE));
      yield piece;
      left -= piece.length;
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

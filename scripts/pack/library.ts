/** A package of this repository for somebody outside of it: bundled code, declarations, and nothing that it depends on. */
export interface Library {
  /** Its folder in `packages`. */
  readonly folder: string;
  /** Its entries, the files of `src` and of `dist` alike; `index` is the package itself. */
  readonly entries: readonly string[];
  /** The packages of this repository that it is made of beside itself. */
  readonly of: readonly string[];
  /** The npm packages that are bundled into it. */
  readonly bundled: readonly string[];
  /** What its declarations take for given. */
  readonly platform: 'node' | 'browser';
}

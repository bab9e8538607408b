/** A vector at first sight: which of its numbers are above zero, a bit each. */
export function sketchOf(vector: Float32Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 8));
  for (let at = 0; at < vector.length; at += 1) {
    if ((vector[at] ?? 0) > 0) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return bits;
}

/** How many bits differ. */
export function hammingDistance(a: Uint8Array, b: Uint8Array): number {
  let differing = 0;
  for (let at = 0; at < a.length; at += 1) {
    for (let bits = (a[at] ?? 0) ^ (b[at] ?? 0); bits !== 0; bits &= bits - 1) differing += 1;
  }
  return differing;
}

/** 0 for the same direction, 2 for the opposite one; null where a vector has no direction. */
export function cosineDistance(a: Float32Array, b: Float32Array): number | null {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [x, y] = [a[at] ?? 0, b[at] ?? 0];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  const size = Math.sqrt(ofA) * Math.sqrt(ofB);
  return size === 0 ? null : 1 - product / size;
}

/** Bytes as a column holds a vector. */
export function vectorOf(bytes: Uint8Array): Float32Array {
  const whole = bytes.byteLength - (bytes.byteLength % 4);
  return new Float32Array(bytes.slice(0, whole).buffer);
}

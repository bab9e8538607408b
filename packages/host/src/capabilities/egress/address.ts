import { isIPv4, isIPv6 } from 'node:net';

/** Ranges of IPv4 that are nobody's on the public internet: this network, private, shared, loopback, link-local, … */
const closed4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** All of IPv6 that is given out for the public internet; what is mapped, translated, local or multicast lies outside. */
const open6 = '2000::/3';
/** What lies within and carries or stands for something else: Teredo and protocols, documentation, 6to4. */
const closed6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

interface Range {
  readonly bytes: readonly number[];
  readonly bits: number;
}

/** Read when first asked for: a start has no use for them. */
let ranges: { readonly closed4: readonly Range[]; readonly open6: Range; readonly closed6: readonly Range[] } | null =
  null;

/** Whether an address, as resolvers and urls write it, is one of the public internet. Anything unknown is not. */
export function isPublicAddress(address: string): boolean {
  const bytes = bytesOf(address);
  if (bytes === null) return false;
  ranges ??= { closed4: closed4.map(rangeOf), open6: rangeOf(open6), closed6: closed6.map(rangeOf) };
  if (bytes.length === 4) return !ranges.closed4.some((range) => isWithin(bytes, range));
  return isWithin(bytes, ranges.open6) && !ranges.closed6.some((range) => isWithin(bytes, range));
}

/** The bytes of an address; null for what is none, or is one of some interface only. */
function bytesOf(address: string): readonly number[] | null {
  if (isIPv4(address)) return address.split('.').map(Number);
  if (!isIPv6(address) || address.includes('%')) return null;
  const [head = '', tail] = address.split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const gap = new Array<number>(16 - before.length - after.length).fill(0);
  return [...before, ...gap, ...after];
}

/** Groups of sixteen bits; the last one may be an address of IPv4. */
function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

function rangeOf(text: string): Range {
  const [address = '', bits = ''] = text.split('/');
  const bytes = bytesOf(address);
  if (bytes === null) throw new Error(`${text} is no range of addresses`);
  return { bytes, bits: Number(bits) };
}

function isWithin(bytes: readonly number[], range: Range): boolean {
  return range.bytes.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, range.bits - index * 8));
    const mask = (0xff << (8 - bits)) & 0xff;
    return ((bytes[index] ?? 0) & mask) === (byte & mask);
  });
}

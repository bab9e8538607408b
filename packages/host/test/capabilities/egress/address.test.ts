import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../src/capabilities/egress/address.ts';

describe('an address of the public internet', () => {
  it.each(['1.1.1.1', '8.8.8.8', '93.184.216.34', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1'])(
    'is %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each(['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:400f:80d::200e', '2001:200::1'])(
    'is %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.170',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
  ])('is not %s', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:4136:e378::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    '3fff::1',
    'fc00::1',
    'fd00::1',
    'fdff:ffff::1',
    'fe80::1',
    'fe80::1%lo',
    '2606:4700:4700::1111%lo',
    'fec0::1',
    'ff02::1',
    '5f00::1',
  ])('is not %s', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(['', 'localhost', '127.1', '0x7f.0.0.1', '010.0.0.1', '1.1.1.1.', '[::1]', '1.1.1'])(
    'is not what is no address: "%s"',
    (address) => expect(isPublicAddress(address)).toBe(false),
  );

  it('is the same however its zeros are written', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const plain = groups.map((each) => each.toString(16)).join(':');
        const padded = groups.map((each) => each.toString(16).padStart(4, '0').toUpperCase()).join(':');
        const { hostname } = new URL(`http://[${plain}]/`);
        expect(isPublicAddress(hostname.slice(1, -1))).toBe(isPublicAddress(plain));
        expect(isPublicAddress(padded)).toBe(isPublicAddress(plain));
      }),
    );
  });
});

const OWN = 'attachment:';

/** How what the host keeps is named until somebody wants to load it. */
export function ownAddress(id: string): string {
  return `${OWN}${id}`;
}

/** What an address names of what the host keeps; null when it leads elsewhere. */
export function ownId(address: string): string | null {
  return address.startsWith(OWN) ? address.slice(OWN.length) : null;
}

/** Signing in and out, and the choice of a brand. */
export const signIn = {
  title: 'Sign in',
  purpose:
    'Every quote, order, shipment, receipt and payment of a brand, and how they are connected.',
  key: 'API key',
  submit: 'Sign in',
  busy: 'Signing in …',
  keep: 'Keep me signed in on this device',
  note: 'The key stays in the open tabs of this browser and is forgotten when you close them.',
  keptNote: (days: number) =>
    `The key is stored in this browser for ${days} days, or until you sign out. Everyone who uses this browser can use it.`,
  linkNote: '`npm start` prints a link that signs you in.',
  keptOver: `You were signed out because the time that this browser keeps a key is over. Sign in again.`,
  chooseBrand: 'Choose a brand',
  noBrands: 'This key is valid, but this server has none of its brands.',
  expired: 'You were signed out because the key has expired. Sign in with another key.',
  refused:
    'You were signed out because the server no longer accepts the key. It may have been revoked. Sign in with another key.',
  brandNotAvailable: 'Brand not available',
  readableBrands: 'This key can read:',
  anotherKey: 'Sign in with another key',
}

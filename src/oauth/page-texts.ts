/** The texts of the consent page. */
export interface PageTexts {
  readonly unnamed: string
  readonly thisComputer: string
  readonly keyTitle: (client: string) => string
  readonly receiver: (where: string) => string
  readonly unverified: string
  readonly key: string
  readonly keyNote: string
  readonly continue: string
  readonly cancel: string
  readonly allowTitle: (client: string) => string
  readonly client: string
  readonly where: string
  readonly keyName: string
  readonly brands: string
  readonly allBrands: string
  readonly more: (count: number) => string
  readonly noBrands: string
  readonly groups: string
  readonly until: string
  readonly untilRevoked: string
  readonly allowNote: string
  /** For a key that is limited to groups. */
  readonly allowGroupsNote: string
  readonly allow: string
  readonly refusedTitle: string
  readonly back: (where: string) => string
  readonly invalidKey: string
  readonly expiredKey: string
  readonly foreignAddress: string
  readonly ticketOver: string
}

const en: PageTexts = {
  unnamed: 'An assistant without a name',
  thisComputer: 'a program on this computer',
  keyTitle: (client) => `${client} asks to read records`,
  receiver: (where) => `Access goes to ${where}.`,
  unverified:
    'The assistant chose its name itself; it is not verified. Continue only if you have just started this connection.',
  key: 'API key',
  keyNote:
    'Use a key of its own for each assistant, for one brand and with an expiry date. The assistant does not get the key, and this page does not store it.',
  continue: 'Continue',
  cancel: 'Cancel',
  allowTitle: (client) => `Allow ${client} to read these records?`,
  client: 'Assistant',
  where: 'Access goes to',
  keyName: 'Key',
  brands: 'Brands',
  allBrands: 'All brands, also those that are added later',
  more: (count) => `and ${count} more`,
  noBrands: 'None of the brands of this key exists',
  groups: 'Groups of records',
  until: 'Until',
  untilRevoked: 'The key is revoked',
  allowNote:
    'The assistant can read all records of these brands. It cannot change anything. To end its access, remove the connection there, or revoke the key.',
  allowGroupsNote:
    'The assistant can read the records of these groups and brands. It cannot change anything. To end its access, remove the connection there, or revoke the key.',
  allow: 'Allow',
  refusedTitle: 'This connection cannot be made',
  back: (where) => `Back to ${where}`,
  invalidKey: 'This API key is not valid: unknown, mistyped or revoked.',
  expiredKey: 'This API key has expired.',
  foreignAddress: 'This API key may not be used from your IP address.',
  ticketOver: 'This page was used already, or is too old. Enter the key again.',
}

const de: PageTexts = {
  unnamed: 'Ein Assistent ohne Namen',
  thisComputer: 'ein Programm auf diesem Rechner',
  keyTitle: (client) => `${client} möchte Datensätze lesen`,
  receiver: (where) => `Den Zugriff erhält ${where}.`,
  unverified:
    'Den Namen hat der Assistent selbst gewählt; er ist nicht geprüft. Fahren Sie nur fort, wenn Sie diese Verbindung gerade selbst begonnen haben.',
  key: 'API-Schlüssel',
  keyNote:
    'Verwenden Sie für jeden Assistenten einen eigenen Schlüssel, für eine Marke und mit Ablaufdatum. Der Assistent erhält den Schlüssel nicht, und diese Seite speichert ihn nicht.',
  continue: 'Weiter',
  cancel: 'Abbrechen',
  allowTitle: (client) => `Darf ${client} diese Datensätze lesen?`,
  client: 'Assistent',
  where: 'Den Zugriff erhält',
  keyName: 'Schlüssel',
  brands: 'Marken',
  allBrands: 'Alle Marken, auch später hinzugefügte',
  more: (count) => `und ${count} weitere`,
  noBrands: 'Keine der Marken dieses Schlüssels existiert',
  groups: 'Gruppen von Datensätzen',
  until: 'Bis',
  untilRevoked: 'der Schlüssel widerrufen wird',
  allowNote:
    'Der Assistent kann alle Datensätze dieser Marken lesen. Er kann nichts ändern. Um den Zugriff zu beenden, entfernen Sie dort die Verbindung oder widerrufen den Schlüssel.',
  allowGroupsNote:
    'Der Assistent kann die Datensätze dieser Gruppen und Marken lesen. Er kann nichts ändern. Um den Zugriff zu beenden, entfernen Sie dort die Verbindung oder widerrufen den Schlüssel.',
  allow: 'Erlauben',
  refusedTitle: 'Diese Verbindung ist nicht möglich',
  back: (where) => `Zurück zu ${where}`,
  invalidKey: 'Dieser API-Schlüssel ist nicht gültig: unbekannt, vertippt oder widerrufen.',
  expiredKey: 'Dieser API-Schlüssel ist abgelaufen.',
  foreignAddress: 'Dieser API-Schlüssel darf von Ihrer IP-Adresse aus nicht verwendet werden.',
  ticketOver:
    'Diese Seite wurde schon benutzt oder ist zu alt. Geben Sie den Schlüssel noch einmal ein.',
}

export const pageTexts = { en, de } as const
export type PageLanguage = keyof typeof pageTexts

/** The first of the browser's languages that the page supports. The console chooses in the same way. */
export const chooseLanguage = (acceptLanguage: string | undefined): PageLanguage => {
  const preferred = (acceptLanguage ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
      const quality = parameters.find((each) => each.startsWith('q='))
      return { name: name.split('-')[0] ?? '', weight: quality ? Number(quality.slice(2)) : 1 }
    })
    .filter(({ name, weight }) => Object.hasOwn(pageTexts, name) && weight > 0)
    .sort((a, b) => b.weight - a.weight)
  return (preferred[0]?.name ?? 'en') as PageLanguage
}

import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'

/** The brands of the installation. */
export const brands = {
  title: 'Brands',
  about:
    'What each brand has, where its records come from, and which checks refuse records on the way in.',
  empty: 'There is no brand yet. Add one, then import its records and issue a key for it.',
  add: 'Add brand',
  added: (name: string) => `${name} is added. It has no records yet.`,
  fields: {
    slug: {
      label: 'Slug',
      note: 'The name in addresses: small letters, digits and hyphens. It cannot be changed.',
    },
    name: { label: 'Name', note: 'What people call the brand.' },
    country: { label: 'Country', note: 'Two letters (ISO 3166-1), such as US.' },
    currency: { label: 'Currency of totals', note: 'Three letters (ISO 4217), such as USD.' },
    timezone: { label: 'Time zone', note: 'A name such as Europe/Berlin.' },
  },
  brand: 'Brand',
  records: 'Records',
  own: (count: number) => `${countText(count)} own`,
  size: 'Size',
  aboutSize: (size: string) => `about ${size}`,
  unknown: 'unknown',
  changed: 'Last change',
  lastImport: (moment: string, changed: number) =>
    `Last import ${moment}: ${countText(changed)} changed`,
  sources: 'Sources',
  noSources: 'none',
  sourceCount: (count: number) => counted(count, 'source', 'sources'),
  waiting: (count: number) => `${counted(count, 'unit', 'units')} waiting`,
  failing: (count: number) => `${countText(count)} failing`,
  quarantinedUnits: (count: number) => `${counted(count, 'unit', 'units')} in quarantine`,
  quarantinedRows: (count: number) => `${counted(count, 'row', 'rows')} in quarantine`,
  checks: 'Checks',
  modes: { enforce: 'refuse', warn: 'report' },
  modeSentences: {
    enforce: 'Refuse records that break a check',
    warn: 'Store them, and report what is wrong',
  },
  withExceptions: (mode: string, count: number) =>
    `${mode}, ${counted(count, 'exception', 'exceptions')}`,
  findings: 'Findings',
  unchecked: 'not checked yet',
  noFindings: 'none',
  errors: (count: number) => counted(count, 'error', 'errors'),
  warnings: (count: number) => counted(count, 'warning', 'warnings'),
  actions: 'Actions',
  shared: 'Records that all brands share. Checks:',
  sharedName: 'shared records',
  changeChecks: 'Change checks …',
  checksOf: (name: string) => `Checks of ${name}`,
  checksAbout:
    'Checks look at new and changed values: codes such as currencies, and numbers that must be unique. Stored records stay as they are.',
  everyCheck: 'What a check does',
  exceptions: 'Exceptions',
  exceptionsNote: (mode: string) => `These checks do the other: ${mode}.`,
  addException: 'Add a check …',
  removeException: (check: string) => `Remove ${check}`,
  saveChecks: 'Save and count',
  checksSaved: (name: string) => `The checks of ${name} are saved`,
  noneBroken: 'No stored record breaks a check.',
  broken:
    'Stored records break these checks. They stay, and are not refused if they arrive unchanged.',
  check: 'Check',
  mode: 'Mode',
  remove: 'Remove …',
  removeTitle: (name: string) => `Remove ${name}`,
  removeNow: 'Remove for good',
  removeSentence:
    'This removes the brand with everything that belongs to it. It cannot be undone: only a backup brings it back.',
  removed: (name: string, records: number) =>
    `${name} is removed, with ${counted(records, 'record', 'records')}.`,
  removeImages: 'Also remove its image files from the image storage',
  rows: 'Rows in quarantine',
  usageRows: 'Rows of usage',
  imageFiles: 'Image files',
  byGroup: (count: number) => `Records in ${counted(count, 'group', 'groups')}`,
  keysStay: (count: number) =>
    `${counted(count, 'key names', 'keys name')} this brand and will stay. Revoke what is no longer needed:`,
}

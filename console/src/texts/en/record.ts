import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'

/** One record: its fields and the records that refer to it. */
export const record = {
  notFound: (kind: string) => `${kind} not found`,
  notAvailable: (kind: string) => `${kind} not available`,
  copyId: 'Copy identifier',
  copyJson: 'Copy as JSON',
  rawJson: 'Raw JSON',
  deleted: 'deleted',
  image: 'Image',
  images: 'Images',
  moreImages: (count: number) => `and ${countText(count)} more`,
  referencedBy: 'Referenced by',
  unreferenced: 'No other group refers to this one.',
  through: (name: string) => `through ${name}`,
  noFilter: 'no filter',
  topics: {
    general: 'General',
    figures: 'Quantities and amounts',
    dates: 'Dates',
    references: 'References',
    technical: 'Technical',
  },
  emptyFields: (count: number) => counted(count, 'field without a value', 'fields without a value'),
  meaningOf: (label: string) => `Meaning of ${label}`,
}

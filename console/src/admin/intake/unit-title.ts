import type { OperatorImport, OperatorUnit } from '../../../../src/contract/index.ts'
import { adminTexts } from '../../texts/admin.ts'
import { texts } from '../../texts/index.ts'
import type { Tone } from '../../values.ts'
import { sharedOwner } from '../brand-filter.tsx'

type UnitPosition = Pick<OperatorUnit, 'kind' | 'position'>

/** What people call a unit: `File orders.csv`. The hash after the name of a file says nothing to them. */
export const unitTitle = ({ kind, position }: UnitPosition): string => {
  const name = kind === 'file' ? placeOf(position).replace(/^.*[\\/]/, '') : placeOf(position)
  return [texts().sources.unitKinds[kind], name].filter(Boolean).join(' ')
}

/** A place in a source without the hash of a file. */
export const placeOf = (position: string | null): string =>
  (position ?? '').replace(/ (sha256:[0-9a-f]{64}|unread)$/, '')

export const unitTones: Record<OperatorUnit['state'], Tone> = {
  waiting: 'quiet',
  working: 'plain',
  done: 'good',
  refused: 'bad',
  quarantined: 'warn',
}

export const unitLink = (id: string): string => `/intake/${encodeURIComponent(id)}`

export const importLink = ({ id }: Pick<OperatorImport, 'id'>): string =>
  `/imports/${encodeURIComponent(id)}`

/** The slug of a brand, or what stands for all of them. */
export const ownerText = (brand: string): string =>
  brand === sharedOwner ? adminTexts().intake.shared : brand

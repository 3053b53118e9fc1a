/** A small catalog, and records of it, that a store is tried with. */
import { amount, id, integer, nullable, object, ref, text } from '#contract'
import type { Database } from '#database'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'

export interface OpenedForStore {
  /** A new, empty database. */
  readonly database: Database
  close(): Promise<void>
}

export const described = { domain: 'orders', origin: 'designed', summary: 'For trying.' } as const

export const colours = resource({
  ...described,
  group: 'Colours',
  path: 'colours',
  name: 'Colour',
  title: 'name',
  scope: 'shared',
  fields: { id: id(), name: text() },
  filters: ['name'],
})

export const crates = resource({
  ...described,
  group: 'Crates',
  path: 'crates',
  name: 'Crate',
  scope: 'brand',
  fields: {
    id: id(),
    colourId: nullable(ref('colours')),
    code: text(),
    size: integer(),
    weight: amount('weightKg'),
    label: object({ state: text() }),
  },
  filters: [
    'colourId',
    'code',
    'size',
    ['labelState', 'label.state'],
    ['rackId', { collection: 'places', match: 'crateId' }],
  ],
})

export const places = resource({
  ...described,
  group: 'Places',
  path: 'places',
  name: 'Place',
  scope: 'brand',
  key: ['crateId', 'rackId', 'slot'],
  fields: { crateId: ref('crates'), rackId: id(), slot: text(), note: nullable(text()) },
  filters: ['crateId', 'rackId'],
})

export const brand = resource({
  ...described,
  group: 'Brand',
  path: 'brand',
  name: 'Brand',
  scope: 'brand',
  lookup: 'name',
  fields: { id: id(), name: text() },
})

export const small = joinCatalog([brand, colours, crates, places])

export const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
export const crate = (n: number, changed: object = {}) => ({
  id: uuid(n),
  colourId: null,
  code: `C-${n % 10}`,
  size: n % 3,
  weight: '1.50',
  label: { state: 'new' },
  ...changed,
})

/** What the store promises, on every engine. */

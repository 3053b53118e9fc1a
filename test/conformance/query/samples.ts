/** A small catalog with a field of every kind, and random records of it. */
import { amount, date, flag, id, integer, nullable, object, ref, text, timestamp } from '#contract'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import { seeded } from '../../support/model.ts'
import { brand, colours, described, uuid } from '../store/samples.ts'

/** Of every kind, each with and without nulls. */
export const parcels = resource({
  ...described,
  group: 'Parcels',
  path: 'parcels',
  name: 'Parcel',
  title: 'code',
  scope: 'brand',
  base: { rate: 'rate', amounts: { price: 'priceBase' } },
  fields: {
    id: id(),
    colourId: nullable(ref('colours')),
    code: text(),
    name: nullable(text()),
    pieces: integer(),
    balance: nullable(integer()),
    isFragile: flag(),
    weight: amount('weightKg'),
    currency: text({ code: 'currency' }),
    rate: nullable(amount('rate')),
    price: nullable(amount('money', 'currency')),
    priceBase: nullable(amount('money', 'brand.baseCurrencyCode')),
    size: text({ values: ['small', 'large', 'Large', 'ünlike'] }),
    packedOn: date(),
    dueOn: nullable(date()),
    label: object({ state: text(), note: nullable(text()) }),
    sentAt: nullable(timestamp()),
    updatedAt: timestamp(),
  },
  filters: [
    'colourId',
    'code',
    'pieces',
    'packedOn',
    'size',
    ['labelState', 'label.state'],
    ['carrierId', { collection: 'stops', match: 'parcelId' }],
  ],
  sortable: ['name', 'pieces', 'balance', 'weight', 'price', 'packedOn', 'dueOn', 'sentAt'],
})

export const stops = resource({
  ...described,
  group: 'Stops',
  path: 'stops',
  name: 'Stop',
  scope: 'brand',
  fields: {
    id: id(),
    parcelId: ref('parcels'),
    carrierId: id(),
    sequence: integer(),
    fee: nullable(amount('money')),
  },
  filters: ['parcelId', 'carrierId'],
})

/** Identified by several fields. */
export const slots = resource({
  ...described,
  group: 'Slots',
  path: 'slots',
  name: 'Slot',
  scope: 'brand',
  key: ['parcelId', 'place'],
  fields: {
    parcelId: ref('parcels'),
    place: text(),
    depth: nullable(integer()),
    seenOn: nullable(date()),
    updatedAt: timestamp(),
  },
  filters: ['parcelId'],
  sortable: ['depth'],
})

export const queried = joinCatalog([brand, colours, parcels, stops, slots])

export type SampleRecord = { readonly [name: string]: unknown }

export interface Samples {
  readonly parcels: readonly SampleRecord[]
  readonly stops: readonly SampleRecord[]
  readonly slots: readonly SampleRecord[]
}

const names = [
  null,
  'Łódź GmbH',
  'lodz gmbh',
  'LODZ  GmbH',
  "O'Brien & Søns",
  'obrien',
  '東京商店',
  '東京 2',
  'Straße',
  'strasse 7',
  'Ünal',
  'unal',
  '',
  'a',
  'A%_b',
  '😀 parcel',
  'zz',
]
const amounts = [
  '0',
  '0.00',
  '-0.5',
  '-10.25',
  '-9.99',
  '1.5',
  '1.50',
  '1.500000000000000000001',
  '9',
  '10',
  '99.99',
  '100.00',
  '12345678901234567890.123456789',
  '-12345678901234567890.123456789',
]
const rates = ['0.1', '1', '1.0000000000000000000001', '0.020833', '34.5', '0.0']
const days = ['2025-12-31', '2026-02-28', '2026-03-01', '2026-03-02', '2026-03-08', '2027-01-01']
const instants = [
  '2026-02-28T23:59:59.999Z',
  '2026-03-01T00:00:00.000Z',
  '2026-03-01T00:00:00.001Z',
  '2026-03-01T12:00:00.000Z',
  '1969-12-31T23:59:59.000Z',
]

/** Random records; equal values and nulls are frequent. */
export const drawSamples = (seed: number, count: number): Samples => {
  const draw = seeded(seed)
  const oneOf = <T>(values: readonly T[]): T => values[draw(values.length)] as T
  const orNull = <T>(value: T): T | null => (draw(3) === 0 ? null : value)
  const parcelOf = (n: number) => ({
    id: uuid(n * 7),
    colourId: orNull(uuid(1 + draw(2))),
    code: `P-${draw(8)}`,
    name: oneOf(names),
    pieces: draw(5),
    balance: orNull(draw(7) - 3),
    isFragile: draw(2) === 0,
    weight: oneOf(amounts),
    currency: oneOf(['EUR', 'USD', 'TRY']),
    rate: orNull(oneOf(rates)),
    price: orNull(oneOf(amounts)),
    priceBase: draw(4) === 0 ? oneOf(amounts) : null,
    size: oneOf(['small', 'large', 'Large', 'ünlike']),
    packedOn: oneOf(days),
    dueOn: orNull(oneOf(days)),
    label: { state: oneOf(['new', 'sent', 'lost']), note: orNull('x') },
    sentAt: orNull(oneOf(instants)),
    updatedAt: oneOf(instants),
  })
  const drawn = Array.from({ length: count }, (_, index) => parcelOf(index + 1))
  return {
    parcels: drawn,
    stops: Array.from({ length: count * 2 }, (_, index) => ({
      id: uuid(100_000 + index),
      parcelId: oneOf(drawn).id,
      carrierId: uuid(1 + draw(4)),
      sequence: draw(4),
      fee: orNull(oneOf(amounts)),
    })),
    slots: drawn.flatMap((parcel) =>
      ['a', 'b,1', 'ü'].slice(draw(3)).map((place) => ({
        parcelId: parcel.id,
        place,
        depth: orNull(draw(4)),
        seenOn: orNull(oneOf(days)),
        updatedAt: oneOf(instants),
      })),
    ),
  }
}

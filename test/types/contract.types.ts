/** Checked by the compiler alone: each line that must not compile is expected not to. */
import {
  amount,
  type definitions,
  id,
  integer,
  nullable,
  object,
  type RecordAt,
  type RecordOf,
  ref,
  type Sound,
  text,
} from '#contract'
import { resource } from '../../src/contract/resource.ts'

type PackingList = RecordOf<typeof definitions.packingLists>

export const reads = (list: PackingList) => {
  const identity: string = list.id
  const cartons: number | null = list.statedTotalCartons
  const weight: string | null = list.statedNetWeightKg
  // @ts-expect-error it may be null
  const surely: string = list.orderId
  // @ts-expect-error an amount is a string
  const figure: number | null = list.statedVolumeCbm
  // @ts-expect-error there is no such field
  list.statedColour
  // @ts-expect-error records are not written to
  list.grain = 'sku'
  return { identity, cartons, weight, surely, figure }
}

export const readsNested = (partner: RecordAt<'partners'>) => {
  const status: string = partner.relationship.status
  const names: readonly string[] | null = partner.certifications
  // @ts-expect-error there is no such field
  partner.relationship.state
  return { status, names }
}

// @ts-expect-error there is no such collection
export type NoRecord = RecordAt<'packing-list'>

const described = {
  group: 'Crates',
  path: 'crates',
  name: 'Crate',
  domain: 'logistics',
  scope: 'brand',
  origin: 'designed',
  summary: 'A crate.',
} as const

const fields = {
  id: id(),
  orderId: nullable(ref('orders')),
  size: integer(),
  weight: amount('weightKg'),
  label: object({ code: text(), height: amount('lengthCm') }),
}

export const crates = resource({
  ...described,
  fields,
  key: ['id'],
  parent: 'orderId',
  title: 'size',
  filters: ['orderId', 'size', ['labelCode', 'label.code']],
})

// @ts-expect-error the key names no field
resource({ ...described, fields, key: ['code'] })
// @ts-expect-error the filter names no field
resource({ ...described, fields, filters: ['orderID'] })
// @ts-expect-error amounts are not filtered by
resource({ ...described, fields, filters: ['weight'] })
// @ts-expect-error the nested filter names no field
resource({ ...described, fields, filters: [['labelCode', 'label.codes']] })
// @ts-expect-error the parent is not a reference
resource({ ...described, fields, parent: 'size' })
// @ts-expect-error the title names no field
resource({ ...described, fields, title: 'name' })
// @ts-expect-error the natural key names no field
resource({ ...described, fields, unique: [['code']] })
// @ts-expect-error there is no such domain
resource({ ...described, domain: 'warehouse', fields })

/** Definitions whose references or filters point nowhere are refused as a whole. */
const orders = resource({ ...described, path: 'orders', fields: { id: id() } })
const pallets = resource({
  ...described,
  path: 'pallets',
  fields: { id: id(), crateId: ref('crate') },
})
const lost = resource({
  ...described,
  path: 'lost',
  fields: { id: id() },
  filters: [['orderId', { collection: 'crates', match: 'lostId' }]],
})

export const whole: Sound<{ orders: typeof orders; crates: typeof crates }> = { orders, crates }
// @ts-expect-error crates refers to orders, which is not there
export const incomplete: Sound<{ crates: typeof crates }> = { crates }
type Misspelled = { orders: typeof orders; crates: typeof crates; pallets: typeof pallets }
// @ts-expect-error the collection is called crates
export const misspelled: Sound<Misspelled> = { orders, crates, pallets }

type Unmatched = { orders: typeof orders; crates: typeof crates; lost: typeof lost }
// @ts-expect-error crates has no field lostId
export const unmatched: Sound<Unmatched> = { orders, crates, lost }

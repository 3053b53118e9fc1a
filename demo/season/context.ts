import type { Library } from './library.ts'
import type { Carrier } from './partners.ts'
import type { Places } from './places.ts'
import type { Offer } from './quotes.ts'
import type { Random } from './random.ts'
import type { Put } from './record-buffer.ts'
import type { SampleSource } from './samples.ts'
import type { Stock } from './stock.ts'
import type { StoryRecords } from './story-records.ts'
import type { Style } from './styles.ts'
import type { Wording } from './wording.ts'

/** A style that can be ordered, with its offer. */
export interface Offered {
  readonly style: Style
  readonly offer: Offer
}

/** Serial numbers of the season. Each is incremented before use. */
export interface Serials {
  shipment: number
  booking: number
  carton: number
  invoice: number
  payment: number
  receipt: number
  damagePicture: number
}

/** Everything that exists before the first order is placed. */
export interface SeasonContext {
  readonly put: Put
  readonly random: Random
  readonly wording: Wording
  readonly library: Library
  readonly places: Places
  /** By the index of the warehouse that they serve. */
  readonly carriers: readonly Carrier[]
  readonly offered: readonly Offered[]
  readonly samples: SampleSource
  readonly stock: Stock
  readonly serials: Serials
  readonly shared: SharedIds
}

/** Identities of shared records that every order uses. */
export interface SharedIds {
  readonly piece: string
  readonly ocean: readonly string[]
  readonly air: readonly string[]
  readonly roadEurope: string
  readonly roadAmerica: string
  readonly rail: string
  readonly document: Record<DocumentCode, string>
}

export type DocumentCode =
  | 'order'
  | 'commercial_invoice'
  | 'packing_list'
  | 'bill_of_lading'
  | 'air_waybill'
  | 'payment_proof'
  | 'payment_agreement'
  | 'credit_note'

export const sharedIdsOf = (story: StoryRecords): SharedIds => {
  const courier = (code: string) => story.idOf('couriers', 'code', code)
  const document = (code: DocumentCode) => story.idOf('document-types', 'code', code)
  return {
    piece: story.idOf('units-of-measure', 'code', 'C62'),
    ocean: [courier('ATLN'), courier('ORES')],
    air: [courier('LUSA'), courier('BORE')],
    roadEurope: courier('DOUR'),
    roadAmerica: courier('NJTR'),
    rail: courier('ALPR'),
    document: {
      order: document('order'),
      commercial_invoice: document('commercial_invoice'),
      packing_list: document('packing_list'),
      bill_of_lading: document('bill_of_lading'),
      air_waybill: document('air_waybill'),
      payment_proof: document('payment_proof'),
      payment_agreement: document('payment_agreement'),
      credit_note: document('credit_note'),
    },
  }
}

export const createSerials = (): Serials => ({
  shipment: 0,
  booking: 0,
  carton: 0,
  invoice: 0,
  payment: 0,
  receipt: 0,
  damagePicture: 0,
})

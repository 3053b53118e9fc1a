import type { DemoRecord } from '#demo'
import { type Broken, breaks, copy, edit, storyRecord } from './story.ts'

const brand = storyRecord('brand')
const partner = storyRecord('partners')
const contact = storyRecord('contacts')
const port = storyRecord('locations', { code: 'PTLEI' })
const order = storyRecord('orders')
const item = storyRecord('order-items')
const price = storyRecord('product-option-prices')
const canvas = storyRecord('materials', { code: 'CANVAS-340' })
const sku = storyRecord('skus')
const carton = storyRecord('shipment-cartons')
const leg = storyRecord('legs')
const color = storyRecord('colors')
const value = storyRecord('option-values')

const relationship = partner.record['relationship'] as DemoRecord
const composition = [
  { fiber: 'cotton', percent: '50', recycled: false, countryOfOriginCode: 'PT' },
  { fiber: 'wool', percent: '50', recycled: false, countryOfOriginCode: 'Portugal' },
]
const dearer = copy(price, { currency: 'Dollar' })

/** Records that break COD-01 to COD-17 and TIM-01. */
export const brokenCodes: readonly Broken[] = [
  breaks('COD-01', edit(port, { countryCode: 'GERMANY' }), port),
  breaks('COD-01', edit(port, { countryCode: 'pt' }), port),
  breaks('COD-01', edit(canvas, { composition, countryOfOriginCode: 'XX' }), canvas),
  breaks('COD-02', edit(order, { currency: 'Dollar' }), order),
  breaks('COD-02', edit(order, { currency: 'eur' }), order),
  breaks('COD-02', edit(brand, { baseCurrencyCode: 'US Dollar' }), brand),
  breaks(
    'COD-02',
    edit(partner, {
      defaultCurrencyCode: 'X',
      relationship: { ...relationship, defaultCurrencyCode: 'Y' },
    }),
    partner,
  ),
  breaks('COD-02', dearer, dearer),
  breaks('COD-03', edit(port, { timezone: 'Mars/Olympus' }), port),
  breaks('COD-03', edit(contact, { timezone: '+01:00' }), contact),
  breaks('COD-04', edit(sku, { gtin: '4006381333932' }), sku),
  breaks('COD-04', edit(sku, { gtin: '12' }), sku),
  breaks('COD-05', edit(port, { gln: '123' }), port),
  breaks('COD-05', edit(port, { gln: '4012345000000' }), port),
  breaks('COD-06', edit(carton, { sscc: '106141412345678900' }), carton),
  breaks('COD-06', edit(carton, { sscc: '1061414' }), carton),
  breaks('COD-07', edit(color, { hexCode: 'red' }), color),
  breaks('COD-07', edit(value, { hexCode: '#FFF' }), value),
  breaks('COD-08', edit(port, { latitude: '999' }), port),
  breaks('COD-09', edit(port, { longitude: '-180.5' }), port),
  breaks('COD-10', edit(leg, { containerNumber: 'CSQU3054384' }), leg),
  breaks('COD-10', edit(carton, { containerNumber: 'none' }), carton),
  breaks('COD-11', edit(leg, { vesselImo: '9074728' }), leg),
  breaks('COD-11', edit(leg, { vesselImo: 'IMO 9074729' }), leg),
  breaks('COD-12', edit(item, { htsCode: '6109.1' }), item),
  breaks('COD-12', edit(item, { htsCode: 'jackets' }), item),
  breaks('COD-12', edit(sku, { htsCode: '6109.10.00.12.34' }), sku),
  breaks('COD-13', edit(order, { incotermCode: 'DAT' }), order),
  breaks('COD-13', edit(order, { incotermCode: 'fob' }), order),
  breaks('COD-13', edit(brand, { defaultIncotermCode: 'FOB Porto' }), brand),
  breaks('COD-14', edit(port, { unLocode: 'nonsense' }), port),
  breaks('COD-15', edit(contact, { languageCode: 'German' }), contact),
  breaks('COD-15', edit(contact, { languageCode: 'EN' }), contact),
  breaks('COD-15', edit(contact, { languageCode: 'xx' }), contact),
  breaks('COD-16', edit(contact, { email: 'rui at costa' }), contact),
  breaks('COD-17', edit(partner, { website: 'www.costa.example' }), partner),
  breaks('TIM-01', edit(order, { updatedAt: '2099-01-01T00:00:00.000Z' }), order),
  breaks('TIM-01', edit(order, { updatedAt: '2026-06-01T16:55:00.000Z' }), order),
]

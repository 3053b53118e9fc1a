import { gln } from './codes.ts'
import type { Random } from './random.ts'
import type { Put } from './record-buffer.ts'
import type { StoryRecords } from './story-records.ts'

/** A warehouse of the brand and the routes to it. */
export interface Warehouse {
  readonly id: string
  readonly code: string
  readonly portId: string
  readonly airportId: string
  readonly inEurope: boolean
}

/** The locations that belong to no supplier. */
export interface Places {
  readonly warehouses: readonly Warehouse[]
  /** A port or airport by its code. */
  readonly idOf: (code: string) => string
  /** The hub where goods for Daventry change from ship to lorry. */
  readonly hubId: string
  readonly railFromId: string
  readonly railToId: string
}

type Row = readonly [
  code: string,
  name: string,
  kind: string,
  city: string,
  countryCode: string,
  unLocode: string | null,
  iataCode: string | null,
  timezone: string | null,
  roles: readonly string[],
]

const loading = ['port_of_loading']
const discharge = ['port_of_discharge']
const both = ['port_of_loading', 'port_of_discharge']

const rows: readonly Row[] = [
  ['TRIZM', 'İzmir', 'port', 'İzmir', 'TR', 'TRIZM', null, null, loading],
  ['INNSA', 'Nhava Sheva', 'port', 'Navi Mumbai', 'IN', 'INNSA', null, null, loading],
  ['CNSHA', 'Shanghai', 'port', 'Shanghai', 'CN', 'CNSHA', null, null, loading],
  ['VNSGN', 'Cát Lái', 'port', 'Ho Chi Minh City', 'VN', 'VNSGN', null, null, loading],
  ['BDCGP', 'Chattogram', 'port', 'Chattogram', 'BD', 'BDCGP', null, null, loading],
  ['ITGOA', 'Genova', 'port', 'Genova', 'IT', 'ITGOA', null, null, loading],
  ['GBFXT', 'Felixstowe', 'port', 'Felixstowe', 'GB', 'GBFXT', null, null, both],
  ['NLRTM', 'Rotterdam', 'port', 'Rotterdam', 'NL', 'NLRTM', null, null, discharge],
  ['USLGB', 'Long Beach', 'port', 'Long Beach', 'US', 'USLGB', null, null, discharge],
  ['IST', 'İstanbul airport', 'airport', 'İstanbul', 'TR', 'TRIST', 'IST', null, loading],
  ['BOM', 'Mumbai airport', 'airport', 'Mumbai', 'IN', 'INBOM', 'BOM', null, loading],
  ['PVG', 'Pudong airport', 'airport', 'Shanghai', 'CN', 'CNPVG', 'PVG', null, loading],
  [
    'SGN',
    'Tân Sơn Nhất airport',
    'airport',
    'Ho Chi Minh City',
    'VN',
    'VNSGN',
    'SGN',
    null,
    loading,
  ],
  ['DAC', 'Dhaka airport', 'airport', 'Dhaka', 'BD', 'BDDAC', 'DAC', null, loading],
  ['MXP', 'Malpensa airport', 'airport', 'Milano', 'IT', 'ITMXP', 'MXP', null, loading],
  ['LHR', 'Heathrow airport', 'airport', 'London', 'GB', 'GBLHR', 'LHR', null, both],
  ['AMS', 'Schiphol airport', 'airport', 'Amsterdam', 'NL', 'NLAMS', 'AMS', null, discharge],
  ['LAX', 'Los Angeles airport', 'airport', 'Los Angeles', 'US', 'USLAX', 'LAX', null, discharge],
  [
    'CNCKG',
    'Chongqing rail terminal',
    'rail_terminal',
    'Chongqing',
    'CN',
    'CNCKG',
    null,
    null,
    loading,
  ],
  [
    'DEDUI',
    'Duisburg rail terminal',
    'rail_terminal',
    'Duisburg',
    'DE',
    'DEDUI',
    null,
    null,
    discharge,
  ],
  [
    'HUB1',
    'Maasvlakte hub',
    'consolidation_center',
    'Rotterdam',
    'NL',
    null,
    null,
    'Europe/Amsterdam',
    ['transit_point'],
  ],
  [
    'WH2',
    'Reno warehouse',
    'warehouse',
    'Reno',
    'US',
    null,
    null,
    'America/Los_Angeles',
    ['warehouse'],
  ],
  [
    'WH3',
    'Venlo warehouse',
    'warehouse',
    'Venlo',
    'NL',
    null,
    null,
    'Europe/Amsterdam',
    ['warehouse', 'returns_center'],
  ],
  [
    'WH4',
    'Daventry fulfilment',
    'fulfilment_center',
    'Daventry',
    'GB',
    null,
    null,
    'Europe/London',
    ['fulfilment_center'],
  ],
  [
    'HQ',
    'Hudson studio',
    'office',
    'Hudson',
    'US',
    null,
    null,
    'America/New_York',
    ['headquarters', 'office'],
  ],
  ['ST1', 'Warren Street shop', 'store', 'Hudson', 'US', null, null, 'America/New_York', ['store']],
]

const createdAt = '2025-01-07T08:30:00.000Z'

/** Roles with a default in the story. For other roles, the first location is the default. */
const defaultsOfStory = new Set(['warehouse', 'port_of_loading', 'port_of_discharge'])

const goodsKinds = new Set(['warehouse', 'fulfilment_center', 'store'])

export const putPlaces = (put: Put, random: Random, story: StoryRecords): Places => {
  const ids = new Map<string, string>()
  const brandId = story.idOf('brand', 'slug', 'aldermoor')
  const defaults = new Set(defaultsOfStory)
  for (const [index, row] of rows.entries()) {
    const [code, name, kind, city, countryCode, unLocode, iataCode, timezone, roles] = row
    const id = random.id()
    ids.set(code, id)
    put('locations', {
      id,
      name,
      code,
      kind,
      addressLine1: goodsKinds.has(kind) ? `${random.between(1, 240)} Selvedge Way` : null,
      city,
      countryCode,
      unLocode,
      iataCode,
      gln: unLocode === null ? gln(index + 1) : null,
      timezone,
      createdAt,
    })
    for (const role of roles) {
      put('brand-locations', {
        id: random.id(),
        brandId,
        locationId: id,
        role,
        code: unLocode === null ? code : null,
        isDefault: !defaults.has(role),
        receivesGoods: goodsKinds.has(kind),
        createdAt,
      })
      defaults.add(role)
    }
  }
  const idOf = (code: string): string => ids.get(code) ?? story.idOf('locations', 'code', code)
  const warehouse = (
    code: string,
    port: string,
    airport: string,
    inEurope: boolean,
  ): Warehouse => ({
    id: idOf(code),
    code,
    portId: idOf(port),
    airportId: idOf(airport),
    inEurope,
  })
  return {
    warehouses: [
      warehouse('WH1', 'USNYC', 'EWR', false),
      warehouse('WH2', 'USLGB', 'LAX', false),
      warehouse('WH3', 'NLRTM', 'AMS', true),
      warehouse('WH4', 'GBFXT', 'LHR', true),
    ],
    idOf,
    hubId: idOf('HUB1'),
    railFromId: idOf('CNCKG'),
    railToId: idOf('DEDUI'),
  }
}

import { cartonVolume, centimetres, kilograms, percent } from './amounts.ts'
import { dayOf, moment, today } from './calendar.ts'
import type { Random } from './random.ts'
import type { Put } from './record-buffer.ts'
import type { StoryRecords } from './story-records.ts'

export interface Colour {
  readonly id: string
  readonly code: string
  readonly name: string
  readonly optionValueId: string
  readonly hexCode: string
}

/** The packing of pieces into a carton; sides in millimetres. */
export interface Pack {
  readonly templateId: string
  readonly cartonSizeId: string
  readonly units: number
  readonly sides: readonly [length: number, width: number, height: number]
  readonly litres: number
  readonly tareGrams: number
}

/** An instalment that an event makes due. */
export interface Instalment {
  readonly name: string
  readonly percent: number
  readonly trigger: string
  readonly offsetDays: number
}

export interface Term {
  readonly id: string
  readonly instalments: readonly Instalment[]
}

/** The brand's reference data. */
export interface Library {
  readonly categoryIds: ReadonlyMap<string, string>
  readonly collectionIds: readonly string[]
  readonly windowIds: readonly string[]
  readonly tagIds: readonly string[]
  readonly colours: readonly Colour[]
  readonly washValueIds: readonly string[]
  readonly checklistId: string
  readonly packs: ReadonlyMap<string, Pack>
  readonly terms: readonly Term[]
  readonly freightTermId: string
}

const createdAt = '2025-01-07T08:30:00.000Z'
const notDeleted = { createdAt }
const retiredAt = '2025-07-14T13:40:00.000Z'
const removed = { createdAt, updatedAt: retiredAt, deletedAt: retiredAt }

export const putLibrary = (put: Put, random: Random, story: StoryRecords): Library => {
  const { packs } = putPacking(put, random, story)
  const terms = putTerms(put, random, story)
  putCustomFields(put, random)
  return {
    categoryIds: putCategories(put, random, story),
    ...putRanges(put, random),
    ...putColours(put, random, story),
    checklistId: story.idOf('checklists', 'code', 'FIT'),
    packs,
    terms,
    freightTermId: story.idOf('payment-terms', 'code', 'NET-30'),
  }
}

const categories: readonly (readonly [string, string, string, string | null, string | null])[] = [
  ['product', 'APP-SHT', 'Shirts', 'APP', '620520'],
  ['product', 'APP-TEE', 'T-shirts', 'APP', '610910'],
  ['product', 'APP-TRS', 'Trousers', 'APP', '620342'],
  ['product', 'APP-KNT', 'Knitwear', 'APP', '611020'],
  ['product', 'APP-DRS', 'Dresses', 'APP', '620442'],
  ['product', 'ACC', 'Accessories', null, null],
  ['product', 'ACC-SML', 'Small accessories', 'ACC', '621710'],
  ['material', 'FAB-WOV', 'Woven fabrics', 'FAB', null],
  ['material', 'FAB-KNT', 'Knitted fabrics', 'FAB', null],
  ['material', 'FAB-DNM', 'Denim', 'FAB', null],
  ['material', 'PKG', 'Packaging', null, null],
]

const putCategories = (
  put: Put,
  random: Random,
  story: StoryRecords,
): ReadonlyMap<string, string> => {
  const ids = new Map(
    ['APP', 'APP-JKT', 'FAB', 'TRM'].map((code) => [code, story.idOf('categories', 'code', code)]),
  )
  for (const [index, [kind, code, name, parent, defaultHtsCode]] of categories.entries()) {
    const id = random.id()
    ids.set(code, id)
    put('categories', {
      id,
      parentCategoryId: parent === null ? null : (ids.get(parent) ?? null),
      kind,
      code,
      name,
      level: parent === null ? 1 : 2,
      sequence: index + 3,
      defaultHtsCode,
      createdAt,
    })
  }
  return ids
}

const ranges = [
  ['SS25-COAST', 'Coast SS25', 'SS25', 'archived', '2025-02-01', '2025-07-31', notDeleted],
  ['FW25-MILL', 'Mill town FW25', 'FW25', 'archived', '2025-08-01', '2026-01-31', notDeleted],
  ['SS26-FIELD', 'Open field SS26', 'SS26', 'active', '2026-02-01', '2026-07-31', notDeleted],
  ['FW26-NORTH', 'North light FW26', 'FW26', 'active', '2026-08-01', '2027-01-31', notDeleted],
  ['SS27-TIDE', 'Spring tide SS27', 'SS27', 'planned', '2027-02-01', '2027-07-31', notDeleted],
  ['SS25-CAPSULE', 'Print capsule SS25', 'SS25', 'cancelled', '2025-04-01', '2025-05-31', removed],
] as const

const windows = [
  ['SS25-1', 'SS25 drop 1', '2025-02-10', '2025-02-23', 'all', 'closed'],
  ['FW25-1', 'FW25 drop 1', '2025-08-18', '2025-08-31', 'retail', 'closed'],
  ['SS26-1', 'SS26 drop 1', '2026-02-09', '2026-02-22', 'online', 'closed'],
  ['SS26-2', 'SS26 drop 2', '2026-05-18', '2026-06-14', 'wholesale', 'open'],
  ['FW26-2', 'FW26 drop 2', '2026-10-05', '2026-10-18', 'all', 'planned'],
] as const

const tagNames = ['Organic', 'Recycled', 'Made in Europe', 'Carry-over', 'Last season', 'Gift']

const putRanges = (put: Put, random: Random) => {
  const collectionIds: string[] = []
  for (const [code, name, season, status, startDate, endDate, when] of ranges) {
    const id = random.id()
    if (when === notDeleted) collectionIds.push(id)
    const description = `${name.replace(/ \S+$/, '')}: what the brand shows in ${season}`
    put('collections', { id, code, name, season, description, status, startDate, endDate, ...when })
  }
  const windowIds = windows.map(([code, name, startDate, endDate, channel, status]) => {
    const id = random.id()
    put('launch-windows', { id, code, name, startDate, endDate, channel, status, createdAt })
    return id
  })
  const tagIds = tagNames.map((name) => {
    const id = random.id()
    const code = name.toLowerCase().replaceAll(' ', '-')
    put('tags', { id, name, code, createdAt })
    return id
  })
  return { collectionIds, windowIds, tagIds }
}

const colours = [
  ['BLK', 'Soot', '#1E1E1C', 'black'],
  ['NVY', 'Navy 藍', '#1F2A44', 'blue'],
  ['OLV', 'Olive', '#5B6236', 'green'],
  ['STN', 'Stone', '#CFC6B2', 'white'],
  ['RST', 'Rust', '#A4512B', 'orange'],
  ['CHL', 'Écru', '#F2EFE6', 'white'],
  ['MOS', 'Moss', '#6C7350', 'green'],
  ['BRK', 'Brick', '#8C3B2E', 'red'],
  ['SKY', 'Bleu d’eau', '#B7CBD9', 'blue'],
  ['GRY', 'Flint', '#7C7F80', 'grey'],
  ['MUS', 'Mustard', '#C8962E', 'yellow'],
  ['PLM', 'Plum', '#5A2A45', 'purple'],
  ['ROS', 'Crème rosée', '#C9929A', 'pink'],
  ['TAN', 'Saddle', '#9C6B3F', 'brown'],
] as const

const washes = ['Rinse', 'Stone wash', 'Light bleach']

const putColours = (put: Put, random: Random, story: StoryRecords) => {
  const optionId = story.idOf('options', 'code', 'color')
  const made = colours.map(([code, name, hexCode, family], index): Colour => {
    const id = random.id()
    const status = 'active'
    put('colors', {
      id,
      code,
      name,
      hexCode,
      standardSystem: 'House palette',
      standardReference: `HP-${100 + 7 * index}`,
      family,
      status,
      createdAt,
    })
    const optionValueId = random.id()
    put('option-values', {
      id: optionValueId,
      optionId,
      name,
      code,
      status,
      hexCode,
      sequence: index + 3,
      swatchVersion: 1,
      createdAt,
    })
    return { id, code, name, optionValueId, hexCode }
  })
  const washId = random.id()
  put('options', {
    id: washId,
    code: 'wash',
    name: 'Wash',
    displayKind: 'text',
    sequence: 2,
    status: 'active',
    createdAt,
  })
  const washValueIds = washes.map((name, index) => {
    const id = random.id()
    put('option-values', {
      id,
      optionId: washId,
      name,
      status: index === 2 ? 'draft' : 'active',
      sequence: index + 1,
      createdAt,
    })
    return id
  })
  return { colours: made, washValueIds }
}

const cartons = [
  ['C1', 400, 300, 200, 24, 400, 12_000, 'active'],
  ['C2', 500, 400, 300, 60, 900, 18_000, 'active'],
  ['C3', 600, 400, 300, 72, 1000, 20_000, 'active'],
  ['C9', 800, 600, 500, 240, 2600, 30_000, 'archived'],
] as const

const templates = [
  ['SOLID-24', 'C3', 24, 1, 24],
  ['SOLID-40', 'C3', 40, 2, 20],
  ['SOLID-60', 'C3', 60, 6, 10],
  ['SOLID-50', 'C1', 50, 10, 5],
] as const

const putPacking = (put: Put, random: Random, story: StoryRecords) => {
  const storyCarton = story.idOf('carton-sizes', 'code', 'C4')
  const packs = new Map<string, Pack>([
    [
      'SOLID-20',
      {
        templateId: story.idOf('packing-templates', 'code', 'SOLID-20'),
        cartonSizeId: storyCarton,
        units: 20,
        sides: [600, 400, 400],
        litres: 96,
        tareGrams: 1200,
      },
    ],
  ])
  const sizes = new Map<string, Omit<Pack, 'templateId' | 'units'>>()
  for (const [code, length, width, height, litres, tareGrams, maxGrams, status] of cartons) {
    const id = random.id()
    put('carton-sizes', {
      id,
      code,
      name: `${length / 10} x ${width / 10} x ${height / 10}`,
      lengthCm: centimetres(length),
      widthCm: centimetres(width),
      heightCm: centimetres(height),
      volumeCbm: cartonVolume(litres),
      tareWeightKg: kilograms(tareGrams),
      maxGrossWeightKg: kilograms(maxGrams),
      status,
      ...(status === 'archived' ? removed : notDeleted),
    })
    sizes.set(code, { cartonSizeId: id, sides: [length, width, height], litres, tareGrams })
  }
  for (const [code, cartonCode, units, perInner, inners] of templates) {
    const size = sizes.get(cartonCode)
    if (!size) continue
    const id = random.id()
    put('packing-templates', {
      id,
      code,
      name: `Solid ${units}`,
      method: 'solid_color_solid_size',
      cartonSizeId: size.cartonSizeId,
      unitsPerInnerPack: perInner,
      innerPacksPerCarton: inners,
      unitsPerCarton: units,
      maxGrossWeightKg: kilograms(20_000),
      status: 'active',
      createdAt,
    })
    packs.set(code, { templateId: id, units, ...size })
  }
  put('packing-templates', {
    id: random.id(),
    code: 'PRE-24',
    name: 'Two prepacks of twelve',
    method: 'solid_color_assorted_size',
    cartonSizeId: sizes.get('C3')?.cartonSizeId ?? null,
    dimensionCurveId: story.idOf('dimension-curves', 'code', 'bottoms-pre12'),
    unitsPerInnerPack: 12,
    innerPacksPerCarton: 2,
    unitsPerCarton: 24,
    maxGrossWeightKg: kilograms(20_000),
    instructions: 'One prepack per polybag; label the ratio on both short sides.',
    status: 'draft',
    createdAt,
  })
  return { packs }
}

const instalment = (
  name: string,
  share: number,
  trigger: string,
  offsetDays: number,
): Instalment => ({ name, percent: share, trigger, offsetDays })

const newTerms: readonly (readonly [
  string,
  string,
  number | null,
  readonly Instalment[],
  string,
])[] = [
  [
    'TT-50-50-EXF',
    '50% deposit, 50% ex factory',
    null,
    [instalment('Deposit', 50, 'order_confirmed', 3), instalment('Balance', 50, 'ex_factory', 5)],
    'active',
  ],
  [
    'TT-20-80-GR',
    '20% deposit, 80% 15 days after receipt',
    null,
    [
      instalment('Deposit', 20, 'order_confirmed', 5),
      instalment('Balance', 80, 'goods_received', 15),
    ],
    'active',
  ],
  [
    'LC-SIGHT',
    'Letter of credit at sight',
    null,
    [instalment('At sight', 100, 'bill_of_lading', 7)],
    'active',
  ],
  ['NET-60', 'Net 60', 60, [instalment('Full amount', 100, 'invoice_date', 60)], 'active'],
  [
    'TT-30-40-30',
    'Thirds',
    null,
    [
      instalment('Deposit', 30, 'order_confirmed', 3),
      instalment('At despatch', 40, 'ex_factory', 0),
      instalment('Rest', 30, 'goods_received', 30),
    ],
    'archived',
  ],
]

const putTerms = (put: Put, random: Random, story: StoryRecords): readonly Term[] => {
  const terms: Term[] = [
    {
      id: story.idOf('payment-terms', 'code', 'TT-30-70-BL'),
      instalments: [
        instalment('Deposit', 30, 'order_confirmed', 3),
        instalment('Balance', 70, 'bill_of_lading', 30),
      ],
    },
  ]
  for (const [code, name, netDays, instalments, status] of newTerms) {
    const id = random.id()
    put('payment-terms', {
      id,
      code,
      name,
      netDays,
      installments: instalments.map((each, index) => ({
        sequence: index + 1,
        name: each.name,
        percent: percent(each.percent),
        trigger: each.trigger,
        offsetDays: each.offsetDays,
      })),
      status,
      createdAt,
    })
    if (status === 'active') terms.push({ id, instalments })
  }
  return terms
}

const customFields = [
  ['suppliers', 'ediEnabled', 'Sends EDI', 'boolean', null],
  ['partners', 'tier', 'Tier', 'choice', ['1', '2', '3']],
  ['orders', 'channel', 'Sold through', 'choice', ['online', 'retail', 'wholesale']],
  ['shipments', 'insured', 'Insured', 'boolean', null],
  ['materials', 'testedOn', 'Last tested', 'date', null],
] as const

const putCustomFields = (put: Put, random: Random): void => {
  for (const [entity, key, label, dataType, choices] of customFields) {
    put('custom-field-definitions', {
      id: random.id(),
      entity,
      key,
      label,
      dataType,
      choices,
      required: false,
      sequence: 2,
      status: 'active',
      createdAt,
    })
  }
  const droppedAt = moment(today - 90)
  put('custom-field-definitions', {
    id: random.id(),
    entity: 'skus',
    key: 'hangtag',
    label: 'Hang tag',
    dataType: 'text',
    required: false,
    sequence: 1,
    helpText: 'No longer used',
    status: 'archived',
    createdAt: moment(dayOf('2025-01-07')),
    updatedAt: droppedAt,
    deletedAt: droppedAt,
  })
}

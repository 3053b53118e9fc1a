/** A point of measure, in millimetres. */
export interface Point {
  readonly key: string
  readonly name: string
  readonly method: string
  readonly base: number
  /** The grading from one size to the next; null if the second dimension grades it. */
  readonly step: number | null
  readonly tolerance: number
  readonly critical: boolean
}

export type Sizing = 'alpha' | 'waist' | 'one'
export type Cloth = 'woven' | 'knit' | 'denim'

/** A kind of garment, and the properties of its kind. */
export interface Garment {
  readonly nouns: readonly string[]
  readonly categoryCode: string
  readonly category: string
  readonly htsCode: string
  readonly dutyPercent: number
  readonly department: string
  readonly sizing: Sizing
  readonly cloth: Cloth
  /** Weight of one piece. */
  readonly grams: number
  /** Price at the factory, in tenths of a dollar. */
  readonly dollarTenths: number
  /** Cloth for one piece, in twentieths of a metre. */
  readonly clothTwentieths: number
  readonly packCode: string
  readonly care: string
  readonly points: readonly Point[]
}

const point = (
  key: string,
  name: string,
  method: string,
  base: number,
  step: number | null,
  tolerance = 10,
  critical = true,
): Point => ({ key, name, method, base, step, tolerance, critical })

const topPoints = (chest: number, length: number): readonly Point[] => [
  point('chest', 'Chest width', '2 cm below armhole', chest, 25),
  point('length', 'Body length', 'From high point shoulder', length, 15),
  point('sleeve', 'Sleeve length', 'From centre back', 830, 15, 10, false),
]

/** The first one has waist and inseam sizes, so that the smallest season has two dimensions. */
export const garments: readonly Garment[] = [
  {
    nouns: ['chino', 'work trouser', 'pleated trouser', 'fatigue pant'],
    categoryCode: 'APP-TRS',
    category: 'Trousers',
    htsCode: '6203424511',
    dutyPercent: 16,
    department: 'mens',
    sizing: 'waist',
    cloth: 'woven',
    grams: 540,
    dollarTenths: 146,
    clothTwentieths: 27,
    packCode: 'SOLID-24',
    care: 'Machine wash at 30 °C, iron warm',
    points: [
      point('waist', 'Waist', 'Along the top edge', 820, 50),
      point('hip', 'Hip', '20 cm below the waist', 1040, 50, 15),
      point('inseam', 'Inseam', 'From crotch point to hem', 760, null, 10, false),
    ],
  },
  {
    nouns: ['Oxford shirt', 'band-collar shirt', 'camp shirt', 'flannel shirt'],
    categoryCode: 'APP-SHT',
    category: 'Shirts',
    htsCode: '6205202066',
    dutyPercent: 20,
    department: 'mens',
    sizing: 'alpha',
    cloth: 'woven',
    grams: 280,
    dollarTenths: 112,
    clothTwentieths: 34,
    packCode: 'SOLID-40',
    care: 'Machine wash at 40 °C, iron medium',
    points: topPoints(560, 760),
  },
  {
    nouns: ['pocket tee', 'long-sleeve tee', 'ringer tee', 'henley'],
    categoryCode: 'APP-TEE',
    category: 'T-shirts',
    htsCode: '6109100012',
    dutyPercent: 17,
    department: 'unisex',
    sizing: 'alpha',
    cloth: 'knit',
    grams: 180,
    dollarTenths: 46,
    clothTwentieths: 18,
    packCode: 'SOLID-60',
    care: 'Machine wash at 30 °C, do not tumble dry',
    points: topPoints(540, 710),
  },
  {
    nouns: ['field jacket', 'deck jacket', 'shacket', 'parka'],
    categoryCode: 'APP-JKT',
    category: 'Jackets',
    htsCode: '6202309010',
    dutyPercent: 9,
    department: 'womens',
    sizing: 'alpha',
    cloth: 'woven',
    grams: 880,
    dollarTenths: 268,
    clothTwentieths: 37,
    packCode: 'SOLID-20',
    care: 'Wipe clean, dry clean',
    points: topPoints(580, 720),
  },
  {
    nouns: ['fisherman sweater', 'crew sweater', 'cardigan', 'quarter-zip'],
    categoryCode: 'APP-KNT',
    category: 'Knitwear',
    htsCode: '6110202079',
    dutyPercent: 17,
    department: 'unisex',
    sizing: 'alpha',
    cloth: 'knit',
    grams: 610,
    dollarTenths: 174,
    clothTwentieths: 25,
    packCode: 'SOLID-24',
    care: 'Hand wash cold, dry flat',
    points: topPoints(550, 680),
  },
  {
    nouns: ['straight jean', 'tapered jean', 'wide-leg jean'],
    categoryCode: 'APP-TRS',
    category: 'Jeans',
    htsCode: '6204628018',
    dutyPercent: 17,
    department: 'womens',
    sizing: 'waist',
    cloth: 'denim',
    grams: 690,
    dollarTenths: 168,
    clothTwentieths: 28,
    packCode: 'SOLID-24',
    care: 'Machine wash cold, inside out',
    points: [
      point('waist', 'Waist', 'Along the top edge', 780, 50),
      point('thigh', 'Thigh', '2 cm below the crotch', 580, 20),
      point('inseam', 'Inseam', 'From crotch point to hem', 760, null, 10, false),
    ],
  },
  {
    nouns: ['shirt dress', 'wrap dress', 'tank dress'],
    categoryCode: 'APP-DRS',
    category: 'Dresses',
    htsCode: '6204423050',
    dutyPercent: 8,
    department: 'womens',
    sizing: 'alpha',
    cloth: 'woven',
    grams: 340,
    dollarTenths: 158,
    clothTwentieths: 46,
    packCode: 'SOLID-40',
    care: 'Machine wash at 30 °C',
    points: topPoints(520, 1080),
  },
  {
    nouns: ['scarf', 'bandana', 'tote bag', 'watch cap'],
    categoryCode: 'ACC-SML',
    category: 'Accessories',
    htsCode: '6217109510',
    dutyPercent: 14,
    department: 'accessories',
    sizing: 'one',
    cloth: 'woven',
    grams: 120,
    dollarTenths: 38,
    clothTwentieths: 9,
    packCode: 'SOLID-50',
    care: 'Hand wash cold',
    points: [
      point('length', 'Length', 'Laid flat', 900, null, 15),
      point('width', 'Width', 'Laid flat', 450, null, 15, false),
    ],
  },
]

/** First words of a style's name. */
export const styleWords: readonly string[] = [
  ...[
    'Lantern',
    'Fenwick',
    'Tarn',
    'Orchard',
    'Slate',
    'L’Estaque',
    'Copse',
    'Mill Lane',
    'Skerry',
  ],
  ...['Bracken', 'Fjäll', 'Estuary', 'Lowland', 'Chapel', 'Saltmarsh', 'Ridge', 'Hollow', 'Señal'],
  ...['Causeway', 'Garrison', 'Pasture', 'Ferry', 'Thicket', 'Beacon', 'Moorland', 'Foundry'],
  ...['Carding', 'Gable', 'Drover’s', 'Kestrel', 'Tidewater', 'Łąka', 'Cooper’s', 'Highfield'],
  ...['Ropewalk', 'Sandbar', 'Kōen', 'Millrace', 'Cairn', 'Larkspur', 'Stonecrop', 'Headland'],
]

import { percent } from './amounts.ts'
import type { Sizing } from './garments.ts'
import type { Random } from './random.ts'
import type { Put } from './record-buffer.ts'
import type { StoryRecords } from './story-records.ts'

/** A combination of dimension values of a SKU. */
export interface Size {
  readonly label: string
  readonly valueIds: readonly string[]
  /** Steps from the base size, along the first and the second dimension. */
  readonly steps: readonly [first: number, second: number]
  /** Number of its cartons in the smallest order. */
  readonly share: number
}

/** The sizes of a kind of product. */
export interface SizeRange {
  readonly groupId: string
  readonly curveId: string
  readonly sizes: readonly Size[]
  /** Every dimension value of its sizes. */
  readonly valueIds: readonly string[]
  readonly baseValueId: string
}

/** Each sizing has one or more ranges. */
export type SizeRanges = Record<Sizing, readonly SizeRange[]>

const createdAt = '2025-01-07T08:30:00.000Z'

interface Value {
  readonly id: string
  readonly code: string
  readonly share: number
}

export const putSizes = (put: Put, random: Random, story: StoryRecords): SizeRanges => {
  const dimension = (code: string) => story.idOf('dimensions', 'code', code)
  const existing = (dimensionCode: string, code: string, share: number): Value => ({
    id: story.idOf('dimension-values', 'id', storyValues[`${dimensionCode} ${code}`] ?? ''),
    code,
    share,
  })
  const added = (dimensionId: string, code: string, sequence: number, share: number): Value => {
    const id = random.id()
    const numericValue = /^\d+$/.test(code) ? code : null
    put('dimension-values', {
      id,
      dimensionId,
      code,
      name: code === 'OS' ? 'One size' : code,
      numericValue,
      sequence,
      status: 'active',
      createdAt,
    })
    return { id, code, share }
  }

  const oneSizeId = random.id()
  put('dimensions', {
    id: oneSizeId,
    code: 'one-size',
    name: 'One size',
    sequence: 4,
    status: 'active',
    createdAt,
  })
  const oneGroupId = random.id()
  put('dimension-groups', {
    id: oneGroupId,
    code: 'one-size',
    name: 'Accessories, one size',
    description: 'Things that fit everyone',
    status: 'active',
    createdAt,
  })
  put('dimension-group-dimensions', {
    dimensionGroupId: oneGroupId,
    dimensionId: oneSizeId,
    sequence: 1,
    createdAt,
  })

  const five = [
    existing('size', 'XS', 1),
    existing('size', 'S', 1),
    existing('size', 'M', 2),
    existing('size', 'L', 2),
    existing('size', 'XL', 1),
  ]
  const six = [...five, added(dimension('size'), 'XXL', 6, 1)]
  const waists = [
    existing('waist', '30', 1),
    existing('waist', '32', 2),
    existing('waist', '34', 2),
    added(dimension('waist'), '36', 4, 1),
  ]
  const inseams = [
    existing('inseam', '30', 1),
    existing('inseam', '32', 1),
    added(dimension('inseam'), '34', 3, 1),
  ]
  const single = [added(oneSizeId, 'OS', 1, 2)]

  const curve = (
    groupId: string,
    code: string,
    name: string,
    axes: readonly (readonly [dimensionId: string, values: readonly Value[]])[],
    shares: readonly number[],
    retired = false,
  ): string => {
    const id = random.id()
    put('dimension-curves', {
      id,
      dimensionGroupId: groupId,
      code,
      name,
      kind: 'size_curve',
      status: retired ? 'archived' : 'active',
      createdAt,
      updatedAt: retired ? '2025-06-30T10:15:00.000Z' : createdAt,
      deletedAt: retired ? '2025-06-30T10:15:00.000Z' : null,
    })
    const axisValues = axes.map(([dimensionId, values], axis) => {
      const axisId = random.id()
      put('dimension-curve-axes', { id: axisId, curveId: id, dimensionId, sequence: axis + 1 })
      return values.map((value, place) => {
        const valueId = random.id()
        put('dimension-curve-axis-values', {
          id: valueId,
          axisId,
          dimensionValueId: value.id,
          sequence: place + 1,
        })
        return valueId
      })
    })
    const [rowValues = [], columnValues = [null]] = axisValues
    rowValues.forEach((rowAxisValueId, row) => {
      columnValues.forEach((columnAxisValueId, column) => {
        put('dimension-curve-cells', {
          id: random.id(),
          curveId: id,
          rowAxisValueId,
          columnAxisValueId,
          sharePercent: percent(shares[row * columnValues.length + column] ?? 0),
        })
      })
    })
    return id
  }

  const alphaGroupId = story.idOf('dimension-groups', 'code', 'tops-alpha')
  const waistGroupId = story.idOf('dimension-groups', 'code', 'bottoms-wl')
  const sizeAxis = dimension('size')
  const waistAxes = [
    [dimension('waist'), waists],
    [dimension('inseam'), inseams],
  ] as const
  const halves = [50, 50, 0, 0, 0]
  curve(alphaGroupId, 'tops-2024', 'Tops, curve of 2024', [[sizeAxis, five]], halves, true)

  return {
    alpha: [
      range(alphaGroupId, story.idOf('dimension-curves', 'code', 'tops-std'), 2, five),
      range(
        alphaGroupId,
        curve(alphaGroupId, 'tops-six', 'Tops, six sizes', [[sizeAxis, six]], sixShares),
        2,
        six,
      ),
    ],
    waist: [
      range(
        waistGroupId,
        curve(waistGroupId, 'bottoms-std', 'Bottoms, standard curve', waistAxes, waistShares),
        1,
        waists,
        inseams,
      ),
    ],
    one: [
      range(
        oneGroupId,
        curve(oneGroupId, 'one-size', 'One size', [[oneSizeId, single]], [100]),
        0,
        single,
      ),
    ],
  }
}

const sixShares = [10, 18, 27, 24, 14, 7]
const waistShares = [5, 7, 5, 9, 14, 8, 9, 14, 8, 6, 9, 6]

/** Codes such as 30 occur in two dimensions, so the story's values have full names here. */
const storyValues: { readonly [value: string]: string } = {
  'size XS': '5cc3f259-8b29-450a-8ca1-6060f2ed3778',
  'size S': '03047cb3-f56c-41f9-8ac2-fd5e31b460d5',
  'size M': '370ec6fd-83a7-46e2-8b9d-a04835f8ce2e',
  'size L': '17cdd45a-cb64-490a-81f7-d2138d44e0ed',
  'size XL': 'ca8272e5-a1a1-43de-8dde-f80ca7ce5c10',
  'waist 30': 'b8a7bb44-74eb-4d58-8c56-687e8d2b2242',
  'waist 32': '9ff863a5-8665-4705-8c2b-58bd77da4d17',
  'waist 34': '29653040-76a6-494d-85d8-fb847f7210e2',
  'inseam 30': '827fe672-b2a5-4d8d-8c56-056db6ef14f3',
  'inseam 32': '16a07b1c-6238-4e2c-8bee-512966e40f6f',
}

const range = (
  groupId: string,
  curveId: string,
  base: number,
  first: readonly Value[],
  second?: readonly Value[],
): SizeRange => ({
  groupId,
  curveId,
  sizes: first.flatMap((row, place): readonly Size[] =>
    second
      ? second.map((column, columnPlace) => ({
          label: `${row.code}X${column.code}`,
          valueIds: [row.id, column.id],
          steps: [place - base, columnPlace],
          share: row.share * column.share,
        }))
      : [{ label: row.code, valueIds: [row.id], steps: [place - base, 0], share: row.share }],
  ),
  valueIds: [...first, ...(second ?? [])].map(({ id }) => id),
  baseValueId: first[base]?.id ?? '',
})

/** Valid and invalid parts of requests, from fast-check and from the contract. */
import fc from 'fast-check'
import { type Filter, limits, type Operation, patterns, relationsOf } from '#contract'
import { type BrandsModel, brands, shared } from '../../test/support/brands.ts'
import { valueAt } from '../../test/support/model.ts'
import {
  malformedAlways,
  malformedCountries,
  malformedCursor,
  malformedFilter,
  malformedIds,
  malformedInclude,
  malformedLimit,
} from '../parameters/malformed.ts'

/** Returns a random integer below a number. */
export type Draw = (below: number) => number

export const pick = <T>(draw: Draw, from: readonly T[]): T => from[draw(from.length)] as T

/** Pools of random texts, drawn once. */
export interface Pools {
  /** 1 to 255 characters without NUL. */
  readonly texts: readonly string[]
  readonly names: readonly string[]
  readonly segments: readonly string[]
  readonly headerValues: readonly string[]
}

const { minLength, maxLength } = limits.stringFilter
const isText = (text: string) => !text.includes('\0') && text.isWellFormed()

export const drawPools = (seed: number, size: number): Pools => {
  const sample = <T>(arbitrary: fc.Arbitrary<T>) => fc.sample(arbitrary, { seed, numRuns: size })
  const unit = fc.constantFrom('grapheme', 'binary', 'grapheme-ascii', 'binary-ascii')
  const text = unit.chain((each) => fc.string({ unit: each, minLength, maxLength: 40 }))
  return {
    texts: [
      ...sample(text).filter((each) => isText(each) && [...each].length <= maxLength),
      ...['a', '🧵', 'é'].map((each) => each.repeat(maxLength)),
      ...[
        '%',
        '_',
        '*',
        "' OR 1=1--",
        '\u0024{7*7}',
        '{"$ne":1}',
        '__proto__',
        'a\nb',
        '\u202e',
        ' ',
      ],
    ],
    names: [
      ...sample(fc.string({ minLength: 1, maxLength: 20 })),
      ...['__proto__', 'constructor', 'Limit', 'offset', 'page', 'sort', 'access_token', '$where'],
    ],
    segments: [
      ...sample(fc.webSegment()).filter((each) => each !== ''),
      ...['.', '..', '%2e%2e', '%2F', '%00', '%', '%ff', '%ZZ', ';v=1', '*', '~', 'a'.repeat(300)],
    ],
    headerValues: sample(fc.string({ unit: 'grapheme-ascii', maxLength: 60 })),
  }
}

/** A part of a query, and whether it is valid. */
export interface Part {
  readonly text: string
  readonly good: boolean
}

const encoded = (draw: Draw, text: string): string => {
  const usual = encodeURIComponent(text)
  // Sometimes escapes every byte, which must not change the meaning.
  if (draw(20) > 0) return usual
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

const heldValue = (draw: Draw, model: BrandsModel, { resource }: Operation, field: string) => {
  const records = [
    ...model.recordsOf(pick(draw, brands), resource),
    ...(shared[resource.path] ?? []),
  ]
  const record = records[draw(records.length)]
  const value = record ? valueAt(record, field) : null
  return value === null ? null : String(value)
}

const absentId = 'ffffffff-ffff-4fff-8fff-fffffffffff0'

/** A valid value for a filter, often one of an existing record. */
const goodValue = (
  draw: Draw,
  model: BrandsModel,
  operation: Operation,
  filter: Filter,
  pools: Pools,
): string => {
  const held = draw(3) > 0 ? heldValue(draw, model, operation, filter.field ?? '') : null
  if (filter.kind === 'identifier') {
    return held ?? (draw(2) === 0 ? absentId : '00000000-0000-0000-0000-000000000000')
  }
  if (filter.kind === 'integer') {
    return held ?? pick(draw, ['0', '1', '2147483647', String(draw(2 ** 31))])
  }
  const isShort = held !== null && held !== '' && [...held].length <= maxLength
  return isShort ? held : pick(draw, pools.texts)
}

export const goodFilter = (
  draw: Draw,
  model: BrandsModel,
  operation: Operation,
  filter: Filter,
  pools: Pools,
): string => `${filter.name}=${encoded(draw, goodValue(draw, model, operation, filter, pools))}`

const rightValues = { identifier: absentId, integer: '7', string: 'x' }

export const badFilter = (draw: Draw, { name, kind }: Filter): string =>
  pick(draw, [...malformedAlways(name, rightValues[kind]), ...malformedFilter(name, kind)]).query

export const limitPart = (draw: Draw, good: boolean): string =>
  good
    ? `limit=${pick(draw, [1, 2, 3, 7, 25, 99, 100, 1 + draw(100)])}`
    : pick(draw, [...malformedLimit, ...malformedAlways('limit', '7')]).query

export const includePart = (draw: Draw, { resource, endpoint }: Operation): Part => {
  const names = endpoint === 'content' ? [] : relationsOf(resource).map(({ name }) => name)
  if (names.length === 0 || draw(4) === 0) {
    return { text: pick(draw, malformedInclude(names)).query, good: false }
  }
  const chosen = names.filter(() => draw(3) === 0)
  const listed = chosen.length > 0 ? chosen : [pick(draw, names)]
  return { text: `include=${listed.join(pick(draw, [',', '%2C', '&include=']))}`, good: true }
}

export const badCursor = (draw: Draw, cursor: string): string =>
  pick(draw, malformedCursor(cursor)).query

export const badId = (draw: Draw, { resource }: Operation): string =>
  encodeURIComponent(
    pick(draw, resource.idPattern === patterns.country ? malformedCountries : malformedIds),
  )

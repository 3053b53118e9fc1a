import {
  catalog,
  foldText,
  groupsMax,
  isJsonObject,
  limits,
  queryLimits,
  resourceAt,
  searchLimits,
} from '#contract'
import type { JsonRecord, Reader } from './reader.ts'

const cartons = resourceAt(catalog, 'shipment-cartons')

/** The letters and digits of a container number, in capitals. */
export const plainNumber = (text: string): string =>
  foldText(text)
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()

/**
 * How records write a container number: in any case, with any spaces and hyphens. The index of
 * search finds them. It returns the first cartons only, so the shipments of these are asked too.
 */
export const spellingsOf = async (reader: Reader, text: string): Promise<readonly string[]> => {
  const number = plainNumber(text)
  if (number === '' || number.length > searchLimits.query.maxLength) return []
  const legs = await foundIn(reader, 'legs', number)
  const packed = await foundIn(reader, cartons.path, number)
  const records = [...legs.records, ...packed.records]
  const written = new Set([number, text, ...records.map(numberOf)])
  if (!packed.isComplete) {
    const ids = [...new Set(records.map(({ shipmentId }) => String(shipmentId)))]
    const { groups } = await reader.summary(cartons, {
      ...{ 'shipmentId.in': ids.slice(0, queryLimits.values).join(',') },
      ...{ by: 'containerNumber', top: groupsMax },
    })
    for (const { by } of (Array.isArray(groups) ? groups : []).filter(isJsonObject)) {
      const value = isJsonObject(by) ? numberOf(by) : ''
      if (plainNumber(value) === number) written.add(value)
    }
  }
  return [...written].filter(isFilterValue).slice(0, queryLimits.values)
}

const numberOf = ({ containerNumber }: JsonRecord): string => String(containerNumber ?? '')

/** The records of a group that search finds by their container number. */
const foundIn = async (reader: Reader, groups: string, number: string) => {
  const { items, isComplete } = await reader.search({
    ...{ q: number, groups, limit: searchLimits.limit.maximum },
  })
  const records = (Array.isArray(items) ? items : [])
    .filter(isJsonObject)
    .map(({ record }) => (isJsonObject(record) ? record : {}))
    .filter((record) => plainNumber(numberOf(record)) === number)
  return { records, isComplete: isComplete === true || records.length < searchLimits.limit.maximum }
}

/** Several values of a filter are separated by commas. */
const isFilterValue = (text: string): boolean =>
  !text.includes(',') && text.length <= limits.stringFilter.maxLength

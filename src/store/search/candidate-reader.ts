import { limits } from '#contract'
import type { Dialect, Query, Results, Row, Steps } from '#database'
import { type Body, decodeBody } from '../read/body.ts'
import { ofShort, type Reserve, readKey } from '../read/list.ts'
import { compileByKeys, measureRecords, readText } from '../read/records.ts'
import { ownerOf } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import {
  identityBytes,
  searchedValues,
  splitIdentity,
  valueColumns,
} from '../search-index/search-table.ts'

/** A record that may be a result. */
export interface Candidate {
  readonly table: Table
  readonly key: Uint8Array
}

/** The searchable values of a record. */
export type Values = readonly (string | null)[]

/** Reads the data that a search compares and shows, all from one snapshot. */
export interface CandidateReader {
  readonly read: (queries: readonly Query[]) => Promise<Results>
  /** The texts of records. */
  readonly bodies: (candidates: readonly Candidate[]) => Promise<ReadonlyMap<Candidate, Body>>
  /** Only the searchable values of records. */
  readonly values: (candidates: readonly Candidate[]) => Promise<ReadonlyMap<Candidate, Values>>
}

/** The short reads saw different states or long texts, so the search must be repeated in steps. */
export class ReadInSteps extends Error {}

export interface ShortReaderParts {
  readonly read: CandidateReader['read']
  readonly dialect: Dialect
  readonly brand: string
}

/** Reads records with short texts, by short reads. */
export const createShortReader = (parts: ShortReaderParts): CandidateReader => {
  const { read, dialect, brand } = parts

  /**
   * Reads columns of records, with one query per collection. The first column is null if the text
   * is long.
   */
  const readColumns = async (
    candidates: readonly Candidate[],
    columnsOf: (table: Table) => readonly string[],
  ): Promise<ReadonlyMap<Candidate, Row>> => {
    const groups = [...Map.groupBy(candidates, ({ table }) => table)]
    if (groups.length === 0) return new Map()
    const results = await read(
      groups.map(([table, own]) => {
        const keys = own.map(({ key }) => splitIdentity(table, key))
        const columns = columnsOf(table)
        return compileByKeys(table, dialect, ownerOf(table.resource, brand), keys, columns)
      }),
    )
    const rows = new Map<Candidate, Row>()
    for (const [index, [table, own]] of groups.entries()) {
      const byName = new Map(own.map((candidate) => [nameOf(candidate), candidate]))
      for (const row of results[index] ?? []) {
        const key = identityBytes(table, readKey(row, table))
        const candidate = byName.get(nameOf({ table, key }))
        const cells = row.slice(table.key.length)
        if (cells[0] === null) throw new ReadInSteps()
        if (candidate) rows.set(candidate, cells)
      }
    }
    return rows
  }

  return {
    read,
    bodies: async (candidates) => {
      const rows = await readColumns(candidates, () => [dialect.bytes(ofShort('t."body"'))])
      return new Map([...rows].map(([candidate, [body]]) => [candidate, body as Body]))
    },
    values: async (candidates) => {
      const columnsOf = (table: Table) => ['1', ...valueColumns(table, 't', dialect)].map(ofShort)
      const rows = await readColumns(candidates, columnsOf)
      return new Map([...rows].map(([candidate, cells]) => [candidate, cells.slice(1) as Values]))
    },
  }
}

export interface LongReaderParts {
  readonly steps: Steps
  readonly dialect: Dialect
  readonly request: { readonly brand: string; readonly reserve?: Reserve | undefined }
}

/** Reads texts of any length. Reads their lengths first, to reserve memory. */
export const createLongReader = ({ steps, dialect, request }: LongReaderParts): CandidateReader => {
  const { brand, reserve } = request

  const readBodies: CandidateReader['bodies'] = async (candidates) => {
    const bodies = new Map<Candidate, Body>()
    let bytes = 0
    const long: Candidate[] = []
    for (const [table, own] of Map.groupBy(candidates, (each) => each.table)) {
      const byName = new Map(own.map((candidate) => [nameOf(candidate), candidate]))
      const keys = own.map(({ key }) => splitIdentity(table, key))
      const owner = ownerOf(table.resource, brand)
      for (const measured of await measureRecords(steps, dialect, table, owner, keys)) {
        const key = identityBytes(table, measured.key)
        const candidate = byName.get(nameOf({ table, key }))
        if (!candidate) continue
        bytes += measured.bytes
        if (measured.body) bodies.set(candidate, measured.body)
        else long.push(candidate)
      }
    }
    if (bytes > limits.unreservedBytes) await reserve?.(bytes)
    for (const candidate of long) {
      const { table } = candidate
      const key = splitIdentity(table, candidate.key)
      const body = await readText(steps, dialect, table, ownerOf(table.resource, brand), key)
      if (body) bodies.set(candidate, body)
    }
    return bodies
  }

  return {
    read: async (queries) => {
      const results: Results[number][] = []
      for (const query of queries) results.push(await steps.all(query))
      return results
    },
    bodies: readBodies,
    values: async (candidates) => {
      const bodies = await readBodies(candidates)
      return new Map(
        [...bodies].map(([candidate, body]) => [
          candidate,
          searchedValues(candidate.table.resource, JSON.parse(decodeBody(body))),
        ]),
      )
    },
  }
}

/** Names a record uniquely among the candidates of all collections. */
export const nameOf = ({ table, key }: Candidate): string =>
  `${table.name} ${Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')}`

import { unitStates } from '#intake'
import {
  describeUnit,
  discardRows,
  discardUnit,
  listImports,
  listRows,
  listSources,
  listUnits,
  OperatorError,
  readCorrections,
  readImport,
  readRowCells,
  readRowsRequest,
  requireUnit,
  retryUnit,
} from '#operator'
import { choice, flag, listOf, nullable, optional, readFields, text } from '../fields.ts'
import { type Operation, OperationFile, operation } from '../operation.ts'

const name = text(2_000)
const cursor = optional(text(2_000))
const rows = { brand: name, collection: optional(name), source: optional(name) }

const idOf = (params: { readonly [name: string]: string }): string => String(params['id'])

/** Rows that are discarded at once by their ids. */
const idsMax = 1_000

const contentTypes = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const

export const intakeOperations: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/sources',
    read: ({ query }) => readFields(query, { brand: optional(name) }),
    run: async (parts, { brand }) => ({
      items: (await listSources(parts, brand)).map(({ cursor: _, ...source }) => source),
      nextCursor: null,
    }),
  }),
  operation({
    method: 'GET',
    path: '/units',
    read: ({ query }) =>
      readFields(query, { brand: optional(name), state: optional(choice(...unitStates)), cursor }),
    run: ({ units }, input) => listUnits(units, input),
  }),
  operation({
    method: 'GET',
    path: '/units/{id}',
    read: ({ params, query }) => ({ id: idOf(params), ...readFields(query, {}) }),
    run: async ({ units }, { id }) => describeUnit(await requireUnit(units, id)),
  }),
  operation({
    method: 'POST',
    path: '/units/{id}/retry',
    read: ({ params, body }) => ({
      id: idOf(params),
      ...readFields(body, { accept: optional(flag) }),
    }),
    run: async ({ units }, { id, accept = false }) => {
      await retryUnit(units, id, accept)
      return { retried: id }
    },
  }),
  operation({
    method: 'POST',
    path: '/units/{id}/discard',
    read: ({ params, body }) => ({ id: idOf(params), ...readFields(body, {}) }),
    run: async ({ units }, { id }) => {
      await discardUnit(units, id)
      return { discarded: id }
    },
  }),
  operation({
    method: 'GET',
    path: '/imports',
    read: ({ query }) => readFields(query, { brand: optional(name), cursor }),
    run: (parts, input) => listImports(parts, input),
  }),
  operation({
    method: 'GET',
    path: '/imports/{id}',
    read: ({ params, query }) => ({ id: idOf(params), ...readFields(query, {}) }),
    run: (parts, { id }) => readImport(parts, id),
  }),
  operation({
    method: 'GET',
    path: '/rows',
    read: ({ query }) => readFields(query, { ...rows, cursor }),
    run: ({ store }, input) => listRows(store, input),
  }),
  operation({
    method: 'GET',
    path: '/rows/{id}',
    read: ({ params, query }) => ({ id: idOf(params), ...readFields(query, { brand: name }) }),
    run: ({ store }, input) => readRowCells(store, input),
  }),
  operation({
    method: 'POST',
    path: '/rows/discard',
    read: ({ body }) => readFields(body, { ...rows, ids: nullable(listOf(text(200), idsMax)) }),
    run: async ({ store }, { ids, ...filter }) => ({
      discarded: await discardRows(store, await readRowsRequest(store, filter), ids),
    }),
  }),
  operation({
    method: 'GET',
    path: '/rows/corrections',
    read: ({ query }) => readFields(query, rows),
    run: async ({ store }, filter) => {
      const { files, unreadable } = await readCorrections(
        store,
        await readRowsRequest(store, filter),
      )
      return {
        files: files.map((file) => ({ name: file.name, rows: file.rows, remedy: file.remedy })),
        unreadable,
      }
    },
  }),
  operation({
    method: 'GET',
    path: '/rows/corrections/{name}',
    read: ({ params, query }) => ({
      name: String(params['name']),
      filter: readFields(query, rows),
    }),
    run: async ({ store }, { name, filter }) => {
      const request = await readRowsRequest(store, filter)
      const { files } = await readCorrections(store, request)
      const file = files.find((each) => each.name === name)
      if (!file) {
        throw new OperatorError(
          'missing',
          `There is no correction file ${name}: its rows may have been stored or discarded.`,
        )
      }
      return new OperationFile(file.name, contentTypes[file.format], file.pieces())
    },
  }),
]

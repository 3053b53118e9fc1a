import { wholeScope } from '#contract'
import type { Database } from '#database'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { type Body, concatBodies } from './body.ts'
import { joinState } from './collection-state.ts'
import { compileGet, type GetPlan, type GetRequest, planGet } from './get.ts'
import { compileWithIncluded, readBodies, splitIncluded } from './include.ts'
import { bind, createTemplateCache, type QueryTemplate } from './query-template.ts'
import { readRecords } from './records.ts'
import {
  compileStates,
  type DependenciesOf,
  type Dependency,
  parseState,
  readStates,
  type State,
  stateOf,
} from './state.ts'

/** A record's text, and the state it was read from. */
export interface RecordBody extends State {
  readonly body: Body
}

/** The statements of gets that differ only in their values. */
interface GetStatements {
  readonly plan: GetPlan
  readonly dependencies: readonly Dependency[]
  /** Reads the record and the collection states in one row, if nothing is included. */
  readonly singleRow: QueryTemplate<GetRequest> | null
  /** Used otherwise: reads the record with included ones. */
  readonly page: QueryTemplate<GetRequest>
}

export interface RecordReaderParts {
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
  readonly dependenciesOf: DependenciesOf
}

/** Reads one record; null if it does not exist. */
export const createRecordReader = ({ database, tables, dependenciesOf }: RecordReaderParts) => {
  const { dialect } = database
  const cached = createTemplateCache<GetStatements>()

  const statementsFor = (request: GetRequest): GetStatements => {
    const { resource, include } = request
    const names = include.length === 0 ? '' : include.map(({ name }) => name).join()
    return cached(`${resource.path} ${names}`, () => {
      const plan = planGet(request, tables)
      const dependencies = dependenciesOf({ resource, filters: [], include })
      const page = compileGet(plan, dialect)
      return {
        plan,
        dependencies,
        singleRow:
          include.length === 0
            ? compileGet(plan, dialect, (values) => joinState(dependencies, values))
            : null,
        page: compileWithIncluded(page, plan.table.key, include, tables, dialect),
      }
    })
  }

  /** Reads a record that is long, or references one that is. */
  const getLong = (request: GetRequest): Promise<RecordBody | null> =>
    database.readInSteps(ownerNumber(request.brand), request.isCancelled, async (steps) => {
      const { brand, include, key, reserve } = request
      const { plan, dependencies } = statementsFor(request)
      const { state } = await readStates(steps, dependencies, request)
      // The request was checked: it includes nothing outside the scope of its key.
      const scope = wholeScope
      const wanted = { table: plan.table, brand, include, scope, keys: [key], reserve }
      const [body] = await readRecords({ dialect, tables }, steps, wanted)
      return body === undefined ? null : { body: concatBodies(body), ...state }
    })

  return async (request: GetRequest): Promise<RecordBody | null> => {
    const { brand, include } = request
    const { plan, dependencies, singleRow, page } = statementsFor(request)
    const keyColumns = plan.table.key.length
    if (singleRow) {
      const [rows] = await database.read([bind(singleRow, request)], ownerNumber(brand))
      const row = rows?.[0]
      if (!row) return null
      const body = row[keyColumns] as Body | null
      if (body === null) return getLong(request)
      const versions = row.slice(keyColumns + 1, keyColumns + 1 + dependencies.length)
      // After the versions: the first collection's total and the number of the last change.
      const change = row[keyColumns + dependencies.length + 2]
      return { body, ...stateOf(dependencies, brand, versions, change) }
    }
    const states = compileStates(dependencies, request)
    const [rows = [], ...results] = await database.read(
      [bind(page, request), ...states],
      ownerNumber(brand),
    )
    const { page: records, bodies } = splitIncluded(rows, keyColumns, include)
    if (records.length === 0) return null
    const [body] = readBodies(records, plan.table, include, bodies) ?? []
    return body
      ? { body: concatBodies(body), ...parseState(dependencies, brand, results) }
      : getLong(request)
  }
}

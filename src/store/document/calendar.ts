import { createSharedWork } from '#concurrency'
import {
  type Catalog,
  type Condition,
  calendarCollections,
  documentLimits,
  type GroupScope,
  type Today,
  wholeScope,
} from '#contract'
import type { Database, IsCancelled, Steps } from '#database'
import { createBoundedCache } from '../read/bounded-cache.ts'
import { createResume, readRepeatedly } from '../read/resumable-scan.ts'
import {
  type Dependency,
  dependenciesOn,
  readState,
  readStates,
  type State,
} from '../read/state.ts'
import { ownerNumber } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { type CalendarOrder, type OpenOrders, readOpenOrders } from './calendar-orders.ts'
import {
  type CalendarCollection,
  type CalendarGoods,
  type CalendarShipment,
  type CalendarWindow,
  newGoods,
  readGoods,
  readLaunches,
  readShipments,
  readSuppliers,
} from './calendar-parts.ts'
import { resolveIn, viewOf } from './resolve.ts'
import type { DocumentWalk } from './walk.ts'

export interface CalendarRequest {
  readonly brand: string
  readonly today: Today
  /** Other groups read as if they had no records; all groups by default. */
  readonly scope?: GroupScope | undefined
  readonly isCancelled?: IsCancelled | undefined
}

/** The dates of all open orders, from one snapshot. */
export interface OrderCalendar extends State {
  readonly totals: OpenOrders['totals']
  /** Those with the earliest dates, at most `calendarOrdersMax`. */
  readonly orders: readonly CalendarOrder[]
  readonly shipments: readonly CalendarShipment[]
  readonly suppliers: ReadonlyMap<string, string | null>
  readonly collections: readonly CalendarCollection[]
  readonly launchWindows: readonly CalendarWindow[]
}

export interface CalendarParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

/** Cached calendars, one per requesting brand: at most a few MB each. */
const cachedMax = 16
/** Unfinished reads of the goods of orders. */
const unfinishedMax = 16

/**
 * Reads the calendar of open orders, again only after a collection that it depends on has changed.
 * Following the lines of all orders takes longest: if the time of a read ends there, the next one
 * continues. Concurrent requests share one read.
 */
export const createCalendars = ({ catalog, database, tables }: CalendarParts) => {
  const { dialect } = database
  const cached = createBoundedCache<OrderCalendar>(cachedMax)
  const shared = createSharedWork<OrderCalendar>()
  // Copying the goods of thousands of orders takes long.
  const resume = createResume<CalendarGoods>(unfinishedMax, (progress) => progress)

  const dependenciesOf = (scope: GroupScope): readonly Dependency[] =>
    dependenciesOn(
      catalog,
      calendarCollections.filter((path) => path === 'brand' || scope.has(path)),
    )

  const readSteps = async (steps: Steps, request: CalendarRequest): Promise<OrderCalendar> => {
    const { brand, today, scope = wholeScope } = request
    const { state } = await readStates(steps, dependenciesOf(scope), request)
    const viewAt = (group: string, name: string): Condition =>
      resolveIn(catalog, group, viewOf(catalog, group, name).where, {}, today)
    const read: DocumentWalk = {
      ...{ steps, dialect, tables, brand, scope },
      resolve: (where, group) => resolveIn(catalog, group, where, {}, today),
    }
    const { totals, orders } = await readOpenOrders(read, today, viewAt)
    const shipments = await readShipments(read, orders, today, viewAt('shipments', 'delayed'))
    const goods = await resume(nameOf(request), state.version, newGoods, (progress) =>
      readGoods(read, orders, progress),
    )
    const launches = await readLaunches(read, goods)
    const suppliers = await readSuppliers(read, catalog, orders)
    return {
      ...state,
      totals,
      orders: orders.map((order) => ({
        ...order,
        shipmentIds: shipments.byOrder.get(order.id) ?? [],
        ...launches.of(order.id),
      })),
      shipments: shipments.all,
      suppliers,
      collections: launches.collections,
      launchWindows: launches.windows,
    }
  }

  const readAll = (request: CalendarRequest, isCancelled: IsCancelled): Promise<OrderCalendar> =>
    readRepeatedly(database, 'Following so many orders', () =>
      database.readInSteps(
        ownerNumber(request.brand),
        isCancelled,
        (steps) => readSteps(steps, request),
        { timeMs: documentLimits.timeMs },
      ),
    )

  return async (request: CalendarRequest): Promise<OrderCalendar> => {
    const { brand, scope = wholeScope, isCancelled } = request
    const state = await readState(database, dependenciesOf(scope), brand)
    const name = nameOf(request)
    const earlier = cached.get(name)
    if (earlier?.version === state.version) return earlier
    const result = await shared.run(
      `${name} ${state.version}`,
      isCancelled,
      async (haveAllLeft) => {
        const calendar = await readAll(request, haveAllLeft)
        cached.set(name, calendar)
        return calendar
      },
    )
    // The shared read may have come from a replica that lags behind the one read above.
    return result.readState.change < state.readState.change
      ? readAll(request, isCancelled ?? (() => false))
      : result
  }
}

const nameOf = ({ brand, today, scope = wholeScope }: CalendarRequest): string =>
  JSON.stringify([brand, today, scope.id])

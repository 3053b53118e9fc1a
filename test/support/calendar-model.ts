/** The calendar of open orders, worked out from the records of a brand. */
import type { ExportedBrand } from './today-figures.ts'
import { localDay, type ViewContext, type ViewRecord, viewModel } from './view-model.ts'

/** What a response should have, its lists in the order of identities. */
export const calendarOfExport = (
  { timezone, all, find }: Pick<ExportedBrand, 'timezone' | 'all' | 'find'>,
  today: string,
) => {
  const context: ViewContext = { today, timezone, days: null, find, all }
  const isIn = (group: string, view: string, record: ViewRecord): boolean =>
    viewModel[group]?.[view]?.(record, context) ?? false
  const isActive = (record: ViewRecord | undefined): record is ViewRecord =>
    record !== undefined && record['status'] !== 'cancelled' && record['deletedAt'] === null
  const dayOf = (time: string | null) => (time === null ? null : localDay(time, timezone))
  const open = all('orders').filter((order) => isIn('orders', 'open', order))
  const late = all('orders').filter((order) => isIn('orders', 'late', order))
  const by = (path: string, field: string) => Map.groupBy(all(path), (each) => each[field])
  const [links, runs, items] = [
    by('order-shipments', 'orderId'),
    by('production-runs', 'orderId'),
    by('order-items', 'orderId'),
  ]
  const [ofOption, ofProduct, windowsOf] = [
    by('product-option-collections', 'productOptionId'),
    by('product-collections', 'productId'),
    by('product-launch-windows', 'productId'),
  ]
  const orders = open.map((order) => {
    const skus = (items.get(order['id']) ?? []).flatMap(
      ({ skuId }) => (skuId && find('skus', skuId)) || [],
    )
    const collections = skus.flatMap(({ productId, productOptionId }) =>
      [...(ofOption.get(productOptionId) ?? []), ...(ofProduct.get(productId) ?? [])].map(
        ({ collectionId }) => collectionId,
      ),
    )
    const windows = skus.flatMap(({ productId }) =>
      (windowsOf.get(productId) ?? []).map(({ launchWindowId }) => launchWindowId),
    )
    const left = (runs.get(order['id']) ?? [])
      .filter(({ retractedAt }) => retractedAt === null)
      .flatMap(({ actualExFactoryDate }) => actualExFactoryDate ?? [])
      .sort()
      .at(-1)
    const exFactory = order['confirmedExFactoryDate'] ?? order['requestedExFactoryDate']
    return {
      id: order['id'],
      orderNumber: order['orderNumber'],
      status: order['status'],
      supplierId: order['supplierId'],
      pieces: order['totalQuantity'],
      exFactory: {
        requested: order['requestedExFactoryDate'],
        confirmed: order['confirmedExFactoryDate'],
        actual: order['status'] === 'shipped' ? (left ?? null) : null,
      },
      requestedDelivery: order['requestedDeliveryDate'],
      daysLate: late.includes(order) ? (Date.parse(today) - Date.parse(exFactory)) / 86_400_000 : 0,
      shipmentIds: distinct(
        (links.get(order['id']) ?? [])
          .map(({ shipmentId }) => shipmentId)
          .filter((id) => isActive(find('shipments', id))),
      ),
      collectionIds: distinct(collections.filter((id) => isActive(find('collections', id)))),
      launchWindowIds: distinct(windows.filter((id) => isActive(find('launch-windows', id)))),
    }
  })
  const named = (path: string, field: keyof (typeof orders)[number]) =>
    distinct(
      orders.flatMap((order) => (order[field] as string | readonly string[] | null) ?? []),
    ).flatMap((id) => find(path, id) ?? [])
  const totals = (records: readonly ViewRecord[]) => ({
    items: records.length,
    pieces: records.reduce((sum, { totalQuantity }) => sum + totalQuantity, 0),
  })
  return {
    asOf: today,
    timezone,
    open: totals(open),
    late: totals(late),
    isCut: false,
    orders: sorted(orders),
    shipments: named('shipments', 'shipmentIds').map((each) => ({
      id: each['id'],
      shipmentNumber: each['shipmentNumber'],
      status: each['status'],
      departure: {
        planned: dayOf(each['estimatedDepartureAt']),
        actual: dayOf(each['actualDepartureAt']),
      },
      arrival: {
        planned: dayOf(each['estimatedArrivalAt']),
        actual: dayOf(each['actualArrivalAt']),
      },
      isDelayed: isIn('shipments', 'delayed', each),
    })),
    suppliers: named('suppliers', 'supplierId').map(({ id, name }) => ({ id, name })),
    collections: named('collections', 'collectionIds').map(({ id, name, season }) => ({
      ...{ id, name, season },
    })),
    launchWindows: named('launch-windows', 'launchWindowIds').map(
      ({ id, name, channel, startDate, endDate }) => ({
        ...{ id, name, channel },
        from: startDate,
        to: endDate,
      }),
    ),
  }
}

/** A response in the order of identities, to compare it. */
export const comparableCalendar = (calendar: ViewRecord): ViewRecord => ({
  ...calendar,
  ...Object.fromEntries(
    ['orders', 'shipments', 'suppliers', 'collections', 'launchWindows'].map((name) => [
      name,
      sorted(
        calendar[name].map((each: ViewRecord) => ({
          ...each,
          ...(each['shipmentIds'] && { shipmentIds: distinct(each['shipmentIds']) }),
        })),
      ),
    ]),
  ),
})

const distinct = (ids: readonly string[]): readonly string[] => [...new Set(ids)].sort()

const sorted = <Entry extends ViewRecord>(entries: readonly Entry[]): readonly Entry[] =>
  entries.toSorted((one, other) => (one['id'] < other['id'] ? -1 : 1))

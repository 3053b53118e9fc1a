/** What a summary of records is, worked out in memory with whole numbers of tiny units. */
import { localDay, type ViewRecord } from './view-model.ts'

/** Amounts as whole numbers of 10^-24: more places than two factors of the samples have together. */
const places = 24n
const one = 10n ** places

export const exactly = (amount: string | number): bigint => {
  const [whole = '', fraction = ''] = String(amount).replace('-', '').split('.')
  const size = BigInt(whole) * one + BigInt(fraction.padEnd(Number(places), '0'))
  return String(amount).startsWith('-') ? -size : size
}

/** Without zeros at the end, but with two places where it is money. */
export const written = (value: bigint, isMoney: boolean): string => {
  const size = value < 0n ? -value : value
  const digits = String(size % one)
    .padStart(Number(places), '0')
    .replace(/0+$/, '')
  const fraction = isMoney ? digits.padEnd(2, '0') : digits
  return `${value < 0n ? '-' : ''}${size / one}${fraction === '' ? '' : `.${fraction}`}`
}

/** How the records of a group have their currency and their value in the base currency. */
interface Money {
  readonly currency: (record: ViewRecord) => string | null
  /** The value in the base currency; null where that is not known. */
  readonly base?: (record: ViewRecord, value: bigint) => bigint | null
}

export type Find = (path: string, id: string) => ViewRecord | undefined

const byRate = (rate: string | null | undefined, value: bigint) =>
  rate === null || rate === undefined ? null : (value * exactly(rate)) / one

/** A record's rate, if it is one for the currency. */
const rateOf = (document: ViewRecord | undefined, currency: string | null) =>
  document?.['currency'] === currency ? document?.['exchangeRate'] : null

/** Written from the contract's notes on each amount and the page about figures. */
export const moneyOf = (group: string, field: string, find: Find): Money | null => {
  const own: Money['currency'] = (record) => record['currency']
  /** The amounts are in the currency of another record and have its rate. */
  const of = (path: string, reference: string): Money => {
    const document = (record: ViewRecord) => find(path, record[reference])
    return {
      currency: (record) => document(record)?.['currency'] ?? null,
      base: (record, value) => byRate(document(record)?.['exchangeRate'], value),
    }
  }
  /** The base amount that a record states comes before any rate. */
  const stated = (name: string, money: Money): Money => ({
    currency: money.currency,
    base: (record, value) =>
      record[name] === null ? (money.base?.(record, value) ?? null) : exactly(record[name]),
  })
  const ownRate: Money = {
    currency: own,
    base: (record, value) => byRate(record['exchangeRate'], value),
  }
  const ofOrder = (agreement: ViewRecord | undefined, value: bigint) => {
    const order = agreement && find('orders', agreement['orderId'])
    return byRate(rateOf(order, agreement?.['currency']), value)
  }
  switch (`${group} ${field}`) {
    case 'orders totalAmount':
    case 'invoices totalAmount':
    case 'invoices balanceAmount':
    case 'invoices paidAmount':
    case 'payments bankFeeAmount':
      return ownRate
    case 'payments amount':
    case 'shipment-charges amount':
      return stated('baseAmount', ownRate)
    case 'payments baseAmount':
      return { currency: () => 'base' }
    case 'order-items unitPrice':
      return stated('unitPriceBase', of('orders', 'orderId'))
    case 'invoice-lines amount':
    case 'invoice-lines taxAmount':
      return of('invoices', 'invoiceId')
    case 'payment-settlements amount':
      return of('payments', 'paymentId')
    case 'payment-settlements invoiceAmount':
      return of('invoices', 'invoiceId')
    case 'payment-receipts statedAmount':
      return {
        currency: (record) => record['statedCurrency'],
        base: (record, value) =>
          byRate(rateOf(find('payments', record['paymentId']), record['statedCurrency']), value),
      }
    case 'payment-agreements totalAmount':
      return { currency: own, base: ofOrder }
    case 'payment-milestones amount':
      return {
        currency: (record) =>
          find('payment-agreements', record['paymentAgreementId'])?.['currency'] ?? null,
        base: (record, value) =>
          ofOrder(find('payment-agreements', record['paymentAgreementId']), value),
      }
    case 'boms totalCost':
      return { currency: own }
    case 'inventory unitCost':
      return { currency: () => 'base' }
    default:
      return null
  }
}

export interface ModelRequest {
  readonly group: string
  readonly sum: readonly string[]
  readonly min: readonly string[]
  readonly max: readonly string[]
  readonly by: readonly string[]
  /** The order of groups: `-qty`, `items`. */
  readonly sort?: string | undefined
  readonly top?: number | undefined
  readonly today: string
  readonly timezone: string
  readonly baseCurrency: string
}

const isAmount = (field: string) =>
  /(Amount|^amount|Cost|weightKg|volumeCbm|exchangeRate|percent)$/i.test(field)

const byText = (one: string | null, other: string | null) =>
  one === other ? 0 : one === null ? 1 : other === null ? -1 : one < other ? -1 : 1

const figures = (records: readonly ViewRecord[], request: ModelRequest, find: Find) => {
  const { group, sum, min, max, baseCurrency } = request
  const valued = (field: string, of = records) => of.filter((record) => record[field] !== null)
  const amountsOf = (of: readonly ViewRecord[], field: string, { currency }: Money) => {
    const currencies = Map.groupBy(valued(field, of), (record) => {
      const code = currency(record)
      return code === 'base' ? baseCurrency : code
    })
    return [...currencies].sort(([a], [b]) => byText(a, b))
  }
  const sumOf = (field: string) => {
    const money = moneyOf(group, field, find)
    const values = valued(field).map((record) => exactly(record[field]))
    const total = values.reduce((all, value) => all + value, 0n)
    if (!money) return isAmount(field) ? written(total, false) : Number(total / one)
    let base = 0n
    const leftOut: ViewRecord[] = []
    for (const record of valued(field)) {
      const value = exactly(record[field])
      const code = money.currency(record)
      const isBase = code === 'base' || code === baseCurrency
      const inBase = isBase ? value : (money.base?.(record, value) ?? null)
      if (inBase === null) leftOut.push(record)
      else base += inBase
    }
    const sums = (of: readonly ViewRecord[]) =>
      amountsOf(of, field, money).map(([currency, each]) => ({
        currency,
        amount: written(
          each.reduce((all, record) => all + exactly(record[field]), 0n),
          true,
        ),
        items: each.length,
      }))
    return {
      currencies: sums(records),
      base: {
        currency: baseCurrency,
        amount: written(base, true),
        withoutRate: leftOut.length,
        leftOut: sums(leftOut),
      },
    }
  }
  const extremeOf = (field: string, sign: 1 | -1) => {
    const money = moneyOf(group, field, find)
    const best = (values: readonly bigint[]) =>
      values.reduce((a, b) => ((b > a ? sign : -sign) > 0 ? b : a))
    if (money) {
      return amountsOf(records, field, money).map(([currency, each]) => ({
        currency,
        amount: written(best(each.map((record) => exactly(record[field]))), true),
        items: each.length,
      }))
    }
    const values = valued(field).map((record) => record[field])
    if (values.length === 0) return null
    if (typeof values[0] === 'number') return sign > 0 ? Math.max(...values) : Math.min(...values)
    if (isAmount(field)) return written(best(values.map(exactly)), false)
    return values.toSorted()[sign > 0 ? values.length - 1 : 0]
  }
  const all = <Value>(fields: readonly string[], of: (field: string) => Value) =>
    Object.fromEntries(fields.map((field) => [field, of(field)]))
  return {
    items: records.length,
    ...(sum.length > 0 && { sum: all(sum, sumOf) }),
    ...(min.length > 0 && { min: all(min, (field) => extremeOf(field, -1)) }),
    ...(max.length > 0 && { max: all(max, (field) => extremeOf(field, 1)) }),
  }
}

const ageing = ['notDue', '1-30', '31-60', '61-90', 'over90']

const groupOf = (record: ViewRecord, by: string, { today, timezone }: ModelRequest) => {
  const [field = '', dates] = by.split(':')
  const value = record[field]
  if (value === null || dates === undefined) return value
  const day = value.includes('T') ? localDay(value, timezone) : value
  if (dates === 'month') return day.slice(0, 7)
  const days = Math.round((Date.parse(today) - Date.parse(day)) / 86_400_000)
  if (dates === 'ageing') {
    return ageing[days <= 0 ? 0 : days <= 30 ? 1 : days <= 60 ? 2 : days <= 90 ? 3 : 4]
  }
  return isoWeek(day)
}

/** By counting weeks from the one with the fourth of January. */
const isoWeek = (day: string): string => {
  const mondayOf = (each: number) => each - ((new Date(each).getUTCDay() + 6) % 7) * 86_400_000
  const monday = mondayOf(Date.parse(day))
  for (const more of [1, 0, -1]) {
    const year = String(Number(day.slice(0, 4)) + more).padStart(4, '0')
    const first = mondayOf(Date.parse(`${year}-01-04`))
    if (Number.isNaN(first) || monday < first) continue
    const week = Math.round((monday - first) / (7 * 86_400_000)) + 1
    return `${year}-W${String(week).padStart(2, '0')}`
  }
  throw new RangeError(day)
}

/** The summary of records, as the API writes it. */
export const summaryModel = (records: readonly ViewRecord[], request: ModelRequest, find: Find) => {
  const order = (name: string, value: unknown): string => {
    const isAgeing = name.endsWith(':ageing')
    return isAgeing ? String(ageing.indexOf(String(value))) : String(value)
  }
  const groups = Map.groupBy(records, (record) =>
    JSON.stringify(request.by.map((name) => groupOf(record, name, request))),
  )
  const keys = [...groups.keys()].map((key) => JSON.parse(key) as unknown[])
  keys.sort((a, b) => {
    for (const [at, name] of request.by.entries()) {
      const [left, right] = [a[at], b[at]].map((v) => (v === null ? null : order(name, v)))
      const sign = byText(left ?? null, right ?? null)
      if (sign !== 0) return sign
    }
    return 0
  })
  const all =
    request.by.length === 0
      ? []
      : keys.map((key) => ({
          by: Object.fromEntries(request.by.map((name, at) => [name, key[at]])),
          ...figures(groups.get(JSON.stringify(key)) ?? [], request, find),
        }))
  const { sort, top = all.length } = request
  return {
    total: figures(records, request, find),
    groups: (sort === undefined ? all : all.toSorted(byRank(sort))).slice(0, top),
    groupCount: all.length,
  }
}

/** By the number of records or a sum, in base currency if it is money; equal ones as they were. */
const byRank = (sort: string) => {
  const name = sort.replace('-', '')
  const rank = (group: ViewRecord) => {
    const sum = name === 'items' ? group['items'] : group['sum'][name]
    return exactly(typeof sum === 'object' ? sum.base.amount : sum)
  }
  const sign = sort.startsWith('-') ? -1 : 1
  return (a: ViewRecord, b: ViewRecord) => {
    const [left, right] = [rank(a), rank(b)]
    return left === right ? 0 : left < right ? -sign : sign
  }
}

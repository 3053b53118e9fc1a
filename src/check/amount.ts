import { type Sql, scaled, sql } from './sql.ts'

/**
 * Exact arithmetic on amounts. An amount in SQL is an integer with a scale. These functions convert
 * both amounts to one scale, so that rules do not have to.
 */
export const plus = (...amounts: readonly Sql[]): Sql => {
  const scale = Math.max(...amounts.map((each) => each.scale))
  return scaled(scale, (to) => [
    `(${amounts.map((each) => atScale(each, scale).write(to)).join(' + ')})`,
  ])
}

export const minus = (a: Sql, b: Sql): Sql => plus(a, times(b, whole(-1)))

export const times = (...amounts: readonly Sql[]): Sql =>
  scaled(
    amounts.reduce((sum, each) => sum + each.scale, 0),
    (to) => [`(${amounts.map((each) => each.write(to)).join(' * ')})`],
  )

/** A hundredth, thousandth, millionth of an amount. */
export const shiftedBy = (amount: Sql, places: number): Sql => ({
  ...amount,
  scale: amount.scale + places,
})

export const percentOf = (percent: Sql, amount: Sql): Sql => shiftedBy(times(percent, amount), 2)

export const whole = (value: number): Sql => sql`${value}`

/** The amount, or 0 if it is null. */
export const orZero = (amount: Sql): Sql =>
  scaled(amount.scale, (to) => [`coalesce(${amount.write(to)}, 0)`])

/** The first of two amounts that is not null. */
export const orElse = (a: Sql, b: Sql): Sql => {
  const scale = Math.max(a.scale, b.scale)
  return scaled(scale, (to) => [
    `coalesce(${atScale(a, scale).write(to)}, ${atScale(b, scale).write(to)})`,
  ])
}

export const sum = (amount: Sql): Sql => aggregate('sum', amount)
export const most = (amount: Sql): Sql => aggregate('max', amount)
export const count: Sql = sql`count(*)`
export const countPresent = (value: Sql): Sql => sql`count(${value})`

const aggregate = (name: string, amount: Sql): Sql =>
  scaled(amount.scale, (to) => [`${name}(${amount.write(to)})`])

/** The first amount is greater than the second. */
export const over = (a: Sql, b: Sql): Sql => compared(a, '>', b)

/** Two amounts differ. */
export const unequal = (a: Sql, b: Sql): Sql => compared(a, '<>', b)

/** Two amounts differ by more than rounding to this number of decimal places can explain. */
export const apart = (a: Sql, b: Sql, places: number): Sql => {
  const difference = minus(a, b)
  const unit = 10 ** Math.max(0, difference.scale - places)
  return sql`abs(${difference}) * 2 > ${unit}`
}

const compared = (a: Sql, sign: '>' | '<>', b: Sql): Sql => {
  const scale = Math.max(a.scale, b.scale)
  const [left, right] = [atScale(a, scale), atScale(b, scale)]
  return {
    scale: 0,
    write: (to) => `${left.write(to)} ${sign} ${right.write(to)}`,
  }
}

const atScale = (amount: Sql, scale: number): Sql =>
  amount.scale === scale
    ? amount
    : scaled(scale, (to) => [`(${amount.write(to)} * ${10 ** (scale - amount.scale)})`])

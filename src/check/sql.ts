import { type Measure, zoneShiftMaxMs } from '#contract'
import { type Dialect, literal } from '#database'

/** The context that SQL is written for: an engine, and the current date. */
export interface Writing {
  readonly dialect: Dialect
  /** Such as `2026-06-01`. */
  readonly today: string
  /** The times of the check and of the last import before it, in milliseconds since 1970. */
  readonly now: number
  readonly lastImport: number
  /** Names of the existing indexes. */
  readonly indexes: ReadonlySet<string>
  /** Called for each collection that is read. */
  readonly onTable?: (path: string) => void
  /** Called where the date is used. */
  readonly onToday?: () => void
}

/**
 * A fragment of SQL. Rules consist of fragments. The text is written when the engine is known, so that
 * a rule is plain data and independent of the engine.
 */
export interface Sql {
  readonly write: (to: Writing) => string
  /** Decimal places of the value, which is an integer: 3 if 1250 means 1.25. */
  readonly scale: number
  /** Whether the value is an identifier, which is shown as text. */
  readonly isIdentifier?: boolean | undefined
  /** The column, if the fragment is only a column. */
  readonly column?: Column
  /** The columns that a condition compares for equality, so that an index can be used. */
  readonly finds?: readonly Column[]
}

/** A column of the table under an alias. */
export interface Column {
  readonly alias: string
  readonly name: string
}

/** A template of SQL: fragments are inserted, strings become literals. */
export const sql = (texts: TemplateStringsArray, ...parts: readonly (Sql | string | number)[]) =>
  scaled(0, (to) =>
    texts.map((text, index) => text + (index < parts.length ? writePart(parts[index], to) : '')),
  )

/** SQL whose value is a scaled integer. */
export const scaled = (scale: number, write: (to: Writing) => readonly string[]): Sql => ({
  scale,
  write: (to) => write(to).join(''),
})

const writePart = (part: Sql | string | number | undefined, to: Writing): string => {
  if (typeof part === 'object') return part.write(to)
  return typeof part === 'number' ? String(part) : literal(part ?? '')
}

/** The date of the check. */
export const today: Sql = {
  scale: 0,
  write: (to) => {
    to.onToday?.()
    return literal(to.today)
  },
}

/** The time of the check. The result changes with the day at the latest. */
export const now: Sql = {
  scale: 0,
  write: (to) => {
    to.onToday?.()
    return String(to.now)
  },
}

/** The last time that a wrong time zone explains, if a record was changed just before the check. */
export const latestExplained: Sql = sql`${now} + ${zoneShiftMaxMs}`

export const lastImport: Sql = { scale: 0, write: (to) => String(to.lastImport) }

/** Decimal places of an amount: those of the contract, and some more. */
export const scales: Record<Measure, number> = {
  money: 4,
  unitPrice: 6,
  percent: 4,
  rate: 8,
  quantity: 4,
  weightKg: 4,
  volumeCbm: 6,
  lengthCm: 2,
  measurement: 4,
  coordinate: 6,
  gsm: 2,
}

/** Expressions that differ between engines for a value from a record's JSON. */
interface Spelling {
  /** An integer. */
  readonly integer: (json: string) => string
  /** A condition. */
  readonly flag: (json: string) => string
  /** A decimal text as an integer number of 10^-scale. */
  readonly amount: (json: string, scale: number) => string
}

export const spellings: Record<Dialect['name'], Spelling> = {
  sqlite: {
    integer: (json) => json,
    flag: (json) => `${json} = 1`,
    // A double has 15 digits, which is enough for every amount. Sums of the integers are exact. Larger
    // numbers stay doubles: as integers they would all be the largest one, and their sum an error.
    amount: (json, scale) => {
      const units = `round(cast(${json} as real) * ${10 ** scale})`
      return `case when abs(${units}) < ${2 ** 53} then cast(${units} as integer) else ${units} end`
    },
  },
  postgres: {
    integer: (json) => `cast(${json} as bigint)`,
    flag: (json) => `${json} = 'true'`,
    // The longest amounts of earlier releases have more digits than the type.
    amount: (json, scale) => `round(cast(substr(${json}, 1, 1000) as numeric) * ${10 ** scale})`,
  },
}

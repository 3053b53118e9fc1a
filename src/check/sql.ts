import type { Measure } from '#contract'
import type { Dialect } from '#database'

/** What SQL is written for: an engine, and the day that counts as today. */
export interface Writing {
  readonly dialect: Dialect
  /** Such as `2026-06-01`. */
  readonly today: string
  /** The names of the indexes there are. */
  readonly indexes: ReadonlySet<string>
}

/**
 * A piece of SQL. Rules are made of these, and their text is written once the engine is known, so
 * that a rule is plain data and says nothing about engines.
 */
export interface Sql {
  readonly write: (to: Writing) => string
  /** How many decimal places its value, an integer, stands for: 3 when 1250 means 1.25. */
  readonly scale: number
  /** The column it is, when it is nothing else. */
  readonly column?: Column
  /** The columns that a condition holds equal to something, so that rows are found by them. */
  readonly finds?: readonly Column[]
}

/** A column of the table under an alias. */
export interface Column {
  readonly alias: string
  readonly name: string
}

/** SQL as it is read: pieces are written in place, texts become literals. */
export const sql = (texts: TemplateStringsArray, ...parts: readonly (Sql | string | number)[]) =>
  scaled(0, (to) =>
    texts.map((text, index) => text + (index < parts.length ? writePart(parts[index], to) : '')),
  )

/** SQL whose value is an integer that stands for a decimal number. */
export const scaled = (scale: number, write: (to: Writing) => readonly string[]): Sql => ({
  scale,
  write: (to) => write(to).join(''),
})

const writePart = (part: Sql | string | number | undefined, to: Writing): string => {
  if (typeof part === 'object') return part.write(to)
  return typeof part === 'number' ? String(part) : literal(part ?? '')
}

export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The day the check is made on. */
export const today: Sql = { scale: 0, write: (to) => literal(to.today) }

/** How many decimal places are kept of an amount: the contract's suggestion and some to spare. */
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

/** What the engines say differently about a value taken out of a record's JSON. */
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
    // A double holds 15 digits, which no amount of these measures needs; sums are then exact.
    amount: (json, scale) => `cast(round(cast(${json} as real) * ${10 ** scale}) as integer)`,
  },
  postgres: {
    integer: (json) => `cast(${json} as bigint)`,
    flag: (json) => `${json} = 'true'`,
    amount: (json, scale) => `round(cast(${json} as numeric) * ${10 ** scale})`,
  },
}

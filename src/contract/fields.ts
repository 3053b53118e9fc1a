/**
 * The kinds of fields. Every consumer of the contract (schema, validator, table, cell) has a table
 * keyed by `Kind`, so a new kind does not compile until each table has a row for it.
 */
export type Kind =
  | 'id'
  | 'ref'
  | 'person'
  | 'text'
  | 'integer'
  | 'flag'
  | 'amount'
  | 'date'
  | 'timestamp'
  | 'any'
  | 'texts'
  | 'object'
  | 'objects'

/** The quantity that an amount measures. */
export type Measure =
  | 'money'
  | 'unitPrice'
  | 'percent'
  | 'rate'
  | 'quantity'
  | 'weightKg'
  | 'volumeCbm'
  | 'lengthCm'
  | 'measurement'
  | 'coordinate'
  | 'gsm'

/**
 * Code lists and check-digit rules for a text, as the specification names them. The JSON type is an
 * open string. `codeRules` has the checks.
 */
export const codes = {
  country: 'ISO 3166-1 alpha-2',
  currency: 'ISO 4217',
  incoterm: 'Incoterms 2020 code',
  hts: 'tariff code, 6 to 10 digits',
  gtin: 'GTIN with check digit',
  gln: 'GLN with check digit',
  sscc: 'SSCC with check digit',
  container: 'ISO 6346 container number with check digit',
  imo: 'IMO ship number',
  hex: 'colour as # and six hexadecimal digits',
} as const

/** Further codes. Documents of the public API do not name them: the specification does not. */
export const furtherCodes = {
  timezone: 'IANA time zone name, not an offset',
  latitude: 'degrees from -90 to 90',
  longitude: 'degrees from -180 to 180',
  locode: 'UN/LOCODE without a space',
  language: 'ISO 639-1',
  email: 'e-mail address',
  url: 'URL with http or https',
} as const

export type Code = keyof typeof codes | keyof typeof furtherCodes

/** The code of a field, if the specification names it. */
export const specifiedCode = ({ code }: Field): keyof typeof codes | undefined =>
  code !== undefined && code in codes ? (code as keyof typeof codes) : undefined

export type Fields = { readonly [name: string]: Field }

/** One field of a record, as data. The kind determines which optional properties are set. */
export interface Field {
  readonly kind: Kind
  readonly nullable: boolean
  readonly note?: string
  /** `ref`: the target collection. */
  readonly to?: string
  /** `text`: known values, lifecycle states first, in order. */
  readonly values?: readonly string[]
  readonly lifecycle?: readonly string[]
  /** `text`, and `amount` for a coordinate. */
  readonly code?: Code
  /** `amount` */
  readonly measure?: Measure
  /** The source of the currency: a field, a path through references, or the base currency. */
  readonly currencyFrom?: string
  /** `object`, `objects` */
  readonly fields?: Fields
}

interface TextOptions {
  readonly values?: readonly string[]
  readonly lifecycle?: readonly string[]
  readonly code?: Code
  readonly note?: string
}

export const id = () => ({ kind: 'id', nullable: false }) as const

export const ref = <const To extends string>(to: To, note?: string) =>
  noted({ kind: 'ref', nullable: false, to } as const, note)

/** The identifier of a user. The API has no resource for users. */
export const person = (note?: string) => noted({ kind: 'person', nullable: false } as const, note)

/** A string. `lifecycle` lists the states in order, `values` the other values. */
export const text = (options: TextOptions | string = {}) => {
  const { note, values = [], lifecycle, code } = asOptions(options)
  const allValues = [...(lifecycle ?? []), ...values]
  return noted(
    {
      kind: 'text',
      nullable: false,
      ...(allValues.length > 0 && { values: allValues }),
      ...(lifecycle && { lifecycle }),
      ...(code && { code }),
    } as const,
    note,
  )
}

export const integer = (note?: string) => noted({ kind: 'integer', nullable: false } as const, note)

export const flag = (note?: string) => noted({ kind: 'flag', nullable: false } as const, note)

/** A decimal number as a string, with all its digits. */
export const amount = (measure: Measure, currencyFrom?: string | null, note?: string) =>
  noted(
    { kind: 'amount', nullable: false, measure, ...(currencyFrom && { currencyFrom }) } as const,
    note,
  )

/** Degrees of latitude or longitude. */
export const coordinate = <const C extends 'latitude' | 'longitude'>(code: C) =>
  ({ ...amount('coordinate'), code }) as const

export const date = (note?: string) => noted({ kind: 'date', nullable: false } as const, note)

export const timestamp = (note?: string) =>
  noted({ kind: 'timestamp', nullable: false } as const, note)

/** Any JSON value. */
export const any = (note?: string) => noted({ kind: 'any', nullable: false } as const, note)

export const texts = (note?: string) => noted({ kind: 'texts', nullable: false } as const, note)

export const object = <const F extends Fields>(fields: F, note?: string) =>
  noted({ kind: 'object', nullable: false, fields } as const, note)

export const objects = <const F extends Fields>(fields: F, note?: string) =>
  noted({ kind: 'objects', nullable: false, fields } as const, note)

/** Returns the field as nullable. */
export const nullable = <const F extends Field>(field: F): Nullable<F> =>
  ({ ...field, nullable: true }) as Nullable<F>

type Nullable<F extends Field> = { [P in keyof F]: P extends 'nullable' ? true : F[P] }

const noted = <const F extends Field>(field: F, note: string | undefined): F =>
  note === undefined ? field : { ...field, note }

/** The creation and last-change times of a record. */
export const changeTimes = { createdAt: timestamp(), updatedAt: timestamp() }

/** `changeTimes`, and the deletion time of a record that is kept after deletion. */
export const recordTimes = { ...changeTimes, deletedAt: nullable(timestamp()) }

const asOptions = (options: TextOptions | string): TextOptions =>
  typeof options === 'string' ? { note: options } : options

/** A field that holds a value rather than further fields. */
export interface LeafField {
  /** Its dotted name, such as `relationship.status`. */
  readonly name: string
  /** The parts of its name, for `valueAt`. */
  readonly path: readonly string[]
  readonly field: Field
}

/** The fields of a record in the contract's order, with each object replaced by its fields. */
export const leafFields = (fields: Fields, parents: readonly string[] = []): readonly LeafField[] =>
  Object.entries(fields).flatMap(([name, field]) => {
    const path = [...parents, name]
    return field.kind === 'object'
      ? leafFields(field.fields ?? {}, path)
      : [{ name: path.join('.'), path, field }]
  })

/**
 * The column with an amount's exact digits in a table that stores it as a binary number:
 * `totalAmountText` beside `totalAmount`.
 */
export const exactTextColumn = (name: string): string => `${name}Text`

/** The value of a field by its dotted name or path; null if it is missing. */
export const valueAt = (record: unknown, path: string | readonly string[]): JsonValue => {
  let value = record
  for (const name of typeof path === 'string' ? path.split('.') : path) {
    value = (value as { readonly [name: string]: unknown } | null | undefined)?.[name]
  }
  return (value ?? null) as JsonValue
}

/** The TypeScript type of a field's value, by kind. */
export interface ValueByKind {
  id: string
  ref: string
  person: string
  text: string
  integer: number
  flag: boolean
  amount: string
  date: string
  timestamp: string
  any: JsonValue
  texts: readonly string[]
  object: { readonly [name: string]: JsonValue }
  objects: readonly { readonly [name: string]: JsonValue }[]
}

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

/** Whether a parsed JSON value is an object. */
export const isJsonObject = (value: unknown): value is { readonly [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type NotNull<F extends Field> = F extends {
  readonly kind: 'object'
  readonly fields: infer Inner extends Fields
}
  ? FieldsRecord<Inner>
  : F extends { readonly kind: 'objects'; readonly fields: infer Inner extends Fields }
    ? readonly FieldsRecord<Inner>[]
    : ValueByKind[F['kind']]

export type ValueOf<F extends Field> = F['nullable'] extends true ? NotNull<F> | null : NotNull<F>

export type FieldsRecord<F extends Fields> = { readonly [Name in keyof F]: ValueOf<F[Name]> }

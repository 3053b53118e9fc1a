import {
  addInvalid,
  type Code,
  type CodedField,
  catalog,
  codedFields,
  codeRules,
  fieldAt,
  type InvalidCode,
  type Resource,
  type ResourcePath,
} from '#contract'
import { literal } from '#database'
import { any, present } from '../condition.ts'
import { type Finding, scan } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { fieldText, row } from '../source.ts'
import { type Sql, scaled, sql } from '../sql.ts'
import { readJson } from './lists.ts'

/** The id, the rule and the remedy of each code. */
const texts: Record<Code, readonly [id: string, sentence: string, remedy: string]> = {
  country: [
    'COD-01',
    'A country is an ISO 3166-1 alpha-2 code, or XK.',
    'Replace the value by the two-letter code of the country.',
  ],
  currency: [
    'COD-02',
    'A currency is an ISO 4217 code, also one that is no longer in use.',
    'Replace the value by the three-letter code of the currency.',
  ],
  timezone: [
    'COD-03',
    'A time zone is an IANA name such as Europe/Berlin, not an offset.',
    'Replace the value by the IANA name of the time zone.',
  ],
  gtin: [
    'COD-04',
    'A GTIN has 8, 12, 13 or 14 digits with a valid check digit.',
    'Compare the GTIN with the article, and correct it.',
  ],
  gln: [
    'COD-05',
    'A GLN has 13 digits with a valid check digit.',
    'Ask the owner of the location for its GLN, and correct it.',
  ],
  sscc: [
    'COD-06',
    'An SSCC has 18 digits with a valid check digit.',
    'Compare the SSCC with the label of the carton, and correct it.',
  ],
  hex: [
    'COD-07',
    'A colour is # and six hexadecimal digits.',
    'Write the colour as # and six hexadecimal digits.',
  ],
  latitude: [
    'COD-08',
    'A latitude is from -90 to 90.',
    'Correct the latitude: in degrees, and not in exchange for the longitude.',
  ],
  longitude: ['COD-09', 'A longitude is from -180 to 180.', 'Correct the longitude: in degrees.'],
  container: [
    'COD-10',
    'A container number has four letters and seven digits with a valid check digit.',
    'Compare the container number with the bill of lading, and correct it.',
  ],
  imo: [
    'COD-11',
    'An IMO ship number has seven digits with a valid check digit.',
    'Look up the IMO number of the vessel, and correct it.',
  ],
  hts: ['COD-12', 'A tariff code has 6 to 10 digits.', 'Complete or correct the tariff code.'],
  incoterm: [
    'COD-13',
    'An Incoterm is one of the Incoterms 2020.',
    'Replace the term by one of the Incoterms 2020.',
  ],
  locode: [
    'COD-14',
    'A UN/LOCODE is a country code and three characters.',
    'Look up the UN/LOCODE of the place, and write it without a space.',
  ],
  language: [
    'COD-15',
    'A language is an ISO 639-1 code.',
    'Replace the value by the two-letter code of the language.',
  ],
  email: ['COD-16', 'An e-mail address has a name, @ and a domain.', 'Correct the e-mail address.'],
  url: [
    'COD-17',
    'A URL begins with https:// or http://.',
    'Complete the URL with https:// or http://.',
  ],
}

/** A conservative condition in SQL, so that few rows are read: it holds for every invalid value. */
const suspicious = (code: Code, value: Sql): Sql => {
  const { list } = codeRules[code]
  if (list) {
    return scaled(0, (to) => [`${value.write(to)} not in (${[...list().codes].map(literal)})`])
  }
  if (code !== 'hts') return present(value)
  const digits = sql`replace(replace(replace(${value}, ' ', ''), '.', ''), '-', '')`
  return any(
    sql`ltrim(${digits}, '0123456789') <> ''`,
    sql`length(${digits}) < 6`,
    sql`length(${digits}) > 10`,
  )
}

const lengthMax = 60

const describe = ({ pointer, value, reason }: InvalidCode): string =>
  `${pointer.slice(1)} ${value.length > lengthMax ? `${value.slice(0, lengthMax)}…` : value} ${reason}`

/** A field of a record with its codes: a text, or a list of objects. */
interface Holder {
  readonly path: readonly string[]
  readonly isList: boolean
  /** The path of the code in each object of the list. */
  readonly inner: readonly string[]
}

const holderOf = ({ fields }: Resource, { path }: CodedField): Holder => {
  const list = path.findIndex(
    (_, index) => fieldAt(fields, path.slice(0, index + 1).join('.'))?.kind === 'objects',
  )
  return list < 0
    ? { path, isList: false, inner: [] }
    : { path: path.slice(0, list + 1), isList: true, inner: path.slice(list + 1) }
}

/** The records of a collection that have an invalid code of this kind. */
const invalidCodes = (code: Code, resource: Resource): Finding => {
  const record = row(resource.path as ResourcePath, 'record')
  const holders = codedFields(resource.fields)
    .filter((each) => each.code === code)
    .map((each) => holderOf(resource, each))
  const reads = holders.map(({ path, isList }) => ({ isList, value: fieldText(record, path) }))
  return scan({
    from: record,
    where: any(
      ...reads.map(({ isList, value }) => (isList ? present(value) : suspicious(code, value))),
    ),
    read: Object.fromEntries(reads.map(({ value }, index) => [String(index), value])),
    judge: (values) => {
      const invalid: InvalidCode[] = []
      for (const [index, { path, isList, inner }] of holders.entries()) {
        const text = values[String(index)] ?? null
        addInvalid(code, isList ? readJson(text) : text, inner, `/${path.join('/')}`, invalid)
      }
      return invalid.length === 0 ? undefined : invalid.map(describe).join(', ')
    },
  })
}

/** COD-01 to COD-17: one rule for each code, over all fields that hold it. */
export const codeRuleList: readonly Rule[] = Object.entries(texts).map(
  ([name, [id, sentence, remedy]]) => {
    const code = name as Code
    const resources = catalog.resources.filter(({ fields }) =>
      codedFields(fields).some((each) => each.code === code),
    )
    const { severity } = codeRules[code]
    return {
      ...rule(
        id,
        severity,
        resources.map(({ path }) => path as ResourcePath),
        sentence,
        remedy,
        ...resources.map((resource) => invalidCodes(code, resource)),
      ),
      ...(severity === 'error' && { check: code }),
    }
  },
)

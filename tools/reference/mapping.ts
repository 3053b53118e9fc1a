import { limits } from '#contract'
import { lookupLimits } from '../../src/mapping/context.ts'
import { patternTokens, timeNumbers } from '../../src/mapping/date-format.ts'
import { textFunctions } from '../../src/mapping/functions.ts'
import {
  collectionSettings,
  conditionSettings,
  fileSettings,
  formatSettings,
  fromSettings,
  joinSettings,
  lookupSettings,
  modifierSettings,
  type Setting,
  sourceSettings,
  trailerSettings,
} from '../../src/mapping/syntax.ts'
import { units } from '../../src/mapping/units.ts'
import { code, page, table } from './markdown.ts'

/** The reference of mapping files. */
export const mappingPage = (): string =>
  page(
    '# Mapping files',
    [
      'A mapping file says how rows of another system become records:',
      '[how to write one](../how-to/map-your-files.md). It is YAML 1.2. Its JSON Schema is',
      '[mapping.schema.json](mapping.schema.json), which `selvedge map schema` prints.',
    ].join('\n'),
    '## The file',
    settings(fileSettings),
    '## A collection',
    settings(collectionSettings),
    [
      'A collection can also have a list of mappings, for several sources. The value of a field is a column, an',
      'expression, or, for times, `first-seen` or `last-changed`: the time of the import that brought the record first,',
      'or changed it last. A field inside an object is written `relationship.status`.',
    ].join('\n'),
    '## from',
    'A text alone is a pattern of file names. At least one of `files`, `sql`, `rows` and `given` is needed.',
    settings(fromSettings),
    '## join',
    'At least one of `files`, `sql`, `rows` and `given` is needed: all that `from` has, or `given` alone.',
    settings(joinSettings),
    '## trailer',
    '`trailer: { startsWith: T, count: 2, sum: { AMOUNT: 3 } }` for the last line `T;120;8640,00`. Write it in every mapping that reads the file.',
    settings(trailerSettings),
    '## Conditions',
    'A text or a list of texts: the cell is one of them. An empty text stands for an empty cell.',
    settings(conditionSettings),
    '## Expressions',
    'Exactly one of these says where the value comes from:',
    settings(sourceSettings),
    '`when` has cases in order, each with conditions on several columns:',
    [
      '```yaml',
      'shippingStatus:',
      '  when:',
      '    - { if: { SHIPPED: { empty: false }, CANCELLED: { not: Y } }, then: { value: shipped } }',
      '    - { if: { QTY: { moreThan: 0 } }, then: ST }',
      '  else: { value: draft }',
      '```',
    ].join('\n'),
    [
      'Arithmetic is exact: `discount: { quotient: [{ difference: [LIST, NET] }, LIST], round: 4 }`. If one of the numbers',
      'is empty, so is the result; with `{ column: TAX, default: 0 }` an empty cell counts as zero. A constant is written',
      '`{ value: 100 }`.',
    ].join('\n'),
    [
      'These change it, in this order. Then the value is read as the kind of the field. A cell has at most',
      `${limits.record.maxBytes.toLocaleString('en')} characters, also before a function shortens it.`,
    ].join('\n'),
    settings(modifierSettings),
    '## lookup',
    [
      "`supplierId: { lookup: { by: { name: VENDOR } } }` for rows that have a supplier's name in place of its number. If the",
      'number is there, use `ref`, which needs no record. A brand can have at most',
      `${lookupLimits.recordsMax.toLocaleString('en')} records of a collection that is looked up.`,
    ].join('\n'),
    settings(lookupSettings),
    [
      'A row whose record is not found is bad: it refuses the import or waits in quarantine (`--on-error`). Later imports of',
      'the same source try it again once the looked-up collection has changed.',
    ].join('\n'),
    '## Formats',
    'For the file, a collection or an expression; the innermost applies.',
    settings(formatSettings),
    [
      'A pattern consists of these letters and of signs, which stand for themselves. Letters that stand for themselves are',
      "put in quotes: `yyyy-MM-dd'at'HH:mm`. A month, a day or an hour can have one digit if a sign follows.",
    ].join('\n'),
    table(
      ['Pattern', 'Meaning'],
      Object.entries({ ...patternTokens, ...timeNumbers }).map(([name, about]) => [
        code(name),
        about,
      ]),
    ),
    [
      'A text of zeros, such as `00.00.0000`, is an empty date. A time that clocks skip in spring is moved by what they skip:',
      '02:30 becomes 03:30. A time that clocks show twice in autumn is the first of the two. A day in place of a time is the',
      'beginning of that day in the time zone. Dates of spreadsheets and databases need no pattern.',
    ].join('\n'),
    [
      'Numbers can have a sign in front or behind, parentheses for a negative number, a currency, and a percent sign for',
      'percentages. A comma or a point that is neither the decimal sign nor the group sign is refused.',
    ].join('\n'),
    '## Functions of apply',
    table(
      ['Function', 'Result', 'Example'],
      Object.values(textFunctions).map(({ about, example: [call, text, result] }) => [
        code(call),
        about,
        `${code(text)} → ${code(result)}`,
      ]),
    ),
    '## Units',
    table(
      ['Unit', 'Meaning', 'Converted to', 'Factor'],
      Object.entries(units).map(([name, { about, to, factor }]) => [code(name), about, to, factor]),
    ),
    '## Identity',
    [
      'The identifier of a record with a natural key is the UUID of version 5 (RFC 9562) over the namespace',
      '`958b74f0-891d-40fd-9e4e-12cc527f1a92` and the JSON text of `[brand, collection, part, …]`, for example',
      '`["halden","suppliers","V0042"]`. Records that all brands share have `*` in place of the brand. Parts of a key are',
      'texts without spaces around them, numbers in plain decimal notation, days as `2026-03-14`, in Unicode form NFC, so',
      'that CSV, spreadsheets and databases give the same identifier. `0042` and `42` are different keys.',
    ].join('\n'),
  )

const settings = (of: { readonly [name: string]: Setting }): string =>
  table(
    ['Setting', 'Takes', 'Meaning'],
    Object.entries(of).map(([name, { takes, about }]) => [code(name), takes, about]),
  )

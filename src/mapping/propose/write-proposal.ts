import type { Certainty, Proposal, ProposedCollection } from './proposal.ts'
import { quoted } from './yaml-text.ts'

interface Owner {
  readonly brand: string | null
  readonly timezone: string
  /** The URL of the database; null for files. */
  readonly database: string | null
}

/** Writes a proposal as a mapping file, with a comment on each uncertain line. */
export const writeProposal = (
  { date, otherDate, number, collections, unknownTables }: Proposal,
  { brand, timezone, database }: Owner,
): string => {
  const formats = [
    ...(date ? [`date: ${quoted(date)}`] : []),
    ...(number.decimal === '.' ? [] : [`decimal: '${number.decimal}'`]),
    ...(number.group ? [`group: '${number.group}'`] : []),
  ]
  const doubt = otherDate ? note('open', `all dates are also of the form ${otherDate}`) : ''
  return [
    '# Proposed by selvedge map init. Lines without a comment are certain; "likely" is worth a look;',
    `# "open" needs a decision. Then: selvedge map check <this file>${database ? '' : ' <files>'}`,
    ...(database
      ? [
          '# Deleted rows are not noticed. Add reconcile: 24h to from where they matter, in all collections of a table.',
        ]
      : []),
    'version: 1',
    ...(brand
      ? [`brand: ${brand}`]
      : ['# brand: <slug>  # open: the brand, or --brand of the command']),
    ...(database ? [`database: ${database}  # the environment variable that has its address`] : []),
    `timezone: ${timezone}${note('open', 'of times without an offset')}`,
    ...(formats.length > 0 ? [`formats: { ${formats.join(', ')} }${doubt}`] : []),
    ...unknownTables.map(
      (name) =>
        `# open: ${oneLine(name)} looks like no collection that is not proposed already; it is left out`,
    ),
    collections.length > 0 ? 'collections:' : 'collections: {}',
    ...collections.flatMap(collectionLines),
    '',
  ].join('\n')
}

const collectionLines = (proposed: ProposedCollection): readonly string[] => {
  const { collection, table, certainty, distinct, key, isIdentifier, keyCertainty } = proposed
  const { fields, unusedColumns } = proposed
  const columns = (key ?? []).map(quoted).join(', ')
  const width = Math.max(0, ...fields.map(({ name }) => name.length))
  return [
    `  ${collection}:${note(certainty, `from ${oneLine(table.name)}`)}`,
    `    from: ${table.from}${table.fromNote ? note(table.fromNote.certainty, table.fromNote.note) : ''}`,
    ...(distinct ? ['    distinct: true'] : []),
    ...(key
      ? [
          `    id: ${isIdentifier ? columns : `{ key: [${columns}] }`}${note(keyCertainty, 'the columns that identify a row')}`,
        ]
      : []),
    '    fields:',
    ...fields.map(
      (field) =>
        `      ${`${field.name}:`.padEnd(width + 1)} ${field.expression}${note(field.certainty, field.note)}`,
    ),
    ...(unusedColumns.length > 0
      ? [`    # columns without a use: ${unusedColumns.map(oneLine).join(', ')}`]
      : []),
  ]
}

const note = (certainty: Certainty, reason: string): string =>
  certainty === 'certain' ? '' : `  # ${certainty}${reason ? `: ${reason}` : ''}`

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ')

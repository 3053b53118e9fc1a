import { formatCount } from '#contract'
import type { Certainty, Proposal, ProposedCollection, ProposedField } from './proposal.ts'
import type { LeftOut } from './table-roles.ts'
import { quoted } from './yaml-text.ts'

interface Owner {
  readonly brand: string | null
  readonly timezone: string
  /** The URL of the database; null for files. */
  readonly database: string | null
}

/** Writes a proposal as a mapping file, with the confidence and the reason of each line. */
export const writeProposal = (proposal: Proposal, { brand, timezone, database }: Owner): string => {
  const { date, otherDate, number, collections, leftOut, defaults } = proposal
  const formats = [
    ...(date ? [`date: ${quoted(date)}`] : []),
    ...(number.decimal === '.' ? [] : [`decimal: '${number.decimal}'`]),
    ...(number.group ? [`group: '${number.group}'`] : []),
  ]
  const doubt = otherDate
    ? note('open', `all dates are also of the form ${otherDate}`)
    : note('certain', 'all values are written so')
  return [
    '# Proposed by selvedge map init. "certain" is shown by keys and values; "likely" is worth a',
    '# look; "open" needs a decision: replace { open: [...] } by one of its candidates or by',
    `# something else. Then: selvedge map check <this file>${database ? '' : ' <files>'}`,
    ...(database
      ? [
          '# Deleted rows are not noticed. Add reconcile: 24h to from where they matter, in all collections of a table.',
        ]
      : []),
    ...leftOutLines(leftOut),
    'version: 1',
    ...(brand
      ? [`brand: ${brand}`]
      : ['# brand: <slug>  # open: the brand, or --brand of the command']),
    ...(database ? [`database: ${database}  # the environment variable that has its address`] : []),
    `timezone: ${timezone}${note('likely', 'of times without an offset')}`,
    ...(formats.length > 0 ? [`formats: { ${formats.join(', ')} }${doubt}`] : []),
    ...(defaults.length > 0 ? ['defaults:', ...fieldLines(defaults, '  ')] : []),
    collections.length > 0 ? 'collections:' : 'collections: {}',
    ...collections.flatMap((each) => collectionLines(each, defaults)),
    '',
  ].join('\n')
}

/** Names of tables that a note lists. */
const namesMax = 12

const leftOutLines = (leftOut: readonly LeftOut[]): readonly string[] => {
  const list = (tables: readonly LeftOut[]): string => {
    const names = tables.map(({ table }) => oneLine(table))
    const rest = names.length - namesMax
    return `${names.slice(0, namesMax).join(', ')}${rest > 0 ? ` and ${formatCount(rest, 'more table')}` : ''}`
  }
  const group = (because: LeftOut['because'], text: string) => {
    const tables = leftOut.filter((each) => each.because === because)
    return tables.length > 0 ? [`# Left out: ${list(tables)}. ${text}`] : []
  }
  const second = leftOut.filter(({ because }) => because === 'second')
  return [
    ...group('sales', 'They are about sales: Selvedge has purchases, and no customers.'),
    ...group('unknown', 'They look like no collection.'),
    ...second
      .slice(0, namesMax)
      .map(
        ({ table, collection }) =>
          `# Left out: ${oneLine(table)}. Another table has ${collection} already.`,
      ),
  ]
}

const collectionLines = (
  proposed: ProposedCollection,
  defaults: readonly ProposedField[],
): readonly string[] => {
  const { collection, table, certainty, reason, joins, group, distinct, id, fields } = proposed
  const { where } = proposed
  const from = joins.length > 0 || group ? (table.joinFrom ?? table.from) : table.from
  const { fromNote } = table
  return [
    `  ${collection}:${note(certainty, `from ${table.name}: ${reason}`)}`,
    `    from: ${from}${
      fromNote && from === table.from
        ? note(fromNote.certainty, fromNote.note)
        : note(
            'certain',
            fromNote ? 'all rows are read every time: others belong to them' : 'as read',
          )
    }`,
    ...(joins.length > 0 ? ['    join:'] : []),
    ...joins.map(({ name, table: other, on, reason: why }) => {
      const origin = (other.joinFrom ?? other.from).replace(/^\{ | \}$/g, '')
      const columns = on.map((pair) => pair.map(quoted).join(': ')).join(', ')
      return `      - { name: ${name}, ${origin}, on: { ${columns} } }${note('certain', why)}`
    }),
    ...(where
      ? [
          `    where: { ${quoted(where.column)}: ${conditionText(where.texts)} }${note('likely', where.reason)}`,
        ]
      : []),
    ...(group
      ? [`    group: [${group.map(quoted).join(', ')}]${note('certain', 'its lines are summed')}`]
      : []),
    ...(distinct ? [`    distinct: true${note('certain', 'several rows give one record')}`] : []),
    ...(id ? [`    id: ${id.expression}${note(id.certainty, id.reason)}`] : []),
    '    fields:',
    ...fieldLines(
      fields.filter(
        ({ name: own, expression }) =>
          !defaults.some((each) => each.name === own && each.expression === expression),
      ),
      '      ',
    ),
    ...(proposed.unusedColumns.length > 0
      ? [`    # columns without a use: ${proposed.unusedColumns.map(oneLine).join(', ')}`]
      : []),
  ]
}

const conditionText = (texts: readonly string[] | null): string => {
  const [only = '', ...more] = texts ?? []
  if (texts === null) return '{ empty: false }'
  return more.length === 0 ? quoted(only) : `[${[only, ...more].map(quoted).join(', ')}]`
}

const fieldLines = (fields: readonly ProposedField[], indent: string): readonly string[] => {
  const width = Math.max(0, ...fields.map(({ name }) => name.length))
  return fields.map(
    ({ name, expression, certainty, reason }) =>
      `${indent}${`${name}:`.padEnd(width + 1)} ${expression}${note(certainty, reason)}`,
  )
}

const note = (certainty: Certainty, reason: string): string =>
  `  # ${certainty}${reason ? `: ${oneLine(reason)}` : ''}`

/** Names and values of other systems cannot end a comment. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 200)

import { type Figures, targets } from './figures.ts'
import type { Gold } from './gold.ts'
import type { ScoredLine } from './score.ts'

export interface SchemaResult extends Pick<Gold, 'name' | 'note' | 'source'> {
  /** Whether it was written where those who worked on the proposer did not see it. */
  readonly isHeldOut: boolean
  readonly figures: Figures
  readonly errors: readonly ProposalError[]
}

/** A line that is not right. Of a collection that is missing as a whole, only its table is listed. */
export type ProposalError = Omit<ScoredLine, 'part' | 'isFromColumns'>

export const errorsOf = (lines: readonly ScoredLine[]): readonly ProposalError[] => {
  const errors = lines.filter(({ outcome }) => outcome !== 'right')
  const isOfMissing = (line: ScoredLine) =>
    line.part !== 'from' &&
    line.outcome === 'missing' &&
    errors.some(
      (each) =>
        each.part === 'from' &&
        each.outcome === 'missing' &&
        each.collection === line.collection &&
        each.table === line.table,
    )
  return errors
    .filter((line) => !isOfMissing(line))
    .map(({ part: _, isFromColumns: __, ...error }) => error)
}

export interface ProposalsResult {
  readonly all: Figures
  /** Of the schemas that were held out; null without them. */
  readonly heldOut: Figures | null
  readonly schemas: readonly SchemaResult[]
}

/** The published page: the figures of each schema. The result has each line that is not right. */
export const pageOf = ({ schemas, heldOut, all }: ProposalsResult): string =>
  `${[
    '<!-- Written by npm run bench -- proposals. Do not edit. -->',
    '# How good proposals are',
    'What `selvedge map init` proposes for public schemas of other projects, compared with gold mappings. Each was written',
    'by somebody who had not seen the proposer, before it was run on the schema. Schemas that were held out were not looked',
    'at while the proposer was written. [bench/schemas](../../bench/schemas) has the schemas, their sources and the rules.',
    '`npm run bench -- proposals` measures again, and writes each line that is not right to',
    '[bench/results](../../bench/results).',
    '',
    figuresTable(schemas, heldOut, all),
    '',
    targetsTable(all),
    '',
    'A field is right if the collection, the columns and the conversion are right, or if nothing in the schema gives it',
    'and the proposal says so (open). Missing fields also count if their collection was not found. Fields from columns are',
    'those that the schema gives: no constant, time of the import or open value is right for them. Lines are fields, keys',
    'and tables of collections; those that should not be there count as wrong.',
    ...notProposed(schemas),
  ].join('\n')}\n`

const percent = (value: number): string => `${value.toFixed(1)} %`

const figuresTable = (
  results: readonly SchemaResult[],
  heldOut: Figures | null,
  all: Figures,
): string =>
  markdownTable(
    [
      'Schema',
      'Fields',
      'Right',
      'Wrong',
      'Open',
      'Missing',
      'Right',
      'Right of those from columns',
      'Lines',
      'Certain',
      'Keys',
    ],
    [
      ...results.map(({ name, isHeldOut, figures }) => [
        `${name}${isHeldOut ? ' (held out)' : ''}`,
        ...cellsOf(figures),
      ]),
      ...(heldOut ? [['All that were held out', ...cellsOf(heldOut)]] : []),
      ['All', ...cellsOf(all)],
    ],
  )

const cellsOf = (figures: Figures): readonly string[] => [
  ...[figures.fields, figures.right, figures.wrong, figures.open, figures.missing].map(String),
  percent(figures.rightPercent),
  percent(figures.columnRightPercent),
  String(figures.lines),
  percent(figures.certainPercent),
  String(figures.keys),
]

const targetsTable = (all: Figures): string =>
  markdownTable(
    ['Target', 'Measured', ''],
    (
      [
        [
          `fields right, at least ${targets.rightPercent} %`,
          percent(all.rightPercent),
          all.rightPercent >= targets.rightPercent,
        ],
        [
          `lines certain, at least ${targets.certainPercent} %`,
          percent(all.certainPercent),
          all.certainPercent >= targets.certainPercent,
        ],
        [
          'of those, none wrong',
          String(all.wrongCertain),
          all.wrongCertain <= targets.wrongCertain,
        ],
        ['no wrong key', String(all.wrongKeys), all.wrongKeys <= targets.wrongKeys],
      ] as const
    ).map(([target, measured, isMet]) => [target, measured, isMet ? 'met' : 'missed']),
  )

/** The collections of each schema that were not found. */
const notProposed = (schemas: readonly SchemaResult[]): readonly string[] => {
  const lines = schemas.flatMap(({ name, errors }) => {
    const missing = errors.filter(
      ({ name: line, outcome }) => line === 'from' && outcome === 'missing',
    )
    const names = missing.map(({ collection, table }) => `\`${collection}\` from ${table}`)
    return names.length > 0 ? [`- ${name}: ${names.join(', ')}.`] : []
  })
  return lines.length > 0 ? ['', 'Not proposed:', '', ...lines] : []
}

const markdownTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
